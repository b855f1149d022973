# SPDX-License-Identifier: Apache-2.0
"""A bilinear interpolation axis: two neighbours and their weights, as loops."""

from dataclasses import dataclass
from itertools import pairwise
from math import gcd

__all__ = ["AxisTaps", "TapRun", "axis_taps"]


@dataclass(frozen=True)
class TapRun:
    """``count`` outputs from index ``z`` on, ``z_step`` apart, with the same weights.

    The first tap for each output is source index ``x``, ``x_step`` apart.
    """

    x:       int
    z:       int
    x_step:  int
    z_step:  int
    count:   int
    weights: tuple


@dataclass(frozen=True)
class AxisTaps:
    """All outputs along an axis.

    Parameters
    ----------
    runs : tuple of TapRun
    taps : int, 1 or 2, neighbours per output
    unit : int, the sum over an output's two weights
    """

    runs: tuple
    taps: int
    unit: int


def axis_taps(places, size, unit):
    """The AxisTaps for ``Interpolation`` entries with ``size`` source indices and weights up to
    ``unit``.

    Weights are divided by their greatest common divisor.
    """
    pairs = [_pair(*place, size, unit) for place in places]
    taps  = 2 if any(second for _, _, second in pairs) else 1
    if taps == 1:
        return AxisTaps(tuple(_runs([(first, (1,)) for first, _, _ in pairs])), 1, 1)
    common = gcd(*(weight for _, *weights in pairs for weight in weights))
    return AxisTaps(tuple(_runs([(first, (low // common, high // common))
                                 for first, low, high in pairs])), 2, unit // common)


def _pair(first, second, weight, size, unit):
    """First tap and weights for both taps; the second tap is the next index, also at the end."""
    if second == first:
        weight = 0
    if first == size - 1 and first > 0:
        return first - 1, 0, unit
    return first, unit - weight, weight


def _runs(outputs):
    """Output runs (first tap, weights), each as long as its steps stay the same."""
    for weights in dict.fromkeys(weights for _, weights in outputs):
        points = [(place, first) for place, (first, each) in enumerate(outputs) if each == weights]
        while points:
            steps = [(z - last_z, x - last_x) for (last_z, last_x), (z, x) in pairwise(points)]
            count = 1 + next((number for number, step in enumerate(steps) if step != steps[0]),
                             len(steps))
            (z, x), (z_step, x_step) = points[0], steps[0] if steps else (0, 0)
            yield TapRun(x, z, x_step, z_step, count, weights)
            points = points[count:]
