"""Every public function, class and method says in a sentence what it is."""

import ast
import functools
from collections import defaultdict
from pathlib import Path

import pytest

ROOT     = Path(__file__).parents[1]
PACKAGES = ("hdl", "golden", "host", "sim", "boards", "docs")
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
OTHERS   = {"elaborate"}  #: What Amaranth documents.


@functools.cache
def trees():
    """Every file of the packages, parsed, by its name."""
    return {path.relative_to(ROOT): ast.parse(path.read_text(encoding="utf-8"))
            for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))}


def is_public(node):
    """Whether a definition is one that others may use."""
    return isinstance(node, FUNCTION | ast.ClassDef) and not node.name.startswith("_")


def last_name(base):
    """``Layer`` of ``Layer``, ``layer.Layer`` and ``Layer[int]``."""
    base = base.value if isinstance(base, ast.Subscript) else base
    return base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "")


def read_classes(files):
    """Names of the bases, and of the documented methods, of every class by its name."""
    bases, documented = defaultdict(set), defaultdict(set)
    for tree in files:
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                bases[node.name].update(map(last_name, node.bases))
                documented[node.name].update(
                    each.name for each in node.body
                    if isinstance(each, FUNCTION) and ast.get_docstring(each))
    return bases, documented


def inherited(name, bases, documented):
    """Names of the methods that classes above a class document."""
    seen, above, names = {name}, {*bases[name]}, set()
    while above:
        base = above.pop()
        names |= documented[base]
        above |= bases[base] - seen
        seen.add(base)
    return names


def undocumented(tree, bases, documented):
    """Names of the public definitions of a file without a docstring."""
    for node in tree.body:
        if is_public(node) and not ast.get_docstring(node):
            yield node.name
        if isinstance(node, ast.ClassDef) and is_public(node):
            known = OTHERS | inherited(node.name, bases, documented)
            for each in node.body:
                if is_public(each) and not ast.get_docstring(each) and each.name not in known:
                    yield f"{node.name}.{each.name}"


@pytest.mark.parametrize("package", PACKAGES)
def test_what_is_public_is_documented(package):
    classes = read_classes(trees().values())

    missing = [f"{path}: {name}" for path, tree in trees().items() if path.parts[0] == package
               for name in undocumented(tree, *classes)]

    assert not missing, "\n".join(missing)


def test_every_file_says_what_it_is():
    assert not [str(path) for path, tree in trees().items() if not ast.get_docstring(tree)]


def test_what_is_missing_is_found():
    tree = ast.parse("class Base:\n    '''A.'''\n    def run(self):\n        '''B.'''\n"
                     "class Part(Base):\n    '''C.'''\n    def run(self): pass\n"
                     "    def stop(self): pass\n    def _hide(self): pass\n"
                     "    def elaborate(self, platform): pass\n"
                     "def bare(): pass\nclass Bare: pass\n")

    assert [*undocumented(tree, *read_classes([tree]))] == ["Part.stop", "bare", "Bare"]
