# SPDX-License-Identifier: Apache-2.0
"""The largest element of each byte row, for the passes subtracting it.

All lanes hold it, and element passes resume from it. Where a padding element must be far below all
others, the largest element is a bias of these passes.
"""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS, Memory, Op, Pass, RoundMode, Shape, Width, bias_rows
from xymac.host.ir.fields import container_clip
from xymac.host.lower.relative import Area, RelativeAccess
from xymac.host.lower.sweep import cover

__all__ = ["HIGHEST", "LOWEST", "RowMaxima"]

LOWEST, HIGHEST = -128, 127

_DIRECT    = 64        #: Maximum row elements for which every lane reads them all in sequence.
_FAR_BELOW = -1 << 16  #: A bias that puts an element below all others.


class RowMaxima:
    """Passes after which a single step computes the difference between each element and its row
    maximum.

    Parameters
    ----------
    source : input TensorLayout, not placed, a row each run
    count : int, rows, up to ``HELD``
    partial : RelativeAccess to ``BANKS`` scratch vectors of 16-bit elements per row in X
    space : Workspace

    Attributes
    ----------
    is_direct : bool, every lane reads all row elements in sequence
    spans : list of (tiles, beats, first vector, element pass fields): the row tiles grouped by
        equal fields
    """

    def __init__(self, source, count, partial, space):
        self._source, self._count, self._partial = source, count, partial
        self._space, self._ways = space, space.ways
        self._elements = sum(source.parts)
        self._lanes    = BANKS * space.ways
        self._padding  = -self._elements % space.ways
        self.is_direct = source.pitch < BANKS or source.pitch * space.ways <= _DIRECT
        self._holds    = self.is_direct or not self._padding
        self.spans     = [(*span, self._fields(span)) for span in self._split()]

    def input(self, offset=0, step=0, taps=(0, 0, 0)):
        """Access to the rows, an outermost index each, ``step`` groups from a tile to the next."""
        return RelativeAccess.to(self._source, 0, offset=offset, taps=taps,
                                 outer=(self._source.distance, 0, step))

    def _split(self):
        """The spans without fields: the last tile by itself, if it is not like the others."""
        last = (self._source.pitch - 1) % BANKS + 1
        full = (self._source.pitch - last) // BANKS
        if last == BANKS and (self._holds or not self._padding):
            return [(full + 1, BANKS, 0)]
        return [(full, BANKS, 0)] * (full > 0) + [(1, last, full * BANKS)]

    def _fields(self, span):
        """Fields for an element pass; biases take a record row for all lanes each."""
        if self._holds:
            return {"resume": True, "x_zero": LOWEST}
        _, beats, first = span
        places = first * self._ways + np.arange(self._lanes)
        behind = (places >= self._elements) & (places < (first + beats) * self._ways)
        biases = np.tile(np.where(behind, _FAR_BELOW, 0), self._count)
        return {"bias_row": self._space.records(biases), "x_zero": HIGHEST}

    def make(self):
        """The passes: all elements in all lanes, or a tile in each step and then all lanes."""
        ways, pitch = self._ways, self._source.pitch
        if self.is_direct:
            return [Pass(x=self.input(taps=(0, 1, 0)), x_zero=LOWEST, taps=(1, pitch, ways),
                         y=self._choose(), **self._fold_fields())]
        last = Pass(x=replace(self._partial, outer=(BANKS, 0, 0), taps=(0, 1, 0)),
                    x_width=Width.BITS16, y=self._space.rows(np.eye(ways, dtype=int).ravel()),
                    taps=(1, BANKS, ways), **self._fold_fields())
        return [self._fold_tiles(), last]

    def _fold_fields(self):
        """Fields for a pass whose least sums, the largest elements negative, are held or make
        biases."""
        fields = {"op": Op.MIN, "y_width": Width.BITS16, "z_width": Width.BITS16}
        if self._holds:
            return fields | {"outer": (self._count, 1, 1), "z": self._partial, "hold": True,
                             "rounding": RoundMode.FLOOR}
        records = bias_rows(self._ways)
        groups  = self._ways * BANKS
        low     = self.spans[0][-1]["bias_row"] * groups
        high    = low + len(self.spans) * self._count * records * groups - 1
        z = RelativeAccess(low + (records - 1) * groups, low, high, area=Area.RECORDS,
                           outer=(records * groups, self._count * records * groups, 0),
                           row_units=groups)
        return fields | {"outer": (self._count, len(self.spans), 1), "z": z,
                         "z_memory": Memory.Y, "clip": (LOWEST - HIGHEST, 0),
                         "zero": HIGHEST - LOWEST}

    def _choose(self):
        """Negative ``y`` for a pass whose lanes read the ways of all vectors in sequence."""
        ways, groups = self._ways, self._source.pitch if self._padding else 1
        places = np.arange(groups * ways)
        chosen = -np.eye(ways, dtype=int)[places % ways]
        if self._padding:
            chosen *= (places < self._elements)[:, None]
        return replace(self._space.rows(chosen.ravel()), taps=(0, ways * (groups > 1), 1))

    def _fold_tiles(self):
        """Pass writing the minimum over the negated row elements each lane reads."""
        counts, strides = cover(self._source.pitch)
        fields = {"y": self._space.word(-1), "y_shape": Shape.LANES, "y_width": Width.BITS16}
        if self._padding:
            starts = np.add.outer(np.arange(counts[1]) * strides[1],
                                  np.arange(counts[2]) * strides[2]).ravel()
            places = starts[:, None] * self._ways + np.arange(self._lanes)
            masks  = np.zeros((self._lanes, starts.size, self._ways), np.int8)
            masks[..., 0] = np.where(places < self._elements, -1, 0).T
            access = self._space.matrix(masks.reshape(self._lanes, -1)).access(0, 0)
            fields = {"y": replace(access, outer=(0, 0, 0), taps=(0, counts[2], 1))}
        return Pass(op=Op.MIN, outer=(self._count, 1, 1), taps=counts, x_shape=Shape.LANES,
                    x=self.input(taps=strides), x_zero=LOWEST, z_width=Width.BITS16,
                    z=replace(self._partial, outer=(BANKS, 0, 0)), clip=container_clip(16),
                    **fields)
