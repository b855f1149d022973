"""Depthwise kernels that read each element of the image once (``Op.SLIDE``).

A slide goes along the columns of the image. Where pixels of a row lie side by side in the lanes it
goes down the rows instead. Each way of a lane has a line of the kernel across that: way ``w`` that
of ``w`` lines before the newest.
"""

from dataclasses import replace

import numpy as np

from hdl.isa import BANKS, CELL_BITS, SLIDE_ROWS, Access, Axis, Op, Shape
from host.lower.groups import strides
from host.memory.layout import TensorLayout
from host.memory.packing import pack_vectors

from .windows import count_taps

__all__ = ["can_slide", "pack_slide", "slide_cost", "slide_fields"]


def can_slide(linear, source):
    """Whether a depthwise Linear on an input that lies at ``source`` takes fewer cycles so."""
    if not linear.lanes or type(source) is not TensorLayout:
        return False
    still, lines = linear.weights.shape[1:3] if linear.side == 1 else linear.weights.shape[2:0:-1]
    if not 2 <= lines <= source.ways or still > SLIDE_ROWS:
        return False
    if any((along.stride, along.pitch, along.tap, along.tap_step, along.taps)
           != (1, 1, 0, 1, lines) or _lines(along)[1] > _held(linear, along, source)
           for along in _axes(linear)[1]):
        return False
    return slide_cost(linear) < _plain_cost(linear)


def _axes(linear, ranges=None):
    """What is of rows and of columns as what stands still, and what a slide goes along."""
    rows, cols = ranges or (linear.rows, linear.cols)
    return (rows, cols) if linear.side == 1 else (cols, rows)


def _lines(along):
    """The first line that the first output reads, and how many it reads."""
    first = max(along.at, 0)
    return first, along.taps + along.at - first


def _held(linear, along, source):
    """Lines of the image from the first that is read on."""
    return source.dims[-1 if linear.side == 1 else -2] - max(along.at, 0)


def slide_cost(linear):
    """Cycles of the outputs of one index of the output loop outside."""
    cycles = 0
    for still in _axes(linear)[0]:
        taps = count_taps(still)
        for along in _axes(linear)[1]:
            first   = np.maximum(BANKS, taps * _lines(along)[1])
            cycles += int((first + (along.count - 1) * np.maximum(BANKS, taps)).sum())
    return cycles


def _plain_cost(linear):
    return sum(int(np.maximum(BANKS, np.outer(count_taps(down), count_taps(across))).sum())
               for down in linear.rows for across in linear.cols)


def pack_slide(linear, source):
    """Cells of the weights: a word for every tap across the slide, the last line in way 0."""
    weights = linear.weights[..., 0]
    weights = weights if linear.side == 1 else weights.transpose(0, 2, 1)
    count, still, lines = weights.shape
    ways    = np.pad(weights[..., ::-1], ((0, 0), (0, 0), (0, source.ways - lines)))
    spread  = source.spread(ways.reshape(count, -1).T).T
    spread  = np.tile(spread, (linear.side, 1))
    return pack_vectors(spread.reshape(len(spread), still, source.ways), source.ways)


def slide_fields(linear, ranges, source, fields, values):
    """``fields`` of the loops of a depthwise kernel, made those of a slide."""
    still, along = _axes(linear, ranges)
    first, lines = _lines(along)
    pitches = _axes(linear, (source.dims[-1] * source.pitch, source.pitch))
    count   = _axes(linear, linear.weights.shape[1:3])[0]
    outer   = fields["outer"][0], still.count, along.count
    taps    = still.taps, lines, 1
    base    = values.weights_row * (CELL_BITS // (8 * linear.weights.itemsize))
    y       = strides(outer, count, 0, 0), strides(taps, still.tap_step, 0, 0)
    z       = fields["z"].outer
    return fields | {
        "op": Op.SLIDE, "outer": outer, "taps": taps, "y_shape": Shape.VECTOR,
        "rows": still.axis, "cols": Axis(step=1, size=_held(linear, along, source)),
        "x": source.access(strides(outer, BANKS, still.stride * pitches[0], pitches[1]),
                           strides(taps, still.pitch * pitches[0], pitches[1], 0),
                           still.at * pitches[0] + first * pitches[1]),
        "y": Access(base=base + still.tap, low=base, high=base + outer[0] * count - 1,
                    outer=y[0], taps=y[1]),
        "z": replace(fields["z"], outer=(z[0], *_axes(linear, z[1:])))}
