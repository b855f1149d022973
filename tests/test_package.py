# SPDX-License-Identifier: Apache-2.0
"""A wheel and an editable install: one package, no deleted module, and nothing left in the tree."""

import sys
from zipfile import ZipFile

import pytest

from tests.support.modules import PACKAGES
from tests.support.pip import copy_tree, pip, run

#: A wheel takes half a minute to make.
pytestmark = pytest.mark.long


@pytest.fixture
def tree(tmp_path):
    """A copy of the files that a build reads."""
    folder = tmp_path / "tree"
    folder.mkdir()
    return copy_tree(folder)


def names_in(folder):
    """Names of all files and folders below a folder."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def build_wheel(tree, folder):
    """Names of the files in the wheel of a tree."""
    printed = pip("wheel", "--no-deps", "-v", "-w", folder, tree, cwd=tree)
    assert "running bdist_wheel" in printed
    assert "would be ignored" not in printed  # a folder of data files
    [wheel] = folder.glob("*.whl")
    return set(ZipFile(wheel).namelist())


def test_a_wheel_has_one_package_and_no_deleted_module(tree, tmp_path):
    before = names_in(tree)
    first  = build_wheel(tree, tmp_path / "first")
    after  = names_in(tree)
    (tree / "golden" / "fixed.py").unlink()
    second = build_wheel(tree, tmp_path / "second")

    tops = {name.partition("/")[0] for name in first}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"xymac"}
    assert {"xymac/__init__.py", "xymac/py.typed", "xymac/hdl/isa/__init__.py",
            "xymac/boards/__init__.py", "xymac/sim/rtl/harness.cpp",
            "xymac/sim/rtl/waves.h"} <= first
    assert first - second == {"xymac/golden/fixed.py"}
    assert second <= first
    assert after == before


def test_an_editable_install_shows_the_tree_as_one_package(tree, tmp_path):
    before = names_in(tree)
    python = tmp_path / "environment" / "bin" / "python"
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "environment", cwd=tmp_path)
    pip("--python", python, "install", "-q", "--no-deps", "--no-compile", "--editable", tree,
        cwd=tree)

    code, printed = run(python, "-B", "-c",
                        "from importlib.util import find_spec\nimport xymac.host.errors as part\n"
                        "import xymac\nprint(part.__file__, xymac.__version__ > '0')\n"
                        f"print([n for n in {(*PACKAGES, 'docs', 'tests')} if find_spec(n)])",
                        cwd=tmp_path)

    assert (code, printed) == (0, f"{tree}/host/errors.py True\n[]\n")
    assert names_in(tree) == before
