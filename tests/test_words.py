"""Names in the sources: what a thing is, not that it was found."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

#: Words that are no name of a thing. Signals of ``hdl`` go by them in the Verilog, whose names the
#: floorplans know.
VAGUE    = {"found"}
PACKAGES = ["golden", "host", "sim", "boards", "docs", "tests"]


def bound_names(tree):
    """Names that the module ``tree`` gives to variables, parameters, functions and classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name, node.lineno


def vague_names(source):
    """[(name, line)] of what ``source`` (str) calls by a word that says nothing."""
    return [(name, line) for name, line in bound_names(ast.parse(source))
            if name.strip("_") in VAGUE]


@pytest.mark.parametrize("package", PACKAGES)
def test_names_say_what_a_thing_is(package):
    vague = {str(path.relative_to(ROOT)): names for path in (ROOT / package).rglob("*.py")
             if (names := vague_names(path.read_text()))}
    assert vague == {}


@pytest.mark.parametrize("source", [
    "found = 1", "def found(): pass", "def f(found): pass", "for _found in (): pass",
    "[found for found in ()]", "with x as found: pass"])
def test_vague_names_are_noticed(source):
    assert len(vague_names(source)) == 1
