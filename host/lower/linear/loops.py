# SPDX-License-Identifier: Apache-2.0
"""Pass loops for a ``Linear``: over inputs shared by all outputs, or with a channel per lane."""

from dataclasses import replace
from math import prod

from xymac.hdl.isa import BANKS, CELL_BITS, Access, Move, Op, Pass, Shape, record_rows
from xymac.host.ir.windows import WindowRange
from xymac.host.lower.groups import strides

from .blocks import blocks_of
from .pixel_blocks import take_columns
from .slide import can_slide, slide_fields

__all__ = ["is_whole", "loops_of_lanes", "passes_of_blocks", "repeat_batch"]


def is_whole(ranges, source, target):
    """Whether pixels are contiguous, and each output pixel depends only on its own input pixel."""
    return source.dims == target.dims and ranges == tuple(
        WindowRange(count=size) for size in target.dims[-2:])


def passes_of_blocks(linear, ranges, source, target, values, common):
    """A pass for every ``Block``; their words and records are consecutive."""
    blocks = blocks_of(linear, source)
    words  = [block.count * linear.weights.shape[1] * block.columns(linear) * block.width
              for block in blocks]
    row    = values.y_row
    for index, block in enumerate(blocks):
        taken = take_columns(linear, block, ranges[1], source.ways)
        if taken is None:
            return
        own, across = taken
        pass_ = Pass(**common, bias_row=row, once=linear.once, **_loops_of_vectors(
            linear, own, (ranges[0], across), source, target,
            (values, sum(words[:index]), sum(words))))
        yield pass_
        row += record_rows(pass_, source.ways)


def _loops_of_vectors(linear, block, ranges, source, target, words):
    """Loops for a convolution: an input vector per step, for a full output tile.

    ``words`` are Constants, the first ``block`` word (index), and the total word count.
    """
    kernel = linear.weights.shape[1], block.columns(linear)
    (values, first, count), (down, across) = words, ranges
    if linear.order is None:  # each output has all row elements as inputs
        in_cols, cols, pitch, spacing = 1, 1, source.groups // across.count, 1
    else:
        in_cols, cols, pitch = source.dims[-1], target.dims[-1], source.distance
        spacing = source.spacing
    row_pitch, out_pitch = in_cols * pitch, cols * target.distance
    outer  = (block.count, down.count, across.count)
    taps   = (down.taps, across.taps, block.width)
    word   = kernel[0] * kernel[1] * block.width
    units  = CELL_BITS // (8 * linear.weights.itemsize)
    x      = source.access(strides(outer, block.stride, down.stride * row_pitch,
                                   across.stride * pitch),
                           strides(taps, down.pitch * row_pitch, across.pitch * pitch,
                                   spacing),
                           down.at * row_pitch + across.at * pitch + block.at)
    return {
        "outer": outer, "taps": taps, "rows": down.axis, "cols": across.axis,
        "beats": block.beats,
        "x": replace(x, high=x.high | BANKS - 1) if block.crossed else x,
        "op": Op.CROSS if block.crossed else Op.MAC,
        "y": _weights_access(values, units, count, strides(outer, word, 0, 0),
                             strides(taps, down.tap_step * kernel[1] * block.width,
                                     across.tap_step * block.width, 1),
                             first + (down.tap * kernel[1] + across.tap) * block.width),
        "z": target.access(strides(outer, block.step, down.step * out_pitch,
                                   across.step * target.distance),
                           offset=block.first + down.first * out_pitch
                           + across.first * target.distance)}


def loops_of_lanes(linear, ranges, source, target, values):
    """Loops for a depthwise convolution: a tap per step, a channel in every lane."""
    kernel, (down, across) = linear.weights.shape[1:3], ranges
    pitch, row_pitch = source.pitch, source.dims[-1] * source.pitch
    out_pitch = target.dims[-1] * target.distance
    outer = (-(-pitch // BANKS), down.count, across.count)
    taps  = (down.taps, across.taps, 1)
    word  = kernel[0] * kernel[1]
    units = CELL_BITS // (8 * linear.weights.itemsize) * source.ways
    fields = {
        "outer": outer, "taps": taps, "rows": down.axis, "cols": across.axis,
        "x_shape": Shape.LANES, "y_shape": Shape.LANES,
        "x": source.access(strides(outer, BANKS, down.stride * row_pitch, across.stride * pitch),
                           strides(taps, down.pitch * row_pitch, across.pitch * pitch, 0),
                           down.at * row_pitch + across.at * pitch),
        "y": _weights_access(values, units, outer[0] * word, strides(outer, word, 0, 0),
                             strides(taps, down.tap_step * kernel[1], across.tap_step, 0),
                             down.tap * kernel[1] + across.tap),
        "z": target.access(strides(outer, BANKS, down.step * out_pitch,
                                   across.step * target.distance),
                           offset=down.first * out_pitch + across.first * target.distance)}
    return slide_fields(linear, ranges, source, fields, values) if can_slide(
        linear, source) else fields


def repeat_batch(passes, batch, source, target):
    """Passes for a single image as a loop over all images."""
    if batch == 1:
        return passes
    steps = source.groups // batch, target.distance * prod(target.dims) // batch
    moved = [replace(pass_, x=replace(pass_.operands.x, move=Move.FIRST),
                     z=replace(pass_.epilogue.z, move=Move.SECOND)) for pass_ in passes]
    return [*moved[:-1], replace(moved[-1], back=len(moved) - 1, repeat=batch - 1, advance=steps)]


def _weights_access(values, units, count, outer, taps, offset):
    """Access to ``count`` weight words from ``offset`` on; a Y row has ``units`` words."""
    base = values.weights_row * units
    return Access(base=base + offset, low=base, high=base + count - 1, outer=outer, taps=taps)
