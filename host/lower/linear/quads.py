# SPDX-License-Identifier: Apache-2.0
"""Convolutions with few outputs on windows of four neighbouring pixels, a lane bank for each.

A step reads a vector from each pixel (``Op.CROSS``), and a lane bank holds its pixel's outputs: a
pass writes pixels as they follow each other in a row. See ``side``, whose wider windows hold zeros
for every pixel.
"""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS
from xymac.host.ir.windows import WindowRange
from xymac.host.memory.quads import QuadLayout

from .windowed import Written

__all__ = ["quad_forms"]


def quad_forms(linear, packed, x, ways):
    """Host-packed convolution forms with an output vector for each pixel.

    Parameters
    ----------
    linear : Linear
    packed : function that takes two flags, whether ``rows`` and ``cols`` taps are packed in a
        vector, and returns the Linear on such windows and their AxisWindows
    x : Tensor like its input
    ways : int
    """
    for rows in (False, True):
        made, down, across = packed(rows=rows, cols=True)
        yield Written(
            replace(made, weights=_repeat(made.weights, ways), strips=True, side=BANKS, window=None,
                    records=tuple(_repeat(record, ways) for record in made.records),
                    cols=_runs(linear.window[1].outputs)),
            QuadLayout.of_windows(x, linear.order, ways, down, across,
                                  fill=linear.output.get("x_zero", 0)))


def _repeat(values, ways):
    """Values for all outputs, filled up to a vector, for every bank."""
    lacks = [(0, -len(values) % ways)] + [(0, 0)] * (values.ndim - 1)
    return np.tile(np.pad(values, lacks), (BANKS, *[1] * (values.ndim - 1)))


def _runs(outputs):
    """WindowRanges of a row: whole runs, and the fewer pixels of the last run."""
    full, rest = divmod(outputs, BANKS)
    ranges = []
    if full:
        ranges.append(WindowRange(0, BANKS, full, width=BANKS))
    if rest:
        ranges.append(WindowRange(full * BANKS, BANKS, 1, at=full, width=rest))
    return tuple(ranges)
