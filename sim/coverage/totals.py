# SPDX-License-Identifier: Apache-2.0
"""Totals of coverage by block, which is a module of ``hdl``."""

import collections
from dataclasses import dataclass

from .points import KINDS

__all__ = ["Total", "by_block", "figures", "total_of"]


@dataclass(frozen=True)
class Total:
    """Points of a kind: how many of how many were hit, and how many more are excluded."""

    hit:      int
    points:   int
    excluded: int

    @property
    def percent(self):
        """Share of the points that were hit, 0 to 100; 100 without points."""
        return 100 * self.hit / self.points if self.points else 100.0

    def __str__(self):
        return f"{self.percent:.1f}" if self.points else "-"


def total_of(counts, excluded, kind, file=None):
    """The ``Total`` of a kind, in one file or all, of ``counts`` {Point: hits}."""
    chosen = [point for point in counts if point.kind == kind and file in (None, point.file)]
    left   = [point for point in chosen if point not in excluded]
    return Total(sum(counts[point] > 0 for point in left), len(left), len(chosen) - len(left))


def by_block(counts, excluded):
    """{file: {kind: Total}} in the order of the names."""
    groups = collections.defaultdict(dict)
    for point, hits in counts.items():
        groups[point.file][point] = hits
    return {file: {kind: total_of(group, excluded, kind) for kind in KINDS}
            for file, group in sorted(groups.items())}


def figures(counts, excluded):
    """{kind: percent} of all blocks, and the points that are excluded."""
    totals = {kind: total_of(counts, excluded, kind) for kind in KINDS}
    return ({kind: round(total.percent, 2) for kind, total in totals.items() if total.points}
            | {"points": sum(total.points for total in totals.values()),
               "excluded": sum(total.excluded for total in totals.values())})
