# SPDX-License-Identifier: Apache-2.0
"""Softmax with exponentials of a few bits, and an integer division by their sum."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from .curves import exact_curve, nearest, real_of, step_of, summed_axes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from xymac.host.kit.case import Case

__all__ = ["find_short_exponentials", "short_exponentials"]

_BITS = (8, 7, 16, 15, 10, 12, 6, 5, 4, 9, 11, 14)  #: Tried widths of an exponential.
_ONES = tuple(one for bits in _BITS for one in ((1 << bits) - 1, 1 << bits))
_ROUNDINGS = {"rounded": 0.5, "cut": 0.0}
_EXPONENTIALS = "the exponentials are {} to integers of {} bits, with {:,} for 1"
_FAR  = 2.5  #: Output steps from the exact softmax that no rounding and no division explain,
_NEAR = 1.5  #: and output steps of a rounding and of a division's error.


def short_exponentials() -> Iterator[tuple[str, Callable[..., np.ndarray]]]:
    """Pairs (words, function from a Case and its expected output to a device's output) for a
    softmax.
    """
    for one, (first, half), (last, other) in product(
            _ONES, _ROUNDINGS.items(), _ROUNDINGS.items()):
        words = _EXPONENTIALS.format(first, one.bit_length(), one)
        yield (f"{words}, and the quotients are {last}", partial(
            _divided, one, half, other))


def find_short_exponentials(cases: Sequence[Case], results: Sequence[np.ndarray]) -> str:
    """Words on exponentials of a few bits behind all results, but for errors of up to a step; ""
    without, and for results near the exact softmax.
    """
    if any(case.operation != "softmax" for case in cases) or all(
            _is_near(exact_curve(case), got, _FAR)
            for case, got in zip(cases, results, strict=True)):
        return ""
    for one, (first, half) in product(_ONES, _ROUNDINGS.items()):
        if all(_is_near(_quotients(one, half, case), got, _NEAR)
               for case, got in zip(cases, results, strict=True)):
            return (f"{_EXPONENTIALS.format(first, one.bit_length(), one)}, and the quotients have "
                    f"errors of up to a step")
    return ""


def _is_near(value, got, most):
    ends = np.iinfo(got.dtype)
    return bool((np.abs(np.clip(value, ends.min, ends.max) - got) <= most).all())


def _quotients(one, half, case):
    """A softmax in output steps, zero point included, of exponentials as integers: float64.

    ``one`` is the integer for 1, ``half`` the number added before the fraction is cut.
    """
    x      = real_of(case.inputs[0]) * getattr(case.layer, "beta", 1.0)
    axes   = summed_axes(case, x.ndim)
    powers = np.floor(np.exp(x - x.max(axis=axes, keepdims=True)) * one + half)
    step, zero = step_of(case)
    return powers / powers.sum(axis=axes, keepdims=True) / step + zero


def _divided(one, half, other, case, want):
    """``_quotients``, rounded to the nearest with ``other`` 0.5, cut with 0."""
    return nearest(_quotients(one, half, case) + other - 0.5, want.dtype)
