# SPDX-License-Identifier: Apache-2.0
"""Products of two matrix tensors as passes.

Each second matrix goes to Y, minus its zero point, in the weight layout: a matrix row takes as many
words as its columns need lanes. Every row of the first matrix is then a row for a fully connected
layer.
"""

from dataclasses import replace
from math import prod

import numpy as np

from xymac.hdl.isa import BANKS, CELL_BITS, Access, Memory, Pass, Shape, bias_rows
from xymac.host.ir.contraction import MatrixProduct
from xymac.host.lower.base import Lowering
from xymac.host.lower.orders import refuse_other
from xymac.host.lower.sweep import elementwise, fill
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import pack_once, width_of

__all__ = ["MatmulLowering"]


class MatmulLowering(Lowering):
    """Matrix products."""

    forms = (MatrixProduct,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        a, b = inputs
        first, second = (shape[-2:][::-1 if turn else 1] for shape, turn
                         in zip((a.shape, b.shape), self.form.turns, strict=True))
        self._rows, self._depth, self._columns = *first, second[-1]
        self._bits = 16 if a.bits == 16 or self.form.zero else 8

    def source_layouts(self, preferred):
        """Runs along the summed dimension, and column runs."""
        return tuple(TensorLayout.of(x, order, self.ways)
                     for x, order in zip(self.inputs, self._orders(), strict=True))

    def _orders(self):
        """Both inputs' dimension orders: matrices in multiplication order."""
        for x, turn in zip(self.inputs, self.form.turns, strict=True):
            rank = len(x.shape)
            last = (rank - 1, rank - 2) if turn else (rank - 2, rank - 1)
            yield *range(rank - 2), *last

    def refuses(self, sources):
        """An input in another order."""
        return next(filter(None, map(refuse_other, sources, self.source_layouts(None))), None)

    def target_layout(self, sources):
        """Column runs."""
        return TensorLayout.of(self.output, range(len(self.output.shape)), self.ways)

    @property
    def _words(self):
        """Steps per output: Y words for a column block."""
        return -(-self._depth // self.ways)

    @property
    def _blocks(self):
        """Column blocks, with a lane for each column."""
        return -(-self._columns // (BANKS * self.ways))

    def _room(self):
        """Unplaced TensorLayout for a second matrix in Y."""
        size = self._blocks * self._words * BANKS * self.ways ** 2
        return TensorLayout((size,), self._bits, self.ways, (0,), 1, (size,), Memory.Y)

    def constants(self, sources):
        """A 0 and a 1, parameters with a bias for every block, and room for a matrix."""
        lanes = BANKS * self.ways
        if self.form.bias is None:  # the last, shorter block has the parameters of the others
            parts = [np.zeros(lanes * self._blocks, np.int64)]
        else:
            parts = np.split(np.pad(self.form.bias, (0, -self._columns % lanes)),
                             [lanes * self._whole])
        return replace(lane_words(np.array([0, 1], np.int8), self.ways, self._room().rows),
                       bias=np.concatenate([self._pack(part) for part in parts if part.size]))

    @property
    def _whole(self):
        """Column blocks that fill all banks."""
        return -(-self._columns // self.ways) // BANKS

    def _pack(self, bias):
        """Record memory words for passes over whole blocks with ``bias``."""
        return pack_once([*(np.full(bias.size, record) for record in self.form.records), bias],
                         self.ways)

    def passes(self, sources, target, constants):
        """For every second matrix its copy to Y, and all products with it."""
        a, b   = sources
        room   = self._room().at(constants.room_row)
        passes = []
        if self._depth % self.ways:
            passes += fill(a, room, constants.word(0, 8, self.ways), room.groups)
        held = None
        for first, second, out, count in self._batches():
            if second != held:
                passes += self._copy(b, room, second, constants.word(1, 8, self.ways))
                held = second
            passes += self._multiply(a, target, room, first, out, count * self._rows,
                                     constants.y_row)
        return passes

    def _batches(self):
        """Indices: first, second and result matrix; and the product count with this second matrix.
        """
        lead   = self.output.shape[:-2]
        places = []
        for x in self.inputs:
            size  = prod(x.shape[:-2])
            index = np.arange(size).reshape(x.shape[:-2])
            places.append(np.broadcast_to(index, lead).ravel().tolist())
        start = 0
        for number in range(1, len(places[0]) + 1):
            if (number == len(places[0]) or places[1][number] != places[1][start]
                    or places[0][number] != places[0][start] + number - start):
                yield places[0][start], places[1][start], start, number - start
                start = number

    def _copy(self, source, room, number, one):
        """Passes copying matrix ``number`` to Y, minus its zero point."""
        pitch, words = source.pitch, self._words * self.ways
        zero = self.form.zero if source.bits == 8 else 0
        full, rest = divmod(pitch, BANKS)
        for blocks, beats, done in ((full, BANKS, 0), (1, rest, full)):
            if blocks and beats:
                steps = [step if count > 1 else 0 for count, step in (
                    (self._depth, pitch), (blocks, BANKS), (self._depth, BANKS),
                    (blocks, words * BANKS))]
                yield replace(
                    elementwise(
                        source.bits, self._bits, y=one, x_zero=zero, z_memory=Memory.Y,
                        x=replace(source.access(offset=number * self._depth * pitch
                                                + done * BANKS), outer=(0, *steps[:2])),
                        z=replace(room.access(offset=done * words * BANKS),
                                  outer=(0, *steps[2:]))),
                    outer=(1, self._depth, blocks), beats=beats)

    def _multiply(self, source, target, room, first, out, rows, bias_row):
        """Passes over ``rows`` rows from matrix ``first`` on; the results start at ``out``."""
        pitch, x_pitch, words = target.pitch, source.pitch, self._words
        base  = room.row * (CELL_BITS // self._bits)
        full, rest = divmod(pitch, BANKS)
        for blocks, beats, done in ((full, BANKS, 0), (1, rest, full)):
            if not blocks or not beats:
                continue
            x = source.access(offset=first * self._rows * x_pitch)
            z = target.access(offset=out * self._rows * pitch + done * BANKS)
            y = Access(base + done * words, base, base + self._blocks * words - 1,
                       (words if blocks > 1 else 0, 0, 0), (0, 0, 1 if words > 1 else 0))
            own = bool(done) and self.form.bias is not None
            row = bias_row + own * (len(self.form.records) + full) * bias_rows(self.ways)
            yield Pass(
                outer=(blocks, rows, 1), taps=(1, 1, words), y=y, beats=beats,
                x=replace(x, outer=(0, x_pitch if rows > 1 else 0, 0),
                          taps=(0, 0, 1 if words > 1 else 0)),
                z=replace(z, outer=(BANKS if blocks > 1 else 0, pitch if rows > 1 else 0, 0)),
                x_shape=Shape.VECTOR, y_shape=Shape.VECTOR, x_width=width_of(source.bits),
                y_width=width_of(self._bits), z_width=width_of(target.bits), bias_row=row,
                once=blocks > 1, **self.form.output)


def _slices(shape, axis, first, end):
    return tuple(slice(first, end) if each == axis else slice(0, size)
                 for each, size in enumerate(shape))
