# SPDX-License-Identifier: Apache-2.0
"""The kit as it is installed: a wheel, a folder that is not ours, and ten lines."""

import sys

import pytest

from tests.support.pip import copy_tree, pip, run

CONFTEST = """\
import numpy as np
import xymac

class Mover(xymac.Adapter):
    supports = (xymac.Supports("transpose", "mli-1", "fx8"),)

    def transpose(self, case):
        return np.transpose(case.operands["x"], case.operands["order"])
"""
#: A wheel takes half a minute to make.
pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A folder into which a wheel of a copy of this tree was installed, and nothing else."""
    wheels, folder, tree = (tmp_path_factory.mktemp(name) for name in ("wheels", "site", "tree"))
    copy_tree(tree)
    pip("wheel", "--no-deps", "-q", "-w", wheels, tree, cwd=wheels)
    [wheel] = wheels.iterdir()
    pip("install", "--no-deps", "--no-compile", "-q", "--target", folder, wheel, cwd=wheels)
    return folder


def test_ten_lines_are_enough(site, tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)

    code, printed = run(sys.executable, "-P", "-m", "pytest", "-p", "no:cacheprovider",
                        "--xymac-dut", "conftest.py", cwd=tmp_path, path=site)

    assert len(CONFTEST.splitlines()) <= 10
    assert code == 0, printed
    assert "2 passed" in printed  # drawn and recorded: the vectors are in the wheel


def test_all_comes_from_the_wheel(site, tmp_path):
    code, printed = run(sys.executable, "-P", "-c",
                        "import xymac, sys; xymac.check, xymac.write_vectors; "
                        "print({sys.modules[name].__file__.rpartition('/xymac/')[0] "
                        "for name in ('xymac.host', 'xymac.golden', 'xymac.sim')})",
                        cwd=tmp_path, path=site)

    assert (code, printed) == (0, f"{ {str(site)} }\n")
