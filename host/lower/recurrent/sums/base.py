# SPDX-License-Identifier: Apache-2.0
"""Product sums of MLI 2.0 recurrent kernels, rounded separately per input."""

from dataclasses import dataclass, replace

import numpy as np

from xymac.golden.mli2 import QuantTensor
from xymac.hdl.isa import BANKS, Pass, Shape, Width
from xymac.host.ir.fields import ZERO_MAX
from xymac.host.lower.workspace import Matrix
from xymac.host.memory.packing import width_of

__all__ = ["Input", "Sums"]


@dataclass(frozen=True)
class Input:
    """An input to the matrices of all gates.

    Parameters
    ----------
    like : QuantTensor in the input's format
    matrix : Matrix with the weights
    column, groups : int, first vector and vector count within each tile's words
    width : Width, element width in X; 16-bit SA_8 elements already exclude their zero point
    peak : int, largest element magnitude after zero point subtraction
    """

    like:   QuantTensor
    matrix: Matrix
    column: int
    groups: int
    width:  Width
    peak:   int

    @property
    def taken(self):
        """Zero point subtracted by passes from every element; a bias absorbs the remainder."""
        if not self.like.is_affine or self.width is not Width.BITS8:
            return 0
        return min(max(self.like.format.zero_point, -ZERO_MAX), ZERO_MAX)

    def lacks(self, taps):
        """Bias for the remaining zero point, int64 [outputs], with weights ``taps`` [outputs,
        inputs].
        """
        if not self.like.is_affine or self.width is not Width.BITS8:
            return np.zeros(len(taps), np.int64)
        return (self.taken - self.like.format.zero_point) * taps.sum(1)


class Sums:
    """Common base of the sums in all formats; for parameters see ``select.dense_sums``."""

    def __init__(self, space, build, kind, inputs, gates, count):
        self._space, self._build, self._kind = space, build, kind
        self._inputs, self._gates, self._count = inputs, gates, count
        self.tiles = len(gates) * count
        self._prepare()

    def _in_tiles(self, values):
        """Values for all gates, an array each, padded to whole tiles."""
        size = self._count * BANKS * self._space.ways
        return np.concatenate([np.pad(value, (0, size - len(value))) for value in values])

    def _products(self, number, first, last, x, **fields):
        """Pass over tiles ``first`` to ``last - 1`` for input ``number`` at the Access ``x``."""
        given = self._inputs[number]
        return Pass(outer=(last - first, 1, 1), taps=(1, 1, given.groups), x=x,
                    y=given.matrix.access(first, given.column), x_width=given.width,
                    x_zero=given.taken, y_width=width_of(given.matrix.bits), z_width=Width.BITS16,
                    **fields)

    def _add(self, words, first, tiles, **fields):
        """Pass to add parts, a part per weight word."""
        size, x = self._size, self._parts.groups(first)
        if len(words) > 1:
            x = replace(x, taps=(0, 0, size * BANKS))
        return Pass(**{"outer": (tiles, 1, 1), "taps": (1, 1, len(words)), "x": x,
                       "y": self._space.word(*words), "x_shape": Shape.LANES,
                       "y_shape": Shape.LANES, "x_width": Width.BITS16, "y_width": Width.BITS16,
                       "z_width": Width.BITS16} | fields)
