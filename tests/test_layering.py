"""The arrows of the README, checked: who may import whom."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ALLOWED = {
    "hdl":    set(),
    "golden": {"hdl.isa"},
    "host":   {"hdl.isa", "hdl.config", "hdl.link.frames", "golden"},
    "sim":    {"hdl", "host", "golden", "boards"},
    "boards": {"hdl", "host"},
}


def imported_modules(path):
    """Absolute names of what a file imports: ``hdl.isa`` for both ``import hdl.isa`` and ``from``.

    ``from hdl import isa`` names both ``hdl`` and ``hdl.isa``; relative imports stay inside.
    """
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name,) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                yield node.module, f"{node.module}.{alias.name}"


def is_allowed(package, names):
    """Whether ``package`` may import the module that ``names`` are possible names of."""
    first = names[0].split(".")[0]
    if first == "tests":
        return False
    if first not in ALLOWED or first == package:
        return True
    return first in ALLOWED[package] or bool({*names} & ALLOWED[package])


@pytest.mark.parametrize("package", ALLOWED)
def test_imports_follow_the_arrows(package):
    files = sorted((ROOT / package).rglob("*.py"))

    wrong = [f"{path.relative_to(ROOT)} imports {names[-1]}" for path in files
             for names in imported_modules(path) if not is_allowed(package, names)]

    assert files
    assert not wrong


@pytest.mark.parametrize(("package", "source"), [
    ("golden", "import hdl.config"), ("golden", "from hdl.config import BASE"),
    ("golden", "import hdl"), ("golden", "from hdl import config"),
    ("host", "def late():\n    from sim import device"), ("boards", "import sim.build.compile"),
    ("hdl", "from golden.fixed import saturate"), ("sim", "import tests.vectors")])
def test_wrong_arrows_are_found(package, source, tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text(source)

    assert not all(is_allowed(package, names) for names in imported_modules(path))
