# SPDX-License-Identifier: Apache-2.0
"""Depthwise kernels that read each image element once (``Op.SLIDE``).

A slide runs along the image columns. It runs along the rows if the lanes hold packed pixels from a
row, or if the kernel has a single column. Each way of a lane holds a kernel line perpendicular to
the slide: way ``w`` holds the line ``w`` lines before the newest.

A single-line kernel, as along time, has more taps along the slide than there are ways. It is
*folded*: its tap rows are parts of the line, each a few elements after the previous part. Where two
parts share a tap, its weight is 0 in one of them.
"""

from dataclasses import dataclass, replace

import numpy as np

from xymac.hdl.isa import BANKS, CELL_BITS, SLIDE_ROWS, Access, Axis, Op, Shape
from xymac.host.ir.windows import WindowRange, count_taps
from xymac.host.lower.groups import strides
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import pack_vectors

__all__ = ["can_slide", "pack_slide", "slide_cost", "slide_fields"]


@dataclass(frozen=True)
class _Slide:
    """Slide direction and kernel taps.

    Parameters
    ----------
    down : bool, the slide runs along the rows
    rows, lines : int, tap rows, and kernel lines in each
    step : int, elements along the slide between tap rows of a folded kernel, else 0
    """

    down:  bool
    rows:  int
    lines: int
    step:  int = 0

    @classmethod
    def of(cls, linear, ways):
        """The _Slide for a depthwise Linear in lanes with ``ways`` ways, or None."""
        kernel = linear.weights.shape[1:3]
        down   = linear.side > 1 or kernel[1] == 1
        still, lines = kernel[::-1] if down else kernel
        if lines > ways and still == 1:
            return next((cls(down, rows, part, step) for rows in range(2, SLIDE_ROWS + 1)
                         for part in range(ways, 1, -1) for step in range(1, part + 1)
                         if part + (rows - 1) * step == lines), None)
        return cls(down, still, lines) if 2 <= lines <= ways and still <= SLIDE_ROWS else None

    def axes(self, rows, cols):
        """(``rows``, ``cols``) ordered as the axis across the slide, then the axis along it."""
        return (cols, rows) if self.down else (rows, cols)

    def fold(self, weights):
        """Weights [channels, tap rows, lines] from a kernel [channels, rows, columns]."""
        weights = weights.transpose(0, 2, 1) if self.down else weights
        if not self.step:
            return weights
        parts = np.stack([weights[:, 0, row * self.step:][:, :self.lines]
                          for row in range(self.rows)], axis=1)
        parts[:, 1:, :self.lines - self.step] = 0
        return parts

    def takes(self, still, along, held):
        """Whether the slide can compute two WindowRanges' outputs on ``held`` image lines."""
        taps = self.lines + (self.rows - 1) * self.step
        if (along.stride, along.pitch, along.tap, along.tap_step, along.taps) != (1, 1, 0, 1, taps):
            return False
        if self.step:
            return (along.at >= 0 and along.at + along.count + taps - 1 <= held
                    and still.axis == WindowRange().axis)
        return _lines(along)[1] <= held - max(along.at, 0)

    def cost(self, still, along):
        """Cycles for two WindowRanges' outputs."""
        taps  = np.full(still.count, self.rows) if self.step else count_taps(still)
        lines = self.lines if self.step else _lines(along)[1]
        first = np.maximum(BANKS, taps * lines)
        return int((first + (along.count - 1) * np.maximum(BANKS, taps)).sum())


def can_slide(linear, source):
    """Whether a depthwise Linear with input layout ``source`` saves cycles as a slide."""
    if not linear.lanes or not linear.slides or type(source) is not TensorLayout:
        return False
    slide = _Slide.of(linear, source.ways)
    if slide is None:
        return False
    stills, alongs = slide.axes(linear.rows, linear.cols)
    held = slide.axes(*source.dims[-2:])[1]
    return (all(slide.takes(still, along, held) for still in stills for along in alongs)
            and slide_cost(linear, source.ways) < _plain_cost(linear))


def _lines(along):
    """For an unfolded kernel, the first line that the first output reads, and the line count."""
    first = max(along.at, 0)
    return first, along.taps + along.at - first


def slide_cost(linear, ways):
    """Cycles for the outputs at a single index of the outer output loop."""
    slide = _Slide.of(linear, ways)
    stills, alongs = slide.axes(linear.rows, linear.cols)
    return sum(slide.cost(still, along) for still in stills for along in alongs)


def _plain_cost(linear):
    return sum(int(np.maximum(BANKS, np.outer(count_taps(down), count_taps(across))).sum())
               for down in linear.rows for across in linear.cols)


def pack_slide(linear, source):
    """Weight memory words: a word for every tap row, the last line in way 0."""
    slide   = _Slide.of(linear, source.ways)
    weights = slide.fold(linear.weights[..., 0])
    count, rows, lines = weights.shape
    ways    = np.pad(weights[..., ::-1], ((0, 0), (0, 0), (0, source.ways - lines)))
    spread  = source.spread(ways.reshape(count, -1).T).T
    spread  = np.tile(spread, (linear.side, 1))
    return pack_vectors(spread.reshape(len(spread), rows, source.ways), source.ways)


def slide_fields(linear, ranges, source, fields, values):
    """``fields`` with the loops for a depthwise kernel replaced by slide loops."""
    slide = _Slide.of(linear, source.ways)
    still, along = slide.axes(*ranges)
    pitches      = slide.axes(source.dims[-1] * source.pitch, source.pitch)
    held         = slide.axes(*source.dims[-2:])[1]
    first, lines = (along.at, slide.lines) if slide.step else _lines(along)
    taps, apart  = still.taps, still.pitch * pitches[0]
    if slide.step:
        taps, apart = slide.rows, slide.step * pitches[1]
    outer = fields["outer"][0], still.count, along.count
    taps  = taps, lines, 1
    base  = values.weights_row * (CELL_BITS // (8 * linear.weights.itemsize))
    y     = strides(outer, slide.rows, 0, 0), strides(taps, still.tap_step, 0, 0)
    z     = fields["z"].outer
    return fields | {
        "op": Op.SLIDE, "outer": outer, "taps": taps, "y_shape": Shape.VECTOR,
        "rows": still.axis, "cols": Axis(step=1, size=held - first),
        "x": source.access(strides(outer, BANKS, still.stride * pitches[0], pitches[1]),
                           strides(taps, apart, pitches[1], 0),
                           still.at * pitches[0] + first * pitches[1]),
        "y": Access(base=base + still.tap, low=base, high=base + outer[0] * slide.rows - 1,
                    outer=y[0], taps=y[1]),
        "z": replace(fields["z"], outer=(z[0], *slide.axes(*z[1:])))}
