# SPDX-License-Identifier: Apache-2.0
"""Coverage totals by block, a module in ``hdl``."""

import collections
from dataclasses import dataclass

from .points import CROSS, KINDS

__all__ = ["Total", "by_block", "figures", "total_of"]


@dataclass(frozen=True)
class Total:
    """Point counts for a kind: hit, countable, and excluded beyond the countable."""

    hit:      int
    points:   int
    excluded: int

    @property
    def percent(self):
        """Percentage hit, 0 to 100; 100 without points."""
        return 100 * self.hit / self.points if self.points else 100.0

    def __str__(self):
        return f"{self.percent:.1f}" if self.points else "-"


def total_of(counts, excluded, kind, file=None):
    """Return a kind's ``Total``, in one file or all, from ``counts`` {Point: hits}."""
    chosen = [point for point in counts if point.kind == kind and file in (None, point.file)]
    left   = [point for point in chosen if point not in excluded]
    return Total(sum(counts[point] > 0 for point in left), len(left), len(chosen) - len(left))


def by_block(counts, excluded):
    """Return {file: {kind: Total}} in name order."""
    groups = collections.defaultdict(dict)
    for point, hits in counts.items():
        if point.kind != CROSS:
            groups[point.file][point] = hits
    return {file: {kind: total_of(group, excluded, kind) for kind in KINDS}
            for file, group in sorted(groups.items())}


def figures(counts, excluded):
    """Return {kind: percent} over all blocks, and the number excluded."""
    totals = {kind: total_of(counts, excluded, kind) for kind in (*KINDS, CROSS)}
    return ({kind: round(total.percent, 2) for kind, total in totals.items() if total.points}
            | {"points": sum(total.points for total in totals.values()),
               "excluded": sum(total.excluded for total in totals.values())})
