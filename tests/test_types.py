# SPDX-License-Identifier: Apache-2.0
"""Every public function of the folders that ``make lint`` type-checks is annotated."""

import ast
import tomllib
from pathlib import Path

from tests.support.modules import ROOT

TREE = Path("build/tree/xymac")  # the folder of links that make lint gives to pyright


def checked_folders():
    """Sources that pyright checks, by pyproject.toml."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    paths = [Path(path).relative_to(TREE) for path in tools["basedpyright"]["include"]]
    return [ROOT / ("xymac" if path.parent == Path() and path.suffix else ".") / path
            for path in paths]


def is_public(name):
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def public_functions(node, in_class=False):
    """Public functions of a module or class, and whether each is a method; nested ones are not."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and is_public(child.name):
            yield child, in_class
        elif isinstance(child, ast.ClassDef | ast.If):
            yield from public_functions(child, in_class or isinstance(child, ast.ClassDef))


def find_gaps(text):
    """Parameters and results without annotation, as strings, and the number of functions."""
    gaps, count = [], 0
    for function, is_method in public_functions(ast.parse(text)):
        count += 1
        args   = function.args
        static = any(getattr(decorator, "id", "") == "staticmethod"
                     for decorator in function.decorator_list)
        named  = [*args.posonlyargs, *args.args][is_method and not static:]
        named += [*args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
        gaps  += [f"{function.name}: {arg.arg}" for arg in named if arg.annotation is None]
        if function.returns is None:
            gaps.append(f"{function.name}: result")
    return gaps, count


def test_public_functions_are_annotated():
    gaps, count = [], 0
    for folder in checked_folders():
        paths = [folder] if folder.suffix else sorted(folder.rglob("*.py"))
        assert paths, folder
        for path in paths:
            found, functions = find_gaps(path.read_text())
            gaps  += [f"{path.relative_to(ROOT)}: {gap}" for gap in found]
            count += functions

    assert count > 100
    assert not gaps, "\n".join(gaps)


def test_gaps_are_found():
    text = ("class A:\n    def run(self, x, *, key: int, **rest) -> int: pass\n"
            "    @staticmethod\n    def of(y): pass\n    def _own(self, z): pass\n")

    assert find_gaps(text) == (["run: x", "run: rest", "of: y", "of: result"], 2)
