# SPDX-License-Identifier: Apache-2.0
"""Pixel packing: neighbouring pixels share the lanes where a single pixel leaves most lanes idle.

All convolution lanes have the same operands. A further pixel's lanes have the same weights at other
columns, in a window widened by the stride. Each lane of a depthwise kernel has its own operand: the
next pixel's lanes follow, where the window stride is 1.
"""

from dataclasses import replace
from math import inf

import numpy as np

from xymac.hdl.isa import BANKS, CELL_BITS
from xymac.host.ir.windows import count_taps, window_ranges
from xymac.host.memory.packing import pad_end

from .blocks import blocks_of
from .pixel_blocks import take_columns
from .slide import can_slide, slide_cost

__all__ = ["group_cost", "linear_cost", "put_side_by_side", "widen", "window_cost"]

_PASS    = 40  #: Cycles of a further pass: loading records, address latency.
_RECORDS = 8   #: Cycles of the records of a further outer output loop index.


def put_side_by_side(linear, source, *, word_cycles=0):
    """``linear`` with the pixel packing that needs the fewest cycles.

    Parameters
    ----------
    linear : Linear
    source : input TensorLayout
    word_cycles : float, cycles for a further weight word; with inf no output tile belongs to two
        pixels
    """
    if linear.window is None or linear.groups > 1 or linear.window[1].dilation > 1:
        return linear
    pitch  = source.pitch if linear.lanes else -(-len(linear.weights) // source.ways)
    most   = min(BANKS // pitch, linear.window[1].outputs) if pitch <= BANKS else 1
    choose = _widen_lanes if linear.lanes else widen
    ways   = [linear, *(choose(linear, count, source.ways) for count in range(2, most + 1))]
    cost   = group_cost if linear.lanes else linear_cost
    blocks = []
    if not linear.lanes and pitch % BANKS and word_cycles < inf:
        blocks = [_widen_blocks(linear, count, source.ways)
                  for count in range(most + 1, min(BANKS, linear.window[1].outputs) + 1)]
    best = min(ways if word_cycles else [*ways, *blocks], key=lambda way: cost(way, source))
    if not word_cycles or not blocks:
        return best
    return min([best, *blocks], key=lambda way: (
        linear.batch * linear_cost(way, source) + word_cycles * _count_words(way, source)))


def _count_words(linear, source):
    """Memory words with all weights, for the input layout ``source``."""
    vectors = sum(block.count * block.columns(linear) * block.width
                  for block in blocks_of(linear, source)) * linear.weights.shape[1]
    return vectors * BANKS * source.ways**2 * 8 * linear.weights.itemsize // CELL_BITS


def linear_cost(linear, source):
    """Cycles for all outputs of an image with the layout ``source``; not for a depthwise kernel."""
    cycles = 0
    for block in blocks_of(linear, source):
        taken = [take_columns(linear, block, across, source.ways) for across in linear.cols]
        cols  = tuple(across for _, across in filter(None, taken))
        cycles += window_cost(replace(linear, cols=cols), block.width, block.count)
    return cycles


def group_cost(linear, source):
    """Cycles for an input of layout ``source``: ``slide_cost`` if the kernel slides, else
    ``window_cost``.
    """
    if can_slide(linear, source):
        return slide_cost(linear, source.ways) + _PASS * len(linear.rows) * len(linear.cols)
    return window_cost(linear, 1 if linear.lanes else source.pitch)


def window_cost(linear, width, count=1):
    """Cycles for all outputs at ``count`` outer output loop indices, with ``width`` steps per tap.
    """
    cycles = 0
    for down in linear.rows:
        for across in linear.cols:
            taps    = np.outer(count_taps(down), count_taps(across)) * width
            cycles += count * int(np.maximum(taps, BANKS).sum()) + _PASS + (count - 1) * _RECORDS
    return cycles


def widen(linear, count, ways):
    """An undilated convolution with ``count`` packed pixels; its window spans the columns of all
    pixels.
    """
    window = linear.window[1]
    outputs, rows, cols, inputs = linear.weights.shape
    more    = -outputs % ways
    weights = np.zeros((count, outputs + more, rows, cols + (count - 1) * window.stride, inputs),
                       linear.weights.dtype)
    for at in range(count):
        weights[at, :outputs, :, at * window.stride:at * window.stride + cols] = linear.weights
    records = tuple([np.tile(pad_end(record, 0, more), count) for record in linear.records])
    return replace(linear, weights=weights.reshape(-1, *weights.shape[2:]), records=records,
                   side=count,
                   cols=_ranges(window, count, count * window.stride))


def _widen_blocks(linear, count, ways):
    """``widen`` for more outputs than a tile has: each block reads its pixels' columns."""
    return replace(widen(linear, count, ways), side_stride=linear.window[1].stride)


def _widen_lanes(linear, count, ways):
    """A depthwise convolution of ``count`` pixels per step, where all their windows are
    inside."""
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
    """WindowRanges for outputs ``first`` to ``end``, without pixel packing."""
    if first >= end:
        return ()
    return [replace(own, first=own.first + first) for own in window_ranges(
        window.size, end - first, window.kernel, window.stride, 1,
        window.start + first * window.stride)]


def _ranges(window, count, stride):
    """WindowRanges for ``count`` packed outputs, and for the remaining outputs."""
    full, rest = divmod(window.outputs, count)
    ranges = []
    for first, number, width in ((0, full, count), (full * count, 1, rest)):
        if number and width:
            [own] = window_ranges(window.size, number, window.kernel + (width - 1) * window.stride,
                                  stride, 1, window.start + first * window.stride)
            ranges.append(replace(own, first=first, step=count, width=width))
    return tuple(ranges)
