# SPDX-License-Identifier: Apache-2.0
"""Search for single differences behind a device's recurrent cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xymac.host.kit.candidates import singles
from xymac.host.kit.rule import LIBRARY, Rule, When

from . import narrowings_of, run_cell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xymac.host.kit.case import Case

__all__ = ["search_cells"]

_ENOUGH = 12  #: Number of rules that explain everything, after which the search stops.


def search_cells(cases: Mapping[int, Case], results: Sequence[np.ndarray],
                 wrong: Sequence[int], known: Sequence[Rule] = ()) -> list[Rule]:
    """Rules with the results of all cells, a list in catalogue order.

    Parameters
    ----------
    cases : {case number: Case}, all cells
    results : arrays by case number
    wrong : numbers of the cases with differences from the library
    known : the device's Rules, tried alone and with another difference
    """
    order = sorted(wrong, key=lambda number: _size(cases[number]))
    order += sorted(cases.keys() - set(wrong), key=lambda number: _size(cases[number]))
    found = []
    for rule in _distinct(list(cases.values()), known):
        if all(np.array_equal(run_cell(rule, cases[number]), results[number])
               for number in order):
            found.append(rule)
        if len(found) == _ENOUGH:
            break
    return found


def _size(case):
    return case.inputs[0].data.size * case.expected().size


def _distinct(cases, known):
    """The known rules, and all single differences beside them and alone, each effect only once."""
    kinds = {narrowing for case in cases for narrowing in narrowings_of(case)}
    seen  = set()
    for base in dict.fromkeys([LIBRARY, *known]):
        for rule in (base, *(base | other for other in singles()
                             if not base.given.keys() & other.given.keys())):
            if rule.when is When.BEFORE:
                continue
            effect = tuple(narrowing.under(rule) for narrowing in kinds)
            if effect not in seen and rule != LIBRARY:
                yield rule
            seen.add(effect)
