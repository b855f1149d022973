# SPDX-License-Identifier: Apache-2.0
"""Split-K accumulation: sums with more weights than Y holds, as passes over tap ranges.

Every output has a pass per tap range, and the lanes hold its partial sum in between. As many
outputs as a lane has held accumulators process a tap range in sequence. A scaled pass cannot resume
a held accumulator. Instead, the finished sum is written to X as two words, the low word minus
``LOW_OFFSET``, and the scaled pass adds these words.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import (
    BANKS,
    BIAS_BITS,
    CELL_BITS,
    HELD,
    AccumulatorRange,
    Axis,
    Memory,
    Op,
    Pass,
    RoundMode,
    Scale,
    Shape,
    Width,
    bias_rows,
)
from xymac.host.lower.groups import strides
from xymac.host.lower.words32 import FACTORS32, join_words32
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import LOW_OFFSET, TensorLayout
from xymac.host.memory.packing import from_cells, pack_bias

from .program.windows import row_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .pieces import FreeRows, StreamedConstants

__all__ = ["cut_sums", "sums_layout"]

_ZERO, _LOWER = range(len(FACTORS32), len(FACTORS32) + 2)  #: Further word indices.
#: Fields of a pass that writes held accumulators.
_TAKE = {"resume": True, "x_shape": Shape.LANES, "y_shape": Shape.LANES, "x_width": Width.BITS16,
         "y_width": Width.BITS16, "z_width": Width.BITS16, "rounding": RoundMode.UP,
         "clip": (-(1 << 15), (1 << 15) - 1), "acc_range": AccumulatorRange.BITS40}


def sums_layout(ways: int) -> TensorLayout:
    """TensorLayout, not placed, for all held accumulators' words."""
    lanes = BANKS * ways
    return TensorLayout((HELD, lanes), 32, ways, (0, 1), 1, (lanes,))


def cut_sums(pass_: Pass, spans: tuple[tuple[int, int], ...], source: StreamedConstants,
             rest: FreeRows) -> list[tuple[Pass, tuple[tuple[int, int], ...]]] | None:
    """Cut a pass with a single outermost index into tap ranges.

    Parameters
    ----------
    pass_ : Pass
    spans : rows with its per-channel parameters, empty without a bias
    source : StreamedConstants; it gets the additional constants
    rest : FreeRows, the free space

    Returns a list of (Pass, its parameter row ranges), or None if the pass cannot be cut.
    """
    scaled = pass_.epilogue.scale is not Scale.NONE
    own    = sum(end - start for start, end in spans)
    limits = [(pass_.operands.y.taps, (rest.y[1] - own - 1) * source.units(pass_))]
    if source.inputs(pass_):
        span = pass_.epilogue.beats if pass_.operands.x_shape is Shape.LANES else 1
        limits.append((pass_.operands.x.taps, (rest.x[1] - 1) * row_groups(pass_) - span + 1))
    boxes  = _boxes(pass_.loop.taps, limits)
    places = list(product(*map(range, pass_.loop.outer[1:])))
    if (pass_.accumulate.op not in (Op.MAC, Op.CROSS) or pass_.accumulate.floor or boxes is None
            or (pass_.operands.x_shape is Shape.LANES and pass_.epilogue.beats < BANKS)
            or ((pass_.accumulate.hold or pass_.accumulate.resume) and len(places) > 1)
            or (scaled and not _has_32_bits(pass_, source))):
        return None
    sums  = sums_layout(source.ways).at(rest.sums)
    whole = _Scaled(pass_, spans, source, sums) if scaled else _Plain(pass_, spans, sums)
    return [part for first in range(0, len(places), HELD)
            for part in whole.passes(places[first:first + HELD], boxes)]


def _boxes(taps, limits):
    """List of tap loop ranges, three per part; None if no part is small enough.

    ``limits`` are pairs: tap strides, and a part's maximum address span.
    """
    for axis, size in enumerate(taps):
        counts = [_count_steps(taps, strides, most, axis) for strides, most in limits]
        if min(counts) > 0:
            count = min(size, *counts)
            loops = [[(index, index + 1) for index in range(other)] for other in taps[:axis]]
            loops.append([(first, min(first + count, size)) for first in range(0, size, count)])
            loops += [[(0, other)] for other in taps[axis + 1:]]
            return list(product(*loops))
    return None


def _count_steps(taps, strides, most, axis):
    """Maximum iterations of tap loop ``axis``, inner loops included, within ``most`` addresses; 0
    if none fits.
    """
    inner = sum((count - 1) * abs(stride)
                for count, stride in zip(taps[axis + 1:], strides[axis + 1:], strict=True)) + 1
    if inner > most:
        return 0
    return (most - inner) // abs(strides[axis]) + 1 if strides[axis] else taps[axis]


def _has_32_bits(pass_, source):
    """Whether a pass's sums fit 32 bits for all X elements."""
    bits  = 8 if pass_.operands.y_width is Width.BITS8 else CELL_BITS
    lanes = BANKS * source.ways
    cells = source.cells([source.weights(pass_)]).ravel()
    words = from_cells(cells, bits, lanes * source.ways).reshape(-1, lanes)
    peak  = 128 + abs(pass_.operands.x_zero) if pass_.operands.x_width is Width.BITS8 else 1 << 15
    return int(np.abs(words.astype(np.int64)).sum(0).max()) * peak < 1 << 31


def _at(pass_, place):
    """Reduce a pass to a single output: (Pass, its unclipped tap ranges)."""
    operands = pass_.operands
    ranges = [(0, count) for count in pass_.loop.taps]
    axes = pass_.loop.rows, pass_.loop.cols
    for loop, (index, axis) in enumerate(zip(place, axes, strict=True)):
        first = index * axis.step - axis.pad
        ranges[loop] = max(0, -first), min(pass_.loop.taps[loop], axis.size - first)
    moved = {name: replace(access, base=access.base + sum(
        index * stride for index, stride in zip(place, access.outer[1:], strict=True)))
        for name, access in (("x", operands.x), ("y", operands.y), ("z", pass_.epilogue.z))}
    return replace(pass_, **moved, outer=(1, 1, 1), rows=Axis(), cols=Axis()), ranges


def _take_box(pass_, box):
    """Restrict a single-output pass to some tap ranges."""
    moved = {name: replace(access, base=access.base + sum(
        first * stride for (first, _), stride in zip(box, access.taps, strict=True)))
        for name, access in (("x", pass_.operands.x), ("y", pass_.operands.y))}
    return replace(pass_, **moved, taps=tuple(end - first for first, end in box))


def _partial(pass_, resume, entry, sums):
    """The pass with its unscaled sum held; it names ``sums`` as output and writes nothing."""
    return replace(pass_, hold=True, resume=resume, entry=entry, shift=0, beats=BANKS,
                   acc_range=AccumulatorRange.BITS40, rounding=RoundMode.FLOOR,
                   z=sums.access(), z_memory=Memory.X, z_width=Width.BITS16)


def _common(ranges, box):
    """Intersection of tap ranges and a box, or None if it is empty."""
    common = tuple((max(low, first), min(high, end))
                   for (low, high), (first, end) in zip(ranges, box, strict=True))
    return common if all(first < end for first, end in common) else None


def _parts_of(pass_, places, boxes):
    """Yield (entry, Pass, earlier part count, whether it is the last) for every box and output with
    common taps.
    """
    outputs = [_at(pass_, place) for place in places]
    common  = [[part for box in boxes if (part := _common(ranges, box))] for _, ranges in outputs]
    for box in boxes:
        for entry, ((single, ranges), parts) in enumerate(zip(outputs, common, strict=True)):
            if part := _common(ranges, box):
                index = parts.index(part)
                yield entry, _take_box(single, part), index, index == len(parts) - 1


class _Plain:
    """Unscaled sums in tap ranges."""

    def __init__(self, pass_: Pass, spans: tuple[tuple[int, int], ...], sums: TensorLayout) -> None:
        self._pass, self._spans, self._sums = pass_, spans, sums

    def passes(self, places: Sequence[tuple[int, ...]],
               boxes: Sequence[tuple[tuple[int, int], ...]]) -> Iterator:
        """Yield (Pass, its parameter row ranges) for some outputs."""
        for entry, part, index, last in _parts_of(self._pass, places, boxes):
            entry += self._pass.accumulate.entry
            resume = index > 0 or part.accumulate.resume
            made   = (replace(part, resume=resume, entry=entry) if last
                      else _partial(part, resume, entry, self._sums))
            yield (made, self._spans) if not index else (replace(made, bias_row=None), ())


class _Scaled:
    """Scaled sums in tap ranges."""

    def __init__(self, pass_: Pass, spans: tuple[tuple[int, int], ...], source: StreamedConstants,
                 sums: TensorLayout) -> None:
        ways = source.ways
        self._pass, self._sums = pass_, sums
        words       = lane_words(np.array([*FACTORS32, 0, -LOW_OFFSET], np.int16), ways)
        self._words = replace(words, y_row=source.add(words.cells))
        self._begin = _add(source, pack_bias(np.full(BANKS * ways, -LOW_OFFSET), ways))
        record      = source.cells(spans).ravel()
        parameters, bias = np.split(record, [-bias_rows(ways) * source.row_cells])
        self._last  = _add(source, np.concatenate([parameters, pack_bias(
            _bias_of(bias, ways) + LOW_OFFSET, ways)]))

    def passes(self, places: Sequence[tuple[int, ...]],
               boxes: Sequence[tuple[tuple[int, int], ...]]) -> Iterator:
        """Yield (Pass, its parameter row ranges) for some outputs."""
        plain = replace(self._pass, scale=Scale.NONE, addend=False, once=False)
        for entry, part, index, _ in _parts_of(plain, places, boxes):
            part = _partial(part, index > 0, entry, self._sums)
            yield (part, self._begin) if not index else (replace(part, bias_row=None), ())
        yield from ((pass_, ()) for pass_ in self._write_words(len(places)))
        join = join_words32(self._sums, self._words)
        for entry, place in enumerate(places):
            single, _ = _at(self._pass, place)
            x = self._sums.access(taps=join["x_taps"], offset=entry * BANKS)
            yield replace(single, op=Op.MAC, x=x, y=join["y"], taps=join["taps"], x_zero=0,
                          once=False, x_shape=Shape.LANES, y_shape=Shape.LANES,
                          x_width=Width.BITS16, y_width=Width.BITS16), self._last

    def _write_words(self, count):
        """Yield passes that write ``count`` sums as two words each, minus ``LOW_OFFSET``."""
        outer = (count, 1, 1)
        high, low = (half.access(strides(outer, BANKS, 0, 0)) for half in self._sums.words32)
        zero, lower = (self._words.word(index, CELL_BITS, self._sums.ways)
                       for index in (_ZERO, _LOWER))
        yield Pass(x=low, y=zero, z=high, outer=outer, shift=CELL_BITS, **_TAKE)
        yield Pass(x=high, y=lower, z=low, outer=outer, taps=(1, 2, 1), **_TAKE)


def _add(source, cells):
    """Append words to the StreamedConstants; returns their row ranges."""
    row = source.add(cells)
    return ((row, row + cells.size // source.row_cells),)


def _bias_of(cells, ways):
    """Biases from packed per-channel parameters: int64 [lanes]."""
    lanes  = BANKS * ways
    places = cells.reshape(-1, ways, lanes)[::-1].reshape(-1, lanes)[:BIAS_BITS // CELL_BITS]
    bias   = sum(place.astype(np.int64) << CELL_BITS * index
                 for index, place in enumerate(places))
    return bias - (bias >> BIAS_BITS - 1 << BIAS_BITS)
