# SPDX-License-Identifier: Apache-2.0
"""Means whose sums wrap at 32 bits, as passes: held in the lanes, then written.

A lane for each column reads its vector element; the other banks run along. Lanes keep 40 bits: a
sum held 8 bits further left has wrapped.
"""

import numpy as np

from xymac.hdl.isa import (
    ACC_BITS,
    BANKS,
    HELD,
    Access,
    AccumulatorRange,
    Axis,
    Pass,
    RoundMode,
    Shape,
    Width,
    bias_rows,
)
from xymac.host.lower.groups import strides
from xymac.host.memory.packing import width_of

__all__ = ["own_words", "wrap_passes"]

_LEFT = ACC_BITS - 32


def own_words(factors, ways):
    """Memory words with a 16-bit word per factor, a Y row each.

    With this row each lane selects its column's element.
    """
    column = np.arange(BANKS * ways) % ways
    return np.concatenate([np.where(np.arange(ways)[:, None] == column, factor, 0).ravel()
                           for factor in factors]).astype(np.int16).view(np.uint16)


def wrap_passes(form, source, target, region, words, zero, bias_row):
    """Passes over the output windows in ``region``, two for each output and ``HELD``
    vectors.

    Parameters
    ----------
    words : row at which the region's ``own_words`` begin
    zero : Access to a 16-bit all-zeros word by lanes
    bias_row : record row of every vector, or None
    """
    apart = [target.step(axis) for axis in target.outer_axes]
    low   = target.base - target.base % BANKS
    whole = Access(low, low, low + BANKS - 1)  # nominal output window of a hold pass
    for row in range(*region.rows):
        for col in range(*region.cols):
            mean  = (col - region.cols[0]) * (len(region.means) > 1)
            start = [at * form.stride[axis] - form.pad[2 * axis]
                     for axis, at in enumerate((row, col))]
            place = row * apart[0] + col * apart[1]
            for first in range(0, source.pitch, HELD):
                count = min(HELD, source.pitch - first)
                held  = _hold(form, source, start, first, count, words + mean, region.means[0],
                              bias_row)
                yield Pass(**held, z=whole)
                yield _take(source, target, count, place + first, zero, region.means[0])


def _hold(form, source, start, first, count, word, mean, bias_row):
    """Fields for the pass holding the sums over ``count`` vectors from ``first`` on."""
    steps = [source.step(axis) for axis in source.outer_axes]
    outer, taps = (count, 1, 1), (*form.kernel, 1)
    rows, cols  = (Axis(pad=max(0, -at), size=size - max(0, at))
                   for at, size in zip(start, source.dims, strict=True))
    if bias_row is not None:
        bias_row += first * len(mean.records) * bias_rows(source.ways)
    return {"outer": outer, "taps": taps, "rows": rows, "cols": cols, "bias_row": bias_row,
            "x": source.access(strides(outer, 1, 0, 0), strides(taps, *steps, 0),
                               start[0] * steps[0] + start[1] * steps[1] + first),
            "y": Access(word, word, word), "x_width": width_of(source.bits),
            "y_width": Width.BITS16, "hold": True, "shift": -_LEFT, "rounding": RoundMode.FLOOR,
            "acc_range": AccumulatorRange.BITS40}


def _take(source, target, count, place, zero, mean):
    """The pass writing outputs from the held sums."""
    fields = {**mean.output, "shift": min(mean.output["shift"], 32) + _LEFT,
              "acc_range": AccumulatorRange.BITS40}
    outer  = (count, 1, 1)
    return Pass(outer=outer, x=source.access(), y=zero, x_width=width_of(source.bits),
                y_shape=Shape.LANES, y_width=Width.BITS16, resume=True, beats=1,
                z=target.access(strides(outer, 1, 0, 0), offset=place),
                z_width=width_of(target.bits), **fields)
