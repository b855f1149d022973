"""Depthwise kernels that read each column of the image once (``Op.SLIDE``).

Each way of a lane has a column of the kernel: way ``w`` that of ``w`` columns before the newest.
"""

import numpy as np

from hdl.isa import BANKS, CELL_BITS, SLIDE_ROWS, Access, Axis, Op, Shape
from host.lower.groups import strides
from host.memory.layout import TensorLayout
from host.memory.packing import pack_vectors

from .windows import count_taps

__all__ = ["can_slide", "pack_slide", "slide_cost", "slide_fields"]


def can_slide(linear, source):
    """Whether a depthwise Linear on an input that lies at ``source`` takes fewer cycles so."""
    rows, columns = linear.weights.shape[1:3]
    if (not linear.lanes or linear.side > 1 or type(source) is not TensorLayout
            or not 2 <= columns <= source.ways or rows > SLIDE_ROWS):
        return False
    if any((across.stride, across.pitch, across.tap, across.tap_step, across.taps)
           != (1, 1, 0, 1, columns) or _columns(across, source)[1] > _held(across, source)
           for across in linear.cols):
        return False
    return slide_cost(linear, source) < _plain_cost(linear)


def _columns(across, source):
    """The first column that the first output reads, and how many it reads."""
    first = max(across.at, 0)
    return first, across.taps + across.at - first


def _held(across, source):
    """Columns of the image from the first that is read on."""
    return source.dims[-1] - max(across.at, 0)


def slide_cost(linear, source):
    """Cycles of the outputs of one index of the output loop outside."""
    cycles = 0
    for down in linear.rows:
        taps = count_taps(down)
        for across in linear.cols:
            first  = np.maximum(BANKS, taps * _columns(across, source)[1])
            cycles += int((first + (across.count - 1) * np.maximum(BANKS, taps)).sum())
    return cycles


def _plain_cost(linear):
    return sum(int(np.maximum(BANKS, np.outer(count_taps(down), count_taps(across))).sum())
               for down in linear.rows for across in linear.cols)


def pack_slide(linear, source):
    """Cells of the weights: a word for every row of the kernel, the last column in way 0."""
    count, rows, columns = linear.weights.shape[:3]
    ways    = linear.weights[:, :, ::-1, 0]
    ways    = np.pad(ways, ((0, 0), (0, 0), (0, source.ways - columns)))
    spread  = source.spread(ways.reshape(count, -1).T).T
    return pack_vectors(spread.reshape(len(spread), rows, source.ways), source.ways)


def slide_fields(linear, ranges, source, fields, values):
    """``fields`` of the loops of a depthwise kernel, made those of a slide."""
    down, across   = ranges
    first, columns = _columns(across, source)
    pitch, row     = source.pitch, source.dims[-1] * source.pitch
    outer, rows    = fields["outer"], linear.weights.shape[1]
    taps  = (down.taps, columns, 1)
    base  = values.weights_row * (CELL_BITS // (8 * linear.weights.itemsize))
    y     = strides(outer, rows, 0, 0), strides(taps, down.tap_step, 0, 0)
    return fields | {
        "op": Op.SLIDE, "taps": taps, "y_shape": Shape.VECTOR,
        "cols": Axis(step=1, size=_held(across, source)),
        "x": source.access(strides(outer, BANKS, down.stride * row, pitch),
                           strides(taps, down.pitch * row, pitch, 0),
                           down.at * row + first * pitch),
        "y": Access(base=base + down.tap, low=base, high=base + outer[0] * rows - 1,
                    outer=y[0], taps=y[1])}
