# SPDX-License-Identifier: Apache-2.0
"""Curves that consist of a few straight lines, such as a hard sigmoid."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from .curves import arguments_of, exact_curve, step_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.host.kit.case import Case

__all__ = ["find_lines"]

_FAR    = 1.5    #: Output steps from the exact curve that no rounding explains.
_NEAR   = 0.75   #: Output steps from a line, rounding and small errors,
_JUMP   = 1 / 64  #: and largest distance of two lines where they meet, a share of the range.
_MOST   = 16     #: Largest number of lines,
_FEWER  = 0.8    #: and its largest ratio to that of the exact curve, rounded.
_EACH   = 8      #: Fewest different arguments for each line.
_POINTS = 4000   #: Largest number of arguments for the search.
_TRIES  = 48     #: Halvings of the range of slopes.


def find_lines(cases: Sequence[Case], results: Sequence[np.ndarray]) -> str:
    """Words on the straight lines of which a device's sigmoid or tanh consists; "" if its results
    are no such lines, or are near the exact curve.
    """
    arguments = [held[0] for case in cases if (held := arguments_of(case)) is not None]
    if len(arguments) < len(cases):
        return ""
    far = max((float(np.abs(_exact(case) - got).max(initial=0))
               for case, got in zip(cases, results, strict=True)), default=0.0)
    if far <= _FAR:
        return ""
    points = _points(cases, results, arguments)
    count  = points.shape[1]
    few    = points[:, np.unique(np.linspace(0, count - 1, min(count, _POINTS)).astype(int))]
    lines  = _lines(few)
    if not lines or len(np.unique(few[0])) < _EACH * len(lines) or not _is_other(lines, few):
        return ""
    right = len(_lines(_exact_points(few)))
    if right and len(lines) > _FEWER * right:  # as many lines approximate any smooth curve
        return ""
    bends = _bends(lines, few)
    if bends is None or not _explain(lines, bends, points):
        return ""
    slopes, places = (", ".join(f"{value:.2g}" for value in values)
                      for values in (np.round([slope for slope, *_ in lines], 3) + 0.0, bends))
    return (f"the curve consists of straight lines, with slopes of about {slopes}, and bends at "
            f"about {places}")


def _exact(case):
    """The exact curve in output steps, within the limits of the output."""
    ends = np.iinfo(case.dtype)
    return np.clip(exact_curve(case), ends.min, ends.max)


def _points(cases, results, arguments):
    """Arguments, least and greatest curves' values, exact values and steps: float64 [5, points],
    by rising arguments.
    """
    rows = []
    for case, got, argument in zip(cases, results, arguments, strict=True):
        step, zero = step_of(case)
        value = (got.astype(np.float64) - zero) * step
        rows.append(np.stack([each.reshape(-1) for each in np.broadcast_arrays(
            argument, value - _NEAR * step, value + _NEAR * step,
            (_exact(case) - zero) * step, step)]))
    points = np.concatenate(rows, axis=1)
    return points[:, np.argsort(points[0], kind="stable")]


def _exact_points(points):
    """``points`` of the exact curve, rounded."""
    x, _, _, exact, step = points
    value = np.round(exact / step) * step
    return np.stack([x, value - _NEAR * step, value + _NEAR * step, exact, step])


def _fit(points):
    """(slope, value at argument 0) of a line through all bands of ``points``; None without."""
    x, low, high = points[:3]
    if x[0] == x[-1]:
        return (0.0, (low.max() + high.min()) / 2) if low.max() <= high.min() else None
    reach = (high.max() - low.min()) / (x[-1] - x[0])
    ends  = [-reach, reach]
    for _ in range(_TRIES):
        slope = sum(ends) / 2
        below, above = low - slope * x, high - slope * x
        if below.max() <= above.min():
            return slope, (below.max() + above.min()) / 2
        # the band that is too high and the band that is too low say where to turn
        ends[0 if x[below.argmax()] > x[above.argmin()] else 1] = slope
    return None


def _lines(points):
    """[(slope, value at 0, first point, last point)], the longest lines in turn; [] for too many.
    """
    lines, start, count = [], 0, points.shape[1]
    while start < count:
        if len(lines) == _MOST:
            return []
        least, most = start, count  # a line of one point; one beyond all
        while most - least > 1:
            middle = (least + most) // 2
            if _fit(points[:, start:middle + 1]) is None:
                most = middle
            else:
                least = middle
        found = _fit(points[:, start:least + 1])
        if found is None:  # one argument with different results
            return []
        lines.append((*found, start, least))
        start = least + 1
    return lines


def _is_other(lines, points):
    """Whether most lines that rise are not the exact curve, within its rounding."""
    rising = [(slope, base, points[:, first:last + 1]) for slope, base, first, last in lines
              if abs(slope) * (points[0, last] - points[0, first]) > 2 * points[4, first]]
    other  = [bool((np.abs(slope * part[0] + base - part[3]) > part[4]).any())
              for slope, base, part in rising]
    return sum(other) > len(other) / 2


def _bends(lines, points):
    """Arguments at which two lines meet; None if a pair of lines does not."""
    bends = []
    for (slope, base, _, last), (other, height, first, _) in pairwise(lines):
        before, behind = points[0, last], points[0, first]
        place = before if slope == other else np.clip(
            (height - base) / (slope - other), before, behind)
        if abs(slope * place + base - other * place - height) > _JUMP + 2 * points[4, last]:
            return None
        bends.append(float(place))
    return bends


def _explain(lines, bends, points):
    """Whether all points lie near their lines, or near the one beside it at a jump."""
    number = np.searchsorted(np.array(bends), points[0])
    slack  = points[4] * (1 - _NEAR)
    near   = np.zeros(number.shape, bool)
    for step in (0, -1, 1):
        places = np.clip(number + step, 0, len(lines) - 1)
        slope, base = (np.array([line[part] for line in lines])[places] for part in (0, 1))
        value = slope * points[0] + base
        near |= (value >= points[1] - slack) & (value <= points[2] + slack)
    return bool(near.all())
