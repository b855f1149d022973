# SPDX-License-Identifier: Apache-2.0
"""Neighbouring pixels side by side in the lanes, where the outputs of one leave most of them idle.

All lanes of a convolution have the same operands, so that the lanes of a further pixel have its
weights at other columns of a window that is wider by its stride. Lanes of a depthwise kernel have
an operand each: those of the next pixel follow those of a pixel, where windows are one apart.
"""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS
from xymac.host.ir.windows import count_taps, window_ranges

from .slide import can_slide, slide_cost

__all__ = ["group_cost", "put_side_by_side", "widen", "window_cost"]

_PASS = 40  #: Cycles of a further pass: of its records, and until its addresses come.


def put_side_by_side(linear, source):
    """``linear`` with as many pixels side by side as take the fewest cycles.

    Parameters
    ----------
    linear : Linear
    source : TensorLayout of its input
    """
    if linear.window is None or linear.groups > 1 or linear.window[1].dilation > 1:
        return linear
    pitch  = source.pitch if linear.lanes else -(-len(linear.weights) // source.ways)
    most   = min(BANKS // pitch, linear.window[1].outputs) if pitch <= BANKS else 1
    choose = _widen_lanes if linear.lanes else widen
    ways   = [linear, *(choose(linear, count, source.ways) for count in range(2, most + 1))]
    return min(ways, key=lambda way: group_cost(way, source))


def group_cost(linear, source):
    """Cycles as ``window_cost`` has them of an input that lies at ``source``, or of a slide."""
    if can_slide(linear, source):
        return slide_cost(linear, source.ways) + _PASS * len(linear.rows) * len(linear.cols)
    return window_cost(linear, 1 if linear.lanes else source.pitch)


def window_cost(linear, width):
    """Cycles of the outputs of one index of the output loop outside, with ``width`` steps a tap."""
    cycles = 0
    for down in linear.rows:
        for across in linear.cols:
            taps    = np.outer(count_taps(down), count_taps(across)) * width
            cycles += int(np.maximum(taps, BANKS).sum()) + _PASS
    return cycles


def widen(linear, count, ways):
    """A convolution, not dilated along its columns, of ``count`` pixels: a window has the
    columns of all of them."""
    window = linear.window[1]
    size   = -len(linear.weights) % ways
    taps   = [np.pad(linear.weights, ((0, size), (0, 0), (at * window.stride,
                                                         (count - 1 - at) * window.stride), (0, 0)))
              for at in range(count)]
    records = tuple(np.tile(np.pad(record, (0, size)), count) for record in linear.records)
    return replace(linear, weights=np.concatenate(taps), records=records, side=count,
                   cols=_ranges(window, count, count * window.stride))


def _widen_lanes(linear, count, ways):
    """A depthwise convolution of ``count`` pixels a step, where all their windows are inside."""
    window = linear.window[1]
    if window.stride > 1:
        return linear
    before = min(max(0, -window.start), window.outputs)
    behind = max(window.size - window.kernel - window.start + 1, before)
    cols   = [*_plain(window, 0, before),
              *_plain(window, min(behind, window.outputs), window.outputs)]
    inner  = replace(window, outputs=min(behind, window.outputs) - before,
                     start=window.start + before)
    cols  += [replace(own, first=own.first + before, taps=window.kernel)
              for own in _ranges(inner, count, count)]
    return replace(linear, side=count, cols=tuple(cols))


def _plain(window, first, end):
    """WindowRanges of some outputs, one at a time."""
    if first >= end:
        return ()
    return [replace(own, first=own.first + first) for own in window_ranges(
        window.size, end - first, window.kernel, window.stride, 1,
        window.start + first * window.stride)]


def _ranges(window, count, stride):
    """WindowRanges of ``count`` outputs side by side, and of those left over."""
    full, rest = divmod(window.outputs, count)
    ranges = []
    for first, number, width in ((0, full, count), (full * count, 1, rest)):
        if number and width:
            [own] = window_ranges(window.size, number, window.kernel + (width - 1) * window.stride,
                                  stride, 1, window.start + first * window.stride)
            ranges.append(replace(own, first=first, step=count, width=width))
    return tuple(ranges)
