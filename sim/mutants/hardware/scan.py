# SPDX-License-Identifier: Apache-2.0
"""All sites in the hardware sources, and a component's mutants at these sites."""

import ast
from functools import cache
from pathlib import Path

from .mutant import Mutant
from .rewrite import Rewriter

__all__ = ["HDL", "mutants_of", "rewrite", "scan"]

HDL = Path(__file__).resolve().parents[3] / "hdl"


def rewrite(file, text, first):
    """(Syntax tree, Sites) for a source with path ``file`` below ``hdl``."""
    rewriter = Rewriter(file, text, first)
    tree     = ast.fix_missing_locations(rewriter.visit(ast.parse(text)))
    return tree, rewriter.sites


@cache
def scan(root=HDL):
    """{path below ``root``: (syntax tree, Sites)} for all sources, numbered throughout."""
    found, first = {}, 1
    for path in sorted(root.rglob("*.py")):
        file = path.relative_to(root).as_posix()
        found[file] = rewrite(file, path.read_text(encoding="utf-8"), first)
        first += len(found[file][1])
    return found


def mutants_of(active, root=HDL):
    """Mutants for a component's ``active`` (site, variant) pairs, in order."""
    mutants, counts = [], {}
    for file, (_, sites) in scan(root).items():
        for site in sites:
            for variant, (kind, after) in sorted(site.variants.items()):
                place = file, site.line, kind
                counts[place] = counts.get(place, 0) + 1
                if (site.number, variant) in active:
                    mutants.append(Mutant(
                        f"{file}:{site.line}:{kind}:{counts[place]}", site.number, variant, file,
                        site.line, kind, site.before, after))
    return mutants
