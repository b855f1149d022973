# SPDX-License-Identifier: Apache-2.0
"""Recognise sums with altered products, biases or output parameters behind wrong results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xymac.host.kit.groups import spread
from xymac.host.kit.libraries import has_sums, sums_of
from xymac.host.kit.model import compute

from .alterations import alterations
from .axes import axes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xymac.host.kit.case import Case
    from xymac.host.kit.sums import Sums

__all__ = ["find_alteration"]

_LEAST    = 3        #: Fewest wrong outputs that name an alteration.
_EACH     = 48       #: Largest number of compared outputs of a case, wrong and right ones each,
_PRODUCTS = 1 << 19  #: and of their products.


class _Compared:
    """A Case's compared outputs: ``places``, flat indices, their Sums and ``results``."""

    def __init__(self, case: Case, want: np.ndarray, got: np.ndarray) -> None:
        wrong = want.reshape(-1) != got.reshape(-1)
        terms = sums_of(case, np.zeros(1, int)).elements.shape[0]
        count = max(min(_EACH, _PRODUCTS // terms), 1)
        self.case   = case
        self.places = np.sort(np.concatenate([spread(np.flatnonzero(part), count)
                                              for part in (wrong, ~wrong)]))
        self.sums    = sums_of(case, self.places)
        self.results = got.reshape(-1)[self.places].astype(np.int64)
        axes = axes_of(case, want.shape)
        self.channels = np.unravel_index(self.places, want.shape)[axes.index("channel")]
        self.carried = 0  #: Sum that the case before left.
        self._shape, self._axis = want.shape, axes.index("channel")

    @property
    def earlier(self) -> np.ndarray:
        """Sum before each output, bias included; 0 before the first."""
        sums = sums_of(self.case, np.maximum(self.places - 1, 0))
        return np.where(self.places > 0, sums.total + sums.bias, 0)

    def of_channels(self, channels: np.ndarray) -> Sums:
        """Sums at the same places in other ``channels``."""
        index = list(np.unravel_index(self.places, self._shape))
        index[self._axis] = channels
        return sums_of(self.case, np.ravel_multi_index(index, self._shape))

    @property
    def count(self) -> int:
        """Channels."""
        return self._shape[self._axis]

    def shows(self, alteration: Callable[[_Compared], Sums]) -> bool:
        """Whether the alteration, a function from _Compared to Sums, gives the results."""
        sums = alteration(self)
        return bool(np.array_equal(compute(sums.narrowing, sums), self.results))


def find_alteration(cases: Sequence[Case], expected: Sequence[np.ndarray],
                    results: Sequence[np.ndarray], wrong: Sequence[int]) -> str:
    """Name the sum alteration behind all results, as a sentence; "" if there is none.

    Parameters
    ----------
    cases, expected, results : lists of equal length
    wrong : numbers of the cases with differences
    """
    total = sum(int(np.count_nonzero(expected[number] != results[number])) for number in wrong)
    if total < _LEAST or not all(has_sums(cases[number]) for number in wrong):
        return ""
    if cases[wrong[0]].offset:
        return ""
    held = {}

    at_first = all(np.array_equal(np.flatnonzero(expected[number] != results[number]), [0])
                   for number in wrong)
    carried  = _carry(cases) if at_first else [0] * len(cases)

    def compared(number):
        if number not in held:
            held[number] = _Compared(cases[number], expected[number], results[number])
            held[number].carried = carried[number]
        return held[number]

    # short sums first, as they reject most alterations at once
    order = sorted(wrong, key=lambda number: cases[number].inputs[0].size if isinstance(
        cases[number].inputs[0], np.ndarray) else cases[number].inputs[0].data.size)
    rest  = [number for number, case in enumerate(cases) if number not in set(wrong)
             and has_sums(case)]
    for words, alteration in alterations(cases[wrong[0]].operation):
        if all(compared(number).shows(alteration) for number in (*order, *rest)):
            return words
    return ""


def _carry(cases):
    """For each case the preceding case's last sum."""
    left, last = [], 0
    for case in cases:
        left.append(last)
        size = int(np.prod(case.shape))
        if has_sums(case) and size:
            sums = sums_of(case, np.array([size - 1]))
            last = int(sums.total[0] + sums.bias[0]) + (last if size == 1 else 0)
    return left
