# SPDX-License-Identifier: Apache-2.0
"""The modules of the project by their names within ``xymac``, and what they import."""

import ast
from pathlib import Path

__all__ = ["PACKAGES", "ROOT", "SOURCES", "imports_of", "name_of", "short"]

ROOT     = Path(__file__).parents[2]
PACKAGES = ("hdl", "golden", "host", "sim", "boards")


def name_of(path):
    """Dotted name of a module by its path from the root."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def short(name):
    """Name of a module within ``xymac``; a name from elsewhere stays as it is."""
    return "" if name == "xymac" else name.removeprefix("xymac.")


SOURCES = {name_of(path.relative_to(ROOT)): path
           for folder in PACKAGES for path in sorted((ROOT / folder).rglob("*.py"))}


def imports_of(module, source, *, is_package=False, modules=SOURCES):
    """Names of the modules that ``source`` imports, each with whether a function does.

    ``from xymac.hdl import isa`` names ``hdl.isa``; relative imports are resolved.
    """
    tree   = ast.parse(source)
    inside = {id(node) for function in ast.walk(tree)
              if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
              for node in ast.walk(function)}
    folder = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(tree):
        late = id(node) in inside
        if isinstance(node, ast.Import):
            yield from ((short(alias.name), late) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = [*folder[:len(folder) - node.level + 1]] if node.level else []
            base = short(".".join([*base, *([node.module] if node.module else [])]))
            for alias in node.names:
                name = f"{base}.{alias.name}" if base else alias.name
                yield (name if name in modules or not base else base), late
