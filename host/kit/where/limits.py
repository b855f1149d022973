# SPDX-License-Identifier: Apache-2.0
"""Mistakes with output limits: exchanged, left out, or mixed up with the zero point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["changed_limits"]

_FAR = 1 << 40  #: A limit that no output reaches.


def _within(values, ends):
    return np.clip(values, *ends)


def _kept(limit, moved, ends):
    """Limits moved away from zero; the ends of the range stay."""
    return np.where((limit == ends[0]) | (limit == ends[1]), limit, _within(moved, ends))


def changed_limits() -> Iterator[tuple[str, Callable]]:
    """Pairs (words, function from lower limit, upper limit, zero point and the type's ends to a
    device's limits).

    If a device's limits cross, the lower limit wins, or for the second pair with the same words the
    upper limit.
    """
    for words, change in _LIMITS:
        yield words, change
        yield words, _with_upper_last(change)


def _with_upper_last(change):
    def other(low, high, zero, ends):
        low, high = change(low, high, zero, ends)
        return np.minimum(low, high), high
    return other


_LIMITS: tuple[tuple[str, Callable], ...] = (
    ("the lower limit of the output is left out",
     lambda low, high, zero, ends: (low - _FAR, high)),
    ("the upper limit of the output is left out",
     lambda low, high, zero, ends: (low, high + _FAR)),
    ("the lower limit of the output is 1 higher",
     lambda low, high, zero, ends: (_within(low + 1, ends), high)),
    ("the upper limit of the output is 1 lower",
     lambda low, high, zero, ends: (low, _within(high - 1, ends))),
    ("the limits of the output are exchanged, so that every output is the upper limit",
     lambda low, high, zero, ends: (high, high)),
    ("the limits of the output are exchanged, so that every output is the lower limit",
     lambda low, high, zero, ends: (low, low)),
    ("the upper limit of the output counts as its lower limit",
     lambda low, high, zero, ends: (high, high + _FAR)),
    ("the lower limit of the output counts as its upper limit",
     lambda low, high, zero, ends: (low - _FAR, low)),
    ("the limits of the output hold before the zero point is added",
     lambda low, high, zero, ends: (_within(low + zero, ends), _within(high + zero, ends))),
    ("the lower limit of the output holds before the zero point is added",
     lambda low, high, zero, ends: (_within(low + zero, ends), high)),
    ("the upper limit of the output holds before the zero point is added",
     lambda low, high, zero, ends: (low, _within(high + zero, ends))),
    ("the limits of the output hold less its zero point",
     lambda low, high, zero, ends: (_kept(low, low - zero, ends), _kept(high, high - zero, ends))),
    ("the lower limit of the output is 0",
     lambda low, high, zero, ends: (np.maximum(low, 0), high)),
    ("the lower limit of the output is its zero point",
     lambda low, high, zero, ends: (zero, high)),
    ("outputs below the zero point are the zero point",
     lambda low, high, zero, ends: (np.maximum(low, zero), high)),
    ("the lower limit of the output is minus its upper limit",
     lambda low, high, zero, ends: (_within(-high, ends), high)),
    ("the lower limit of the output is minus its upper limit if that is below 0",
     lambda low, high, zero, ends: (np.where(high >= 0, -high, low), high)),
    ("the upper limit of the output is minus its lower limit",
     lambda low, high, zero, ends: (low, _within(-low, ends))),
    ("the upper limit of the output is minus its lower limit if that is above 0",
     lambda low, high, zero, ends: (low, np.where(low < 0, _within(-low, ends), high))),
    ("the limits of the output count as unsigned",
     lambda low, high, zero, ends: (_within(low & ends[1] - ends[0], ends),
                                    _within(high & ends[1] - ends[0], ends))))
