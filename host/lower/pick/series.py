# SPDX-License-Identifier: Apache-2.0
"""Address lists as nested loops with constant strides."""

from dataclasses import dataclass
from math import isqrt

import numpy as np

from xymac.host.lower.move.strides import Dim

__all__ = ["Series", "find_loops", "split_series"]

_PERIODS = 16  #: Interleaved series are tried up to so many.


@dataclass(frozen=True)
class Series:
    """Paired source and target addresses: from ``x`` and ``z`` on, in nested loops ``dims``,
    outermost first.
    """

    x:    int
    z:    int
    dims: tuple


def find_loops(x, z):
    """Two address lists' Dims, outermost first; None if they are not nested loops.

    Parameters
    ----------
    x, z : int64 arrays (n,)
    """
    count = x.size
    if count == 1:
        return []
    for period in _divisors(count):
        if not (_is_even(x, period) and _is_even(z, period)):
            continue
        inner = find_loops(x[:period], z[:period])
        if inner is not None:
            return [Dim(count // period, int(x[period] - x[0]), int(z[period] - z[0])), *inner]
    return None


def _is_even(addresses, period):
    """Whether every address is at the same distance from the address ``period`` before it."""
    steps = addresses[period:] - addresses[:-period]
    return bool((steps == steps[0]).all())


def split_series(x, z):
    """The shortest Series list found that covers two address lists."""
    loops = find_loops(x, z)
    if loops is not None:
        return [Series(int(x[0]), int(z[0]), tuple(loops))]
    choices = [_interleave(x, z, period) for period in range(2, min(_PERIODS, x.size) + 1)]
    return min([_split_runs(x, z), *filter(None, choices)], key=len)


def _divisors(count):
    """Divisors less than ``count``, the smallest first."""
    small = [each for each in range(1, isqrt(count) + 1) if count % each == 0]
    return [each for each in (*small, *(count // each for each in reversed(small)))
            if each < count]


def _interleave(x, z, period):
    """A Series for every ``period``-th address; None if any is not a loop."""
    parts = [(x[first::period], z[first::period]) for first in range(period)]
    if not all(_is_even(each, 1) for part in parts for each in part if each.size > 1):
        return None
    return [_make_line(*part) for part in parts]


def _make_line(x, z):
    """The Series for addresses with constant steps."""
    if x.size == 1:
        return Series(int(x[0]), int(z[0]), ())
    return Series(int(x[0]), int(z[0]), (Dim(x.size, int(x[1] - x[0]), int(z[1] - z[0])),))


def _split_runs(x, z):
    """Series of consecutive addresses and constant steps, each as long as possible."""
    result, first = [], 0
    steps = np.diff(x), np.diff(z)
    while first < x.size:
        end = first + 1
        while end < x.size and all(each[end - 1] == each[first] for each in steps):
            end += 1
        result.append(_make_line(x[first:end], z[first:end]))
        first = end
    return result
