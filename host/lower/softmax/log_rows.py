# SPDX-License-Identifier: Apache-2.0
"""Logarithms of softmax outputs as passes: a loop over rows that compares sums with thresholds.

1. The largest row element is subtracted from all elements.
2. Tables indexed by the difference ``d`` hold the two exponential words, and the output for
   the smallest exponential sum. The lanes hold the sum minus the thresholds for ``d = 0``.
3. An element's plane ``k`` is -1 if its difference is at most ``-k``, else 0. Planes times the
   steps between the thresholds for ``k - 1`` and ``k`` add up to the thresholds for ``d`` in all
   lanes, a threshold for each output step. A flag is 1 where the sum has reached its threshold.
   Steps have two words: the planes are -1 and ``-2**12``.
4. The output is its value for the smallest sum, minus all flags.
"""

from dataclasses import replace
from itertools import accumulate
from math import prod

import numpy as np

from xymac.hdl.isa import (
    BANKS,
    ELEMENT_BITS,
    HELD,
    OWN_TABLES,
    Access,
    AccumulatorRange,
    Move,
    Pass,
    Reduce,
    RoundMode,
    Shape,
    Width,
    bias_rows,
)
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.ir.exponential import SUM_BITS, exponentials
from xymac.host.ir.fields import container_clip
from xymac.host.ir.normalise import LogSoftmax
from xymac.host.ir.rescale import divide
from xymac.host.lower.base import Lowering
from xymac.host.lower.orders import refuse_other
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.lower.sweep import elementwise
from xymac.host.memory.constants import Constants
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import pack_lanes, pack_records, pack_vectors, width_of
from xymac.host.memory.tables import OwnTable

from .logarithms import Thresholds

__all__ = ["LogRowsLowering"]

_WORD  = 16
_LOOP  = 64  #: Maximum passes of a loop.
_SPLIT = 12  #: Lower-word bits of a threshold step.
_FINE  = 5   #: Lower-word bits of an exponential.


class LogRowsLowering(Lowering):
    """Softmax output logarithms along the last dimension."""

    forms = (LogSoftmax,)
    needs_tables = True

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        [x] = inputs
        self._count = x.shape[-1]
        argument    = self.form.argument
        thresholds  = Thresholds(argument, self._count)
        units       = divide(exponentials(*argument), SUM_BITS)
        values      = units >> _FINE, units & (1 << _FINE) - 1, thresholds.first[::-1]
        self.tables = tuple(OwnTable((*map(int, each), int(each[-1])), 255) for each in values)
        self._start, self._steps = _steps_of(thresholds, BANKS * ways)
        self._groups = -(-self._count // ways)
        self._blocks = -(-self._groups // BANKS)
        self._held   = len(self._start) // (BANKS * ways)
        if self._held >= HELD:
            raise Refusal(RefusalKind.VALUE, "Outputs of a row must differ by at most "
                          f"{(HELD - 1) * BANKS * ways} steps, not {len(self._start)}")

    def source_layouts(self, preferred):
        """A run for each row."""
        [x] = self.inputs
        return (TensorLayout.of(x, range(len(x.shape)), self.ways),)

    def refuses(self, sources):
        """An input without a run for each row."""
        return refuse_other(*sources, *self.source_layouts(None))

    def target_layout(self, sources):
        """The input layout."""
        [source] = sources
        return with_room(source.like(self.output), [self._scratch()])

    @property
    def fixed(self):
        """The last dimension: tiles keep full rows."""
        return (len(self.output.shape) - 1,)

    def _sizes(self):
        """Scratch sizes in vectors, by part.

        The parts are the reduction output, differences, both exponential words and initial outputs;
        then planes and flags for an element block.
        """
        lanes = BANKS * self.ways
        return [BANKS, *[self._groups] * 4,
                lanes * self._steps.shape[0] // self.ways, lanes * len(self._start) // self.ways]

    def _scratch(self):
        size = sum(self._sizes()) * self.ways
        return TensorLayout((size,), _WORD, self.ways, (0,), 1, (size,))

    def constants(self, sources):
        """Weights and biases, in the order below.

        Weights: threshold steps, exponential words, a unit word for each way, minus each lane's
        unit word, and ones. Biases: plane zeros, and the largest element's thresholds.
        """
        ways, lanes = self.ways, BANKS * self.ways
        planes = self._steps.shape[0] // 2
        valid  = np.arange(self._groups * ways) < self._count
        sums   = np.concatenate([valid << _FINE, valid]).astype(np.int16)
        each   = np.repeat(np.eye(lanes, dtype=np.int16)[:, :, None], ways, axis=2)
        words  = [pack_vectors(self._steps.T[:, None].astype(np.int16), ways),
                  pack_vectors(np.tile(sums, (lanes, 1))[:, None], ways),
                  *(pack_vectors(np.tile(np.eye(ways, dtype=np.int16)[way], (lanes, 1))[:, None],
                                 ways) for way in range(ways)),
                  pack_vectors(-each.transpose(1, 0, 2), ways),
                  pack_lanes(np.ones((lanes, 1), np.int16), ways)]
        bias   = np.concatenate([np.arange(planes), -self._start])
        self._rows = [*accumulate((word.size // (lanes * ways) for word in words), initial=0)]
        return Constants(np.concatenate(words), lanes * ways,
                         bias=pack_records([bias.astype(np.int64)], ways))

    def passes(self, sources, target, constants):
        """Passes for every row."""
        [source]  = sources
        [scratch] = place_behind(target, [self._scratch()])
        sizes = self._sizes()
        parts = [scratch.base + start for start in list(accumulate(sizes, initial=0))[:-1]]
        whole = Access(scratch.base, scratch.base, scratch.base + sum(sizes) - 1)
        rows  = prod(source.shape[:-1])
        self.constants(sources)
        passes = [*self._row(source, target, parts, whole, constants)]
        if len(passes) > _LOOP:
            return [_start(pass_, row * source.distance, row * target.distance)
                    for row in range(rows) for pass_ in passes]
        if rows > 1:
            passes[-1] = replace(passes[-1], back=len(passes) - 1, repeat=rows - 1,
                                 advance=(source.distance, target.distance))
        return passes

    def _row(self, source, target, parts, whole, constants):
        """Passes for the first row; in a loop they advance to the next rows."""
        fold, below, coarse, fine, first, planes, flags = parts
        one  = constants.weights_row + self._rows[-2]
        one  = Access(one * self.ways, one * self.ways, one * self.ways)
        x    = replace(source.access(), move=Move.FIRST)
        base = elementwise(source.bits, _WORD, x=x, y=one, y_width=Width.BITS16, z=whole)
        yield replace(base, z=replace(whole, base=fold), clip=(0, 0), reduce=Reduce.MIN, beats=1)
        yield from self._over_row(replace(base, z=replace(whole, base=fold)), fold_to=fold)
        yield from self._over_row(replace(base, z=replace(whole, base=below), anchored=True,
                                          clip=(-255, 0)))
        look = elementwise(_WORD, _WORD, x=replace(whole, base=below), y=one,
                           y_width=Width.BITS16, z=whole, clip=container_clip(ELEMENT_BITS),
                           table_rounding=RoundMode.UP)
        for code, place in zip(OWN_TABLES, (coarse, fine, first), strict=False):
            yield from self._over_row(replace(look, table=code, z=replace(whole, base=place)))
        yield self._hold_sum(whole, coarse, constants)
        for block in range(self._blocks):
            done  = block * BANKS
            count = min(BANKS * self.ways, self._count - done * self.ways)
            yield from self._make_planes(whole, below + done, planes, constants, count)
            yield self._make_flags(whole, planes, flags, constants, count)
            yield replace(elementwise(_WORD, _WORD, y=one, y_width=Width.BITS16, z=whole,
                                      x=replace(whole, base=first + done)),
                          hold=True, entry=self._held)
            yield self._add_up(whole, flags, target, done, constants)

    def _over_row(self, pass_, fold_to=None):
        """Passes over the row vectors; with ``fold_to`` they keep the largest element."""
        operands = pass_.operands
        full, rest = divmod(self._groups, BANKS)
        drop  = -self._count % self.ways
        parts = [(full, BANKS, 0), (1, rest, full * BANKS)]
        if fold_to is not None and drop and not rest:
            parts = [(full - 1, BANKS, 0), (1, BANKS, (full - 1) * BANKS)]
        made = []
        for outputs, beats, done in parts:
            if outputs and beats:
                step = BANKS if outputs > 1 else 0
                x    = replace(operands.x, base=operands.x.base + done, outer=(0, 0, step))
                z    = pass_.epilogue.z if fold_to is not None else replace(
                    pass_.epilogue.z, base=pass_.epilogue.z.base + done, outer=(0, 0, step))
                made.append(replace(pass_, outer=(1, 1, outputs), beats=beats, x=x, z=z))
        if fold_to is not None:
            made = [replace(each, reduce=Reduce.MAX, fresh=place == 0,
                            drop=drop if place == len(made) - 1 else 0)
                    for place, each in enumerate(made)]
        return made

    def _words(self, constants, number, taps=(0, 0, 0), outer=(0, 0, 0)):
        """Access to the weight words of part ``number``, for all lanes."""
        low  = constants.weights_row + self._rows[number]
        return Access(low, low, constants.weights_row + self._rows[number + 1] - 1, outer, taps)

    def _vectors(self, **fields):
        """A Pass whose lanes share their operands."""
        return Pass(**{"x_shape": Shape.VECTOR, "y_shape": Shape.VECTOR, "x_width": Width.BITS16,
                       "y_width": Width.BITS16, "z_width": Width.BITS16,
                       "rounding": RoundMode.FLOOR, "clip": container_clip(_WORD)} | fields)

    def _hold_sum(self, whole, coarse, constants):
        """Pass holding the exponential sum minus the largest element's thresholds."""
        groups = self._groups
        planes = self._steps.shape[0] // 2 // (BANKS * self.ways)
        return self._vectors(
            outer=(self._held, 1, 1), taps=(1, 2, groups),
            x=replace(whole, base=coarse, taps=(0, groups, 1)), z=whole, hold=True,
            y=self._words(constants, 1, (0, groups, 1)),
            bias_row=constants.y_row + planes * bias_rows(self.ways))

    def _make_planes(self, whole, below, planes, constants, elements):
        """Passes writing planes for ``elements`` elements, a way of all vectors each."""
        run    = self._steps.shape[0] // self.ways
        blocks = run // (2 * BANKS)
        for way in range(min(self.ways, elements)):
            count = -(-(elements - way) // self.ways)
            for half, fields in enumerate(({"shift": -_SPLIT, "clip": (-1 << _SPLIT, 0)},
                                           {"clip": (-1, 0)})):
                z = planes + way * run + half * run // 2
                yield self._vectors(
                    outer=(blocks, count, 1), bias_row=constants.y_row,
                    x=replace(whole, base=below, outer=(0, int(count > 1), 0)),
                    y=self._words(constants, 2 + way),
                    z=replace(whole, base=z, outer=(BANKS if blocks > 1 else 0,
                                                    self.ways * run if count > 1 else 0, 0)),
                    **fields)

    def _make_flags(self, whole, planes, flags, constants, elements):
        """Pass writing a flag for every threshold: whether the sum has reached it."""
        run, several = self._steps.shape[0] // self.ways, elements > 1
        return self._vectors(
            outer=(self._held, elements, 1), taps=(1, 1, run), resume=True, clip=(-1, 0), zero=1,
            acc_range=AccumulatorRange.BITS40,
            x=replace(whole, base=planes, outer=(0, run * several, 0), taps=(0, 0, 1)),
            y=self._words(constants, 0, (0, 0, 1), (run if self._held > 1 else 0, 0, 0)),
            z=replace(whole, base=flags, outer=(BANKS if self._held > 1 else 0,
                                                self._held * BANKS * several, 0)))

    def _add_up(self, whole, flags, target, done, constants):
        """Pass writing initial outputs minus flags, from vector ``done`` of a row."""
        run = self._held * BANKS
        return self._vectors(
            taps=(1, BANKS * self.ways, run), beats=min(BANKS, self._groups - done), resume=True,
            entry=self._held, clip=container_clip(8), z_width=width_of(8),
            x=replace(whole, base=flags, taps=(0, run, 1)),
            y=self._words(constants, 2 + self.ways, (0, 1, 0)),
            z=replace(target.access(offset=done), move=Move.SECOND))


def _start(pass_, x_groups, z_groups):
    """The pass with input and output offset by the given vectors, and without loop advance."""
    x, z = pass_.operands.x, pass_.epilogue.z
    if x.move is Move.FIRST:
        x = replace(x, base=x.base + x_groups, move=Move.NONE)
    if z.move is Move.SECOND:
        z = replace(z, base=z.base + z_groups, move=Move.NONE)
    return replace(pass_, x=x, z=z)


def _steps_of(thresholds, lanes):
    """The largest element's thresholds, and threshold increments for each further difference.

    The increments are padded to full lane blocks; all upper-word planes precede the lower ones.
    """
    sums   = thresholds.sums
    padded = np.pad(sums, ((0, 0), (0, -sums.shape[1] % lanes)), constant_values=thresholds.never)
    steps  = np.diff(padded, axis=0)
    used   = int(np.flatnonzero(steps.any(axis=1)).max(initial=0)) + 1
    steps  = np.pad(steps[:used], ((0, -used % lanes), (0, 0)))
    upper  = steps + (1 << _SPLIT - 1) >> _SPLIT
    return padded[0], np.concatenate([upper, steps - (upper << _SPLIT)])
