# SPDX-License-Identifier: Apache-2.0
"""Product sums of recurrent cells, rounded separately per input."""

from dataclasses import dataclass, replace

import numpy as np

from xymac.hdl.isa import BANKS, Pass, Shape, Width
from xymac.host.ir.recurrent.dense_sums import DenseInput
from xymac.host.lower.workspace import Matrix
from xymac.host.memory.packing import width_of

__all__ = ["Input", "Sums"]


@dataclass(frozen=True)
class Input:
    """An input to the matrices of all gates.

    Parameters
    ----------
    given : DenseInput
    matrix : Matrix with the weights
    column, groups : int, first vector and vector count within each tile's words
    width : Width, element width in X
    """

    given:  DenseInput
    matrix: Matrix
    column: int
    groups: int
    width:  Width


class Sums:
    """Common base of the sums in all formats; for parameters see ``select.dense_sums``."""

    def __init__(self, space, form, inputs, count):
        self._space, self._form = space, form
        self._inputs, self._count = inputs, count
        self.tiles = form.gates * count
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
                    x_zero=given.given.taken, y_width=width_of(given.matrix.bits),
                    z_width=Width.BITS16, **fields)

    def _add(self, words, first, tiles, **fields):
        """Pass to add parts, a part per weight word."""
        size, x = self._size, self._parts.groups(first)
        if len(words) > 1:
            x = replace(x, taps=(0, 0, size * BANKS))
        return Pass(**{"outer": (tiles, 1, 1), "taps": (1, 1, len(words)), "x": x,
                       "y": self._space.word(*words), "x_shape": Shape.LANES,
                       "y_shape": Shape.LANES, "x_width": Width.BITS16, "y_width": Width.BITS16,
                       "z_width": Width.BITS16} | fields)
