# SPDX-License-Identifier: Apache-2.0
"""Tests in pieces: by file, and long tests by function.

Long tests are identified in the sources, because importing all tests takes longer than a piece. A
test checks that no test is lost or duplicated.
"""

import ast
from functools import cache

from .piece import Piece

__all__ = ["cut_faults", "cut_tests"]

#: Files and folders by kind; all others have the kind ``tests``.
PLACES = {
    "board":    ("tests/boards/", "tests/sim/test_board.py"),
    "kit":      ("tests/host/kit/", "tests/sim/kit/"),
    "chains":   ("tests/golden/machine/", "tests/host/plan/", "tests/host/image/test_random_images",
                 "tests/rtl/test_passes.py", "tests/rtl/test_scale.py",
                 "tests/rtl/test_scalars.py"),
    "networks": ("tests/host/examples/", "tests/host/network/", "tests/host/tflite/",
                 "tests/rtl/test_large_network.py", "tests/rtl/test_residual.py",
                 "tests/rtl/tflite/", "tests/sim/test_networks.py"),
}
MARKS  = ("gates", "bitstream")  #: Marks of whole files that run only on request.
FAULTS = 10_000                  #: Line faults in total.

_BOARD    = "tests/sim/test_board.py"
_NETLIST  = "tests/sim/test_netlist.py"
_PARTS    = 10
_LONG     = {"between", "rarely", "each_name", "each_size"}  # names in tests.support.sizes
_MARK     = "pytest.mark.long"
_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


def cut_tests(root):
    """Cut all tests in the source tree ``root`` (Path) into pieces, except netlist tests."""
    for path in sorted((root / "tests").rglob("test_*.py")):
        yield from _cut_file(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
    yield Piece("board", f"{_BOARD} of ulx3s-85f",
                ("pytest", "--thorough", _BOARD, "--board", "ulx3s-85f"))
    yield Piece("board", f"{_NETLIST} (gates)", ("pytest", "--thorough", "-m", "gates", _NETLIST))


@cache
def _cut_file(name, text):
    """Pieces of a test file, a tuple."""
    tree = ast.parse(text)
    mark = whole_mark(tree)
    if mark == "gates":
        return ()
    kind   = kind_of(name)
    pieces = [_piece(kind, name, mark)] if mark in MARKS else []
    if mark is None and any(not wholly_long(function) for function in functions_of(tree)):
        pieces.append(_piece(kind, name))
    functions = ([function.name for function in functions_of(tree)] if mark == "long" else
                 long_tests(tree))
    return *pieces, *(_piece(kind, f"{name}::{function}", "long") for function in functions)


def cut_faults():
    """Cut the line fault tests into pieces."""
    for part in range(_PARTS):
        yield Piece("faults", f"faults {part}", (
            "pytest", "--thorough", f"{_BOARD}::test_faults", "--faults", str(FAULTS // _PARTS)),
            part=part, parts=_PARTS)


def kind_of(name):
    """A test file's piece kind, from its path (str)."""
    return next((kind for kind, places in PLACES.items() if name.startswith(places)), "tests")


def whole_mark(tree):
    """A whole test file's pytest mark, or None."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            return ast.unparse(node.value).rpartition(".")[2]
    return None


def functions_of(tree):
    """A file's parsed test functions."""
    return [node for node in tree.body
            if isinstance(node, _FUNCTION) and node.name.startswith("test_")]


def wholly_long(function):
    """Whether all a test's parameters are long."""
    return any(ast.unparse(decorator) == _MARK for decorator in function.decorator_list)


def long_tests(tree):
    """Names of a file's test functions with at least one long parameter."""
    names = _LONG & {alias.asname or alias.name for node in tree.body
                     if isinstance(node, ast.ImportFrom) for alias in node.names}
    for node in tree.body:
        if isinstance(node, ast.Assign) and _is_long(node.value, names):
            names |= {each.id for target in node.targets for each in ast.walk(target)
                      if isinstance(each, ast.Name)}
    long = set()
    for node in tree.body:
        if isinstance(node, _FUNCTION) and _has_long_parameters(node, names, long):
            long.add(node.name)
    return [function.name for function in functions_of(tree) if function.name in long]


def _has_long_parameters(function, names, fixtures):
    """Whether a function's decorator contains the long mark, or the function takes a fixture with
    long parameters, named in ``fixtures`` (set of str)."""
    return (any(_is_long(decorator, names) for decorator in function.decorator_list)
            or any(argument.arg in fixtures for argument in function.args.args))


def _is_long(expression, names):
    """Whether an expression contains the long mark, or a name for it in ``names`` (set)."""
    return any((isinstance(node, ast.Name) and node.id in names)
               or (isinstance(node, ast.Attribute) and ast.unparse(node) == _MARK)
               for node in ast.walk(expression))


def _piece(kind, name, mark=None):
    """The piece for a file or function, with the default marks or with ``mark``."""
    words = ("pytest", "--thorough", *(("-m", mark) if mark else ()), name)
    return Piece(kind, f"{name}{f' ({mark})' if mark else ''}", words)
