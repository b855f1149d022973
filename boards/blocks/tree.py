# SPDX-License-Identifier: Apache-2.0
"""Blocks summed by kind, with all blocks inside them."""

import re
from collections import defaultdict
from dataclasses import dataclass

from xymac.boards.tools.report import TOP

__all__ = ["Row", "make_rows"]

_INSTANCE = re.compile(r"_\d+(?=\.|$)")


@dataclass(frozen=True)
class Row:
    """All blocks with the same kind: paths that differ only in instance numbers.

    Parameters
    ----------
    name : str, the path without instance numbers: ``core.array.lane``
    count : int, block count
    own : dict, cells in these blocks by resource, without inner blocks
    all : dict, cells with inner blocks
    """

    name:  str
    count: int
    own:   dict
    all:   dict

    @property
    def depth(self):
        """Enclosing block count."""
        return 0 if self.name == TOP else self.name.count(".")


def make_rows(counts):
    """Rows from ``count.count_cells``: a block before its inner blocks, the largest first."""
    kinds = defaultdict(list)
    for path in _with_parents(counts):
        kinds[_INSTANCE.sub("", path)].append(path)
    none = dict.fromkeys(next(iter(counts.values())), 0)
    own  = {kind: _add(none, (counts.get(path, none) for path in paths))
            for kind, paths in kinds.items()}
    all_ = {kind: _add(none, (cells for name, cells in own.items()
                              if name == kind or name.startswith(f"{kind}."))) for kind in own}
    return [Row(kind, len(kinds[kind]), own[kind], all_[kind]) for kind in _order(all_)]


def _with_parents(paths):
    """Paths, and the paths of their enclosing blocks."""
    words = [path.split(".") for path in paths]
    return sorted({".".join(some[:end]) for some in words for end in range(1, len(some) + 1)})


def _add(none, several):
    """Cell sums by resource."""
    total = dict(none)
    for cells in several:
        for kind, count in cells.items():
            total[kind] += count
    return total


def _order(cells):
    """Names as a tree: siblings by decreasing first-resource count."""
    first = next(iter(next(iter(cells.values()))))

    def place(name):
        words = name.split(".")
        parts = (".".join(words[:end]) for end in range(1, len(words) + 1))
        return [(-cells[part][first], part) for part in parts]

    return sorted(cells, key=place)
