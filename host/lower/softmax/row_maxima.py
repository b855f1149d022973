"""The largest element of each of some rows of bytes, as a bias for the passes that take it off."""

from dataclasses import replace

import numpy as np

from hdl.isa import BANKS, Memory, Op, Pass, Shape, Width, bias_rows
from host.lower.relative import Area, RelativeAccess
from host.lower.sweep import container_clip, cover

__all__ = ["HIGHEST", "LOWEST", "RowMaxima"]

LOWEST, HIGHEST = -128, 127

_DIRECT    = 64        #: Elements of a row up to which every lane meets them all, one by one.
_FAR_BELOW = -1 << 16  #: A bias by which an element is below all others.


class RowMaxima:
    """Passes that write ``HIGHEST`` less the largest element of a row to all lanes of its biases.

    An element less ``HIGHEST`` with that bias is its difference from the largest one; an element
    of the padding behind a row is far below all others.

    Parameters
    ----------
    source : TensorLayout of the input, not placed, a row each run
    count : int, rows
    partial : RelativeAccess to ``BANKS`` groups of 16 bits a row in X, to work on
    space : Workspace

    Attributes
    ----------
    spans : list of (tiles, beats, first group, row of biases), the tiles of a row: those with the
        same biases together
    """

    def __init__(self, source, count, partial, space):
        self._source, self._count, self._partial = source, count, partial
        self._space, self._ways = space, space.ways
        self._elements = sum(source.parts)
        self._lanes    = BANKS * space.ways
        self._padding  = -self._elements % space.ways
        self.spans     = [(*span, self._biases(span)) for span in self._split()]

    def input(self, offset=0, step=0, taps=(0, 0, 0)):
        """Access to the rows, an outermost index each, ``step`` groups from a tile to the next."""
        return RelativeAccess.to(self._source, 0, offset=offset, taps=taps,
                                 outer=(self._source.distance, 0, step))

    def _split(self):
        """The spans without biases: the last tile by itself, if it is not like the others."""
        last = (self._source.pitch - 1) % BANKS + 1
        full = (self._source.pitch - last) // BANKS
        if last == BANKS and not self._padding:
            return [(full + 1, BANKS, 0)]
        return [(full, BANKS, 0)] * (full > 0) + [(1, last, full * BANKS)]

    def _biases(self, span):
        """First row of records of a span, one of all lanes a row."""
        _, beats, first = span
        places = first * self._ways + np.arange(self._lanes)
        behind = (places >= self._elements) & (places < (first + beats) * self._ways)
        return self._space.records(np.tile(np.where(behind, _FAR_BELOW, 0), self._count))

    def make(self):
        """The passes: all elements in all lanes, or a tile in each step and then all lanes."""
        ways, pitch = self._ways, self._source.pitch
        if pitch < BANKS or pitch * ways <= _DIRECT:
            return [Pass(x=self.input(taps=(0, 1, 0)), x_zero=LOWEST, taps=(1, pitch, ways),
                         y=self._choose(), **self._bias_fields())]
        last = Pass(x=replace(self._partial, outer=(BANKS, 0, 0), taps=(0, 1, 0)),
                    x_width=Width.BITS16, y=self._space.rows(np.eye(ways, dtype=int).ravel()),
                    taps=(1, BANKS, ways), **self._bias_fields())
        return [self._fold_tiles(), last]

    def _bias_fields(self):
        """Fields of a pass whose least sums, the largest elements negative, make biases."""
        records = bias_rows(self._ways)
        groups  = self._ways * BANKS
        low     = self.spans[0][-1] * groups
        high    = low + len(self.spans) * self._count * records * groups - 1
        z = RelativeAccess(low + (records - 1) * groups, low, high, area=Area.RECORDS,
                           outer=(records * groups, self._count * records * groups, 0),
                           row_units=groups)
        return {"op": Op.MIN, "outer": (self._count, len(self.spans), 1), "z": z,
                "z_memory": Memory.Y, "y_width": Width.BITS16, "z_width": Width.BITS16,
                "clip": (LOWEST - HIGHEST, 0), "zero": HIGHEST - LOWEST}

    def _choose(self):
        """``y`` of a pass whose lanes meet the ways of all groups one by one, negative."""
        ways, groups = self._ways, self._source.pitch if self._padding else 1
        places = np.arange(groups * ways)
        chosen = -np.eye(ways, dtype=int)[places % ways]
        if self._padding:
            chosen *= (places < self._elements)[:, None]
        return replace(self._space.rows(chosen.ravel()), taps=(0, ways * (groups > 1), 1))

    def _fold_tiles(self):
        """Pass that writes the least of what each lane meets of a row, negative."""
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
