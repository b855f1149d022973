# SPDX-License-Identifier: Apache-2.0
"""Recognise sums with altered products, biases or output parameters behind wrong results."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from xymac.host.kit.groups import spread
from xymac.host.kit.libraries import has_sums, sums_of
from xymac.host.kit.model import compute
from xymac.host.kit.operands import operands_of

from .alterations import alterations
from .axes import axes_of
from .kept.sums import KeptSums
from .partly import Altered

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xymac.host.kit.case import Case
    from xymac.host.kit.sums import Sums

    from .partly import Parts

__all__ = ["find_alteration"]

_LEAST    = 3        #: Fewest wrong outputs that name an alteration.
_EACH     = 48       #: Largest number of compared outputs of a case, wrong and right ones each,
_PRODUCTS = 1 << 19  #: and of their products.


class _Compared:
    """A Case's compared outputs: ``places``, flat indices, their Sums and ``results``.

    ``kept`` gives the initial sums at some places, see ``KeptSums.at``.
    """

    def __init__(self, case: Case, want: np.ndarray, got: np.ndarray,
                 kept: Callable[..., np.ndarray]) -> None:
        wrong = want.reshape(-1) != got.reshape(-1)
        terms = sums_of(case, np.zeros(1, int)).elements.shape[0]
        count = max(min(_EACH, _PRODUCTS // terms), 1)
        self.case   = case
        self.places = np.sort(np.concatenate([spread(np.flatnonzero(part), count)
                                              for part in (wrong, ~wrong)]))
        self.sums     = sums_of(case, self.places)
        self.results  = got.reshape(-1)[self.places].astype(np.int64)
        self.expected = want.reshape(-1)[self.places].astype(np.int64)
        self.wrong    = wrong[self.places]
        self.weight   = float(np.count_nonzero(~wrong)) / max(np.count_nonzero(~self.wrong), 1)
        axes = axes_of(case, want.shape)
        self.channels = np.unravel_index(self.places, want.shape)[axes.index("channel")]
        self._kept, self._shape, self._axis = kept, want.shape, axes.index("channel")

    @property
    def earlier(self) -> np.ndarray:
        """Sum before each output, bias included; 0 before the first."""
        sums = sums_of(self.case, np.maximum(self.places - 1, 0))
        return np.where(self.places > 0, sums.total + sums.bias, 0)

    def from_kept(self, lanes: int, *, of_channels: bool) -> Sums:
        """Sums that start from sums of the cases before, see ``KeptSums.at``."""
        left = self._kept(self.places, lanes, of_channels=of_channels)
        return replace(self.sums, bias=self.sums.bias + left)

    @property
    def inputs(self) -> int:
        """Input channels of a sum, which are the products of a place of the kernel."""
        kernel = operands_of(self.case).get("kernel", (1, 1))
        return max(len(self.sums.elements) // (kernel[0] * kernel[1]), 1)

    @cached_property
    def inside(self) -> np.ndarray:
        """Whether elements of the sums lie in the image, not in its padding: a bool array."""
        x = self.case.inputs[0]
        if isinstance(x, np.ndarray):
            return np.ones(self.sums.elements.shape, bool)
        zero = operands_of(self.case).get("x_zero", 0)
        data = np.full_like(x.data, zero - 1 if zero > 0 else zero + 1)
        flat = replace(self.case, inputs=(replace(x, data=data), *self.case.inputs[1:]))
        return sums_of(flat, self.places).elements != 0

    def of_channels(self, channels: np.ndarray) -> Sums:
        """Sums at the same places in other ``channels``."""
        index = list(np.unravel_index(self.places, self._shape))
        index[self._axis] = channels
        return sums_of(self.case, np.ravel_multi_index(index, self._shape))

    @property
    def count(self) -> int:
        """Channels."""
        return self._shape[self._axis]

    def under(self, alteration: Callable[[_Compared], Sums]) -> np.ndarray:
        """Outputs under the alteration, a function from _Compared to Sums: int64."""
        sums = alteration(self)
        return compute(sums.narrowing, sums)


def find_alteration(cases: Sequence[Case], expected: Sequence[np.ndarray],
                    results: Sequence[np.ndarray], wrong: Sequence[int], parts: Parts) -> str:
    """Name the sum alteration behind all results, as a sentence; "" if there is none.

    Parameters
    ----------
    cases, expected, results : lists of equal length
    wrong : numbers of the cases with differences
    parts : Parts, to which alterations with all wrong results are added
    """
    total = sum(int(np.count_nonzero(expected[number] != results[number])) for number in wrong)
    if total < _LEAST or not all(has_sums(cases[number]) for number in wrong):
        return ""
    if cases[wrong[0]].offset:
        return ""
    held = {}
    kept = KeptSums(cases, [np.flatnonzero(want != got)
                            for want, got in zip(expected, results, strict=True)])

    def compared(number):
        if number not in held:
            held[number] = _Compared(cases[number], expected[number], results[number],
                                     partial(kept.at, number))
        return held[number]

    # short sums first, as they reject most alterations at once
    order = sorted(wrong, key=lambda number: cases[number].inputs[0].size if isinstance(
        cases[number].inputs[0], np.ndarray) else cases[number].inputs[0].data.size)
    rest  = [number for number, case in enumerate(cases) if number not in set(wrong)
             and has_sums(case)]
    for words, alteration in alterations(cases[wrong[0]].operation):
        is_whole = True
        for number in order:
            outputs = compared(number)
            is_same = outputs.under(alteration) == outputs.results
            if not is_same[outputs.wrong].all():
                break
            is_whole = is_whole and bool(is_same.all())
        else:
            if is_whole and all(np.array_equal(compared(number).under(alteration),
                                               compared(number).results) for number in rest):
                return words
            parts.add(words, partial(_altered, alteration, compared, (*order, *rest)))
    return ""


def _altered(alteration, compared, numbers):
    """An Altered for each case in ``numbers``."""
    for number in numbers:
        outputs = compared(number)
        changed = outputs.under(alteration) != outputs.expected
        sums    = outputs.sums
        yield Altered(number, outputs.places[changed], outputs.wrong[changed], outputs.weight,
                      (sums.total + sums.bias)[changed], sums.shift[changed])
