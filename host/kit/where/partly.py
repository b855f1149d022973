# SPDX-License-Identifier: Apache-2.0
"""Faults at some places only: an altered layer explains all wrong outputs, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from .stump import separate
from .table import table_of_rows
from .tests import case_tests, join_words, output_tests, sum_tests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from xymac.host.kit.case import Case

__all__ = ["Altered", "Parts"]

_LEAST    = 8   #: Fewest wrong outputs that name an alteration at some places,
_DISTINCT = 4   #: and fewest pairs (expected output, result) among them.
_MOST     = 12  #: Largest number of alterations that are placed.
_CASES    = 2   #: Fewest wrong cases that name a quantity of cases.


@dataclass(frozen=True, eq=False)
class Altered:
    """Outputs of a case that an alteration would change.

    Parameters
    ----------
    number : int, case number
    places : int array, flat indices
    wrong : bool array, whether the device's output differs from the expected one
    weight : float, outputs for each right place
    sums, right : int64 arrays, the sum and the right shift at each place, or None
    """

    number: int
    places: np.ndarray
    wrong:  np.ndarray
    weight: float = 1.0
    sums:   np.ndarray | None = None
    right:  np.ndarray | None = None


@dataclass
class Parts:
    """Alterations that explain all wrong outputs, but that would change right outputs too.

    Parameters
    ----------
    cases, expected, results : lists of equal length
    """

    cases:    Sequence[Case]
    expected: Sequence[np.ndarray]
    results:  Sequence[np.ndarray]
    held:     list = field(default_factory=list)

    def __post_init__(self) -> None:
        pairs = set()
        count = 0
        for want, got in zip(self.expected, self.results, strict=True):
            places = np.flatnonzero(want.reshape(-1) != got.reshape(-1))
            count += len(places)
            pairs |= {*zip(want.reshape(-1)[places].tolist(), got.reshape(-1)[places].tolist(),
                           strict=True)} if len(pairs) < _DISTINCT else set()
        self.is_told = count >= _LEAST and len(pairs) >= _DISTINCT

    def add(self, words: str, altered: Callable[[], Iterable[Altered]]) -> None:
        """Keep an alteration with its ``words``; ``altered`` gives an Altered for each case."""
        if self.is_told and len(self.held) < _MOST:
            self.held.append((words, altered))

    def find(self) -> str:
        """A sentence on the first alteration with a place that tells wrong from right outputs;
        "" if there is none.
        """
        for words, altered in self.held:
            place = self.place(altered())
            if place:
                return f"all wrong outputs lie {place}; there {words}"
        return ""

    def place(self, altered: Iterable[Altered]) -> str:
        """Words on the place of all wrong outputs among ``altered`` ones, "" without."""
        halves = [(each, is_wrong, each.wrong == is_wrong) for each in altered
                  for is_wrong in (True, False) if (each.wrong == is_wrong).any()]
        if not halves:
            return ""
        table = table_of_rows(self.cases, self.expected, [
            (each.number, each.places[half], is_wrong, 1.0 if is_wrong else each.weight)
            for each, is_wrong, half in halves])
        if table.wrong.all():
            return ""
        cases = np.unique(table.case[table.wrong])
        tests = [*output_tests(table), *(case_tests(table.quantities, table.case, table.wrong)
                                         if len(cases) >= _CASES else ())]
        if all(each.sums is not None for each, _, _ in halves):
            tests += sum_tests(*(np.concatenate([getattr(each, name)[half]
                                                 for each, _, half in halves])
                                 for name in ("sums", "right")))
        found = separate(tests, table.wrong, table.weight)
        if found is None or found.missed or found.false:
            return ""
        return join_words(found.words)
