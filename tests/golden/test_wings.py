# SPDX-License-Identifier: Apache-2.0
"""The libraries of golden import neither each other nor the machine."""

import ast
from pathlib import Path

import pytest

from tests.support.modules import short

ROOT  = Path(__file__).parents[2]
FILES = sorted((ROOT / "golden").rglob("*.py"))
#: Folders, and those that a file in them must not import.
FORBIDDEN = {
    "golden/mli1":     ("golden.mli2", "golden.tflm", "golden.xs3", "golden.machine",
                        "golden.api"),
    "golden/mli2":     ("golden.mli1", "golden.tflm", "golden.xs3", "golden.machine",
                        "golden.api"),
    "golden/tflm":     ("golden.mli1", "golden.mli2", "golden.xs3", "golden.machine",
                        "golden.api"),
    "golden/xs3":      ("golden.mli1", "golden.mli2", "golden.tflm", "golden.machine",
                        "golden.api"),
    "golden/machine":  ("golden.mli1", "golden.mli2", "golden.tflm", "golden.xs3",
                        "golden.api"),
    "golden/api/mli1": ("golden.api.mli2", "golden.api.xs3", "golden.mli2", "golden.tflm",
                        "golden.xs3", "golden.machine"),
    "golden/api/mli2": ("golden.api.mli1", "golden.api.xs3", "golden.mli1", "golden.tflm",
                        "golden.xs3", "golden.machine"),
    "golden/api/xs3":  ("golden.api.mli1", "golden.api.mli2", "golden.mli1", "golden.mli2",
                        "golden.tflm", "golden.machine"),
}
#: Files that all wings share.
SHARED = {
    "golden":     ("golden.mli1", "golden.mli2", "golden.tflm", "golden.xs3", "golden.machine",
                   "golden.api"),
    "golden/api": ("golden.mli1", "golden.mli2", "golden.tflm", "golden.xs3", "golden.machine",
                   "golden.api.mli1", "golden.api.mli2", "golden.api.xs3"),
}


def imported_names(source, package):
    """Full names of all that ``source``, a file of ``package``, imports, and where from."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (short(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[:len(package.split(".")) - node.level + 1]
            start = ".".join([*parts, *([node.module] if node.module else [])]
                             if node.level else [short(node.module)])
            yield start
            yield from (f"{start}.{alias.name}".lstrip(".") for alias in node.names)


def forbidden_imports(source, package, forbidden):
    """Names that ``source`` imports from a package that it must not know."""
    return [name for name in imported_names(source, package)
            if any(name == other or name.startswith(f"{other}.") for other in forbidden)]


def wrong_imports(paths, forbidden):
    """Imports of files that break the rule, in words."""
    return [f"{path.relative_to(ROOT)} imports {name}" for path in paths
            for name in forbidden_imports(
                path.read_text(), ".".join(path.relative_to(ROOT).parent.parts), forbidden)]


@pytest.mark.parametrize("folder", FORBIDDEN)
def test_wings_do_not_know_each_other(folder):
    paths = sorted((ROOT / folder).rglob("*.py"))

    assert paths
    assert not wrong_imports(paths, FORBIDDEN[folder])


@pytest.mark.parametrize("folder", SHARED)
def test_shared_files_know_no_wing(folder):
    paths = sorted((ROOT / folder).glob("*.py"))

    assert paths
    assert not wrong_imports(paths, SHARED[folder])


@pytest.mark.parametrize("source", [
    "import xymac.golden.mli2.tensor", "from xymac.golden import mli2",
    "from xymac.golden.mli2 import Affine",
    "from ..mli2.tensor import Affine", "from .. import mli2",
    "def late():\n    from xymac.golden.mli2.lut import EXP"])
def test_a_wrong_import_shows(source):
    assert forbidden_imports(source, "golden.mli1", FORBIDDEN["golden/mli1"])


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_stand_at_the_top(path):
    tree = ast.parse(path.read_text())

    late = [node.lineno for node in ast.walk(tree)
            if isinstance(node, (ast.Import, ast.ImportFrom)) and node not in tree.body]

    assert not late
