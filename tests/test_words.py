"""Names in the sources: what a thing is, not that it was found; functions of host are verbs."""

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


#: Participles that do not name an action but say what kind of thing a function gives.
ADJECTIVES = {"expected", "fixed", "flushed", "named", "transposed"}


def participles(source):
    """Functions of ``source`` (str) that are called by what was done, not by what they do."""
    first = ((node.name, node.name.strip("_").split("_")[0]) for node in ast.walk(ast.parse(source))
             if isinstance(node, ast.FunctionDef) and not is_property(node))
    return [name for name, word in first if word.endswith("ed") and word not in ADJECTIVES]


def is_property(node):
    return any("property" in ast.unparse(decorator) for decorator in node.decorator_list)


def test_functions_of_host_are_verbs():
    named = {str(path.relative_to(ROOT)): names for path in (ROOT / "host").rglob("*.py")
             if (names := participles(path.read_text()))}
    assert named == {}


def test_participles_are_noticed():
    assert participles("def shifted(x): pass") == ["shifted"]
    assert participles("@property\ndef shifted(x): pass") == []
