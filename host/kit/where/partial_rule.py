# SPDX-License-Identifier: Apache-2.0
"""A Rule for all wrong outputs, and the places where a device follows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xymac.host.kit.groups import Groups
from xymac.host.kit.model import total
from xymac.host.kit.rule import LIBRARY
from xymac.host.kit.search import search

from .partly import Altered, Parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.host.kit.case import Case

__all__ = ["find_partial_rule"]


def find_partial_rule(groups: Groups, cases: Sequence[Case], expected: Sequence[np.ndarray],
                      results: Sequence[np.ndarray]) -> str:
    """A sentence on a Rule with all wrong outputs, and on their places; "" if there is none.

    Parameters
    ----------
    groups : Groups, the outputs
    cases, expected, results : lists of equal length
    """
    parts   = Parts(cases, expected, results)
    library = groups.values(groups.narrowings(LIBRARY))
    wrong   = [group.take(places) for group, values in zip(groups.groups, library, strict=True)
               if len(places := np.flatnonzero(values != group.results))]
    if not parts.is_told or not wrong:
        return ""
    for rule in search(Groups.join(wrong), most=1).rules:
        place = parts.place(_altered(groups, library, groups.values(groups.narrowings(rule))))
        if place:
            return f"all wrong outputs lie {place}; there the device {rule.describe(groups.shifts)}"
    return ""


def _altered(groups, library, values):
    """An Altered for each case in each group; ``values`` are the outputs under a Rule."""
    for group, old, new in zip(groups.groups, library, values, strict=True):
        sums    = group.sums
        places  = np.flatnonzero(old != new)
        numbers = sums.case[places]
        final   = total(sums.narrowing, sums)
        for number in np.unique(numbers):
            held = places[numbers == number]
            yield Altered(int(number), sums.index[held], (old != group.results)[held],
                          sums=final[held], right=sums.shift[held])
