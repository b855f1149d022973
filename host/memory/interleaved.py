# SPDX-License-Identifier: Apache-2.0
"""Tensors whose runs hold every n-th element in turn."""

from dataclasses import dataclass

from .layout import TensorLayout

__all__ = ["InterleavedLayout"]


@dataclass(frozen=True)
class InterleavedLayout(TensorLayout):
    """A tensor whose runs begin with elements 0, ``every``, ``2 * every`` ... of the user's array.

    Elements 1, ``every + 1`` ... follow, and so on; all ``every`` turns have the same parts.

    Parameters
    ----------
    every : int, turn count
    """

    every: int = 1

    @classmethod
    def of_turns(cls, x, order, ways, every, parts=None):
        """InterleavedLayout for a Tensor like ``x`` with its innermost dimension as runs; a turn is
        a single part unless ``parts`` are given.
        """
        parts = parts or (x.shape[order[-1]] // every,)
        return cls(tuple(x.shape), x.bits, ways, tuple(order), 1, parts * every, every=every)

    @property
    def turn_parts(self):
        """Elements per part of a turn, tuple of int."""
        return self.parts[:len(self.parts) // self.every]

    @property
    def arrangement(self):
        """See ``TensorLayout``."""
        return (*super().arrangement, self.every)

    def slots(self):
        """See ``TensorLayout``."""
        return super().slots().reshape(self.every, -1).T.ravel()

    def lay_runs(self, x, order):
        """See ``TensorLayout``."""
        return self.of_turns(x, order, self.ways, self.every, self.turn_parts)

    def turn(self, number, x):
        """TensorLayout for turn ``number``, a Tensor like ``x``, within this layout."""
        size = self.pitch // self.every
        return TensorLayout(tuple(x.shape), self.bits, self.ways, self.order, 1, self.turn_parts,
                            self.memory, self.row, offset=self.offset + number * size,
                            gap=self.gap + self.pitch - size)
