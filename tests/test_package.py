# SPDX-License-Identifier: Apache-2.0
"""A wheel and an editable install: one package, no deleted module, and nothing left in the tree."""

import sys
import tomllib
from fnmatch import fnmatch
from zipfile import ZipFile

import pytest

from tests.support.modules import PACKAGES, ROOT
from tests.support.pip import copy_tree, pip, run

#: Files of the packages, relative to the repository.
FILES = [path.relative_to(ROOT) for name in PACKAGES for path in (ROOT / name).rglob("*.*")
         if "__pycache__" not in path.parts]


def test_every_module_lies_in_a_package():
    """A wheel leaves out a folder without ``__init__.py``, while a clone imports it."""
    folders = {folder for path in FILES if path.suffix == ".py"
               for folder in path.parents if folder.name}

    assert [folder for folder in folders if not (ROOT / folder / "__init__.py").exists()] == []


def test_every_data_file_lies_in_the_package():
    """A wheel has data files by the patterns of pyproject.toml alone."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    patterns = [f"{name.replace('.', '/').removeprefix('xymac/')}/{pattern}"
                for name, each in settings["package-data"].items() for pattern in each]

    files    = [path for path in FILES if path.suffix != ".py"]

    assert files
    assert [path for path in files if not any(fnmatch(path, pattern) for pattern in patterns)] == []


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


@pytest.mark.long  # half a minute
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


@pytest.mark.long
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
