# SPDX-License-Identifier: Apache-2.0
"""Common first passes for softmax over byte rows: table lookups by difference, and row sums."""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS, HELD, Pass, Shape, Width

from .planes import WIDE, Planes
from .row_maxima import RowMaxima

__all__ = ["SHORT", "RowBlock", "rows_of_block"]

SHORT = 4  #: Longest row, in tiles, for which passes go over all rows tile by tile.


def rows_of_block(source):
    """Largest number of rows in a block, runs of a TensorLayout, whose sums need few passes."""
    tiles = -(-source.pitch // BANKS)
    return HELD if tiles <= SHORT else max(1, SHORT // -(-tiles // HELD))


class RowBlock:
    """The first ``count`` input rows, and ``planes`` planes like them.

    Parameters
    ----------
    source, target : TensorLayouts, not placed
    count, planes : int
    space : Workspace
    """

    def __init__(self, source, target, count, planes, space):
        self._target, self._count, self._space = target, count, space
        self._pitch, self._tiles = source.pitch, -(-source.pitch // BANKS)
        # A tile that is not full extends past the end of its row.
        self._planes = Planes.reserve(space, count * self._pitch, planes)
        self._upper, partial = (replace(space.in_x(count).groups(0), outer=(0, 0, 0))
                                for _ in range(2))
        self._maxima = RowMaxima(source, count, partial, space)
        self._elements = sum(source.parts)
        self._zero, self._one = space.word(0), space.word(1)

    def _look_up(self, tables, clip):
        """Passes looking up the differences, clipped to ``clip``, in OwnTables and writing planes.

        ``tables`` is a dict by plane index; a plane without tables gets no pass.
        """
        for index, own in tables.items():
            for tiles, beats, first, fields in self._maxima.spans if own else ():
                step = BANKS * (tiles > 1)
                yield Pass(**WIDE | fields | {
                    "x": self._maxima.input(first, step), "x_width": Width.BITS8,
                    "y": self._one, "outer": (self._count, 1, tiles), "beats": beats,
                    "z": self._planes.access(index, offset=first, outer=(self._pitch, 0, step)),
                    "clip": clip, "table": self._space.table(own)})

    def _hold_sums(self, plane, weights):
        """Pass holding every row's sum over ``plane`` and the next, times the two ``weights``."""
        return self._sum_rows(plane, weights, hold=True, z=self._upper)

    def _sum_rows(self, plane, weights, *, apart=False, **fields):
        """Pass summing every row, an outermost index each, over ``len(weights)`` planes.

        The first plane is ``plane``; each plane is multiplied by its weight. With ``apart`` each
        plane has separate sums, under its own outermost index.
        """
        ways, planes, size = self._space.ways, len(weights), self._planes.size
        masked = self._maxima.is_direct and self._elements % ways
        inside = np.arange(self._pitch * ways if masked else ways) < self._elements
        rows   = self._space.rows(np.concatenate([weight * inside for weight in weights]))
        steps, each, way = size * (planes > 1), self._pitch if masked else 1, int(masked > 0)
        common = WIDE | {"x_shape": Shape.VECTOR, "y_shape": Shape.VECTOR}
        if apart:
            return Pass(**common | {
                "outer": (planes, self._count, 1), "taps": (1, 1, self._pitch),
                "x": self._planes.access(plane, planes, outer=(steps, self._pitch, 0),
                                         taps=(0, 0, 1)),
                "y": replace(rows, outer=(each, 0, 0), taps=(0, 0, way))} | fields)
        return Pass(**common | {
            "outer": (self._count, 1, 1), "taps": (1, planes, self._pitch),
            "x": self._planes.access(plane, planes, outer=(self._pitch, 0, 0),
                                     taps=(0, steps, 1)),
            "y": replace(rows, taps=(0, each, way))} | fields)

    def _of_sums(self, **fields):
        """Pass deriving an output from every row's held sum."""
        return Pass(**WIDE | {"x": self._upper, "y": self._zero, "resume": True,
                              "outer": (self._count, 1, 1)} | fields)
