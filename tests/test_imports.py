# SPDX-License-Identifier: Apache-2.0
"""The import contracts of ``pyproject.toml`` hold, and a wrong import breaks them."""

import os
import shutil
import subprocess
import sys

import pytest

from tests.support.modules import PACKAGES, ROOT, link_tree


def lint(folder):
    """Exit code and output of import-linter on the package in ``folder``."""
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import import_linter; import_linter()",
         "lint", "--no-cache", str(ROOT / "pyproject.toml")],
        cwd=folder, env=os.environ | {"PYTHONPATH": str(folder)}, capture_output=True, text=True,
        check=False)
    return done.returncode, done.stdout + done.stderr


def test_contracts_are_kept(tmp_path):
    code, printed = lint(link_tree(tmp_path))

    assert code == 0, printed


@pytest.mark.parametrize(("module", "line", "contract"), [
    ("golden/mli1/conv.py", "from xymac.golden import mli2", "golden: libraries and machine"),
    ("golden/fixed.py", "from xymac.hdl import config", "golden: of the hardware"),
    ("host/lower/sweep.py", "def late():\n    from xymac.golden import fixed", "host: lowering"),
    ("host/plan/plan.py", "from xymac.host.cli import run", "host: from the command line"),
    ("boards/board.py", "import xymac.sim.build", "Packages:")])
def test_a_wrong_import_breaks_a_contract(module, line, contract, tmp_path):
    package = module.split("/")[0]
    link_tree(tmp_path, [name for name in PACKAGES if name != package])
    shutil.copytree(ROOT / package, tmp_path / "xymac" / package)
    path = tmp_path / "xymac" / module
    path.write_text(f"{path.read_text()}\n{line}\n")

    code, printed = lint(tmp_path)

    assert code == 1
    assert [name for name in printed.splitlines()
            if name.startswith(contract) and name.endswith("BROKEN")]
