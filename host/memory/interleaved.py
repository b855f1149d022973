# SPDX-License-Identifier: Apache-2.0
"""Tensors whose runs hold every n-th element in turn."""

from dataclasses import dataclass

import numpy as np

from .layout import TensorLayout

__all__ = ["InterleavedLayout"]


@dataclass(frozen=True)
class InterleavedLayout(TensorLayout):
    """A tensor whose runs begin with elements 0, ``every``, ``2 * every`` ... of the user's array.

    Elements 1, ``every + 1`` ... follow, and so on; each turn is a part, and all ``every`` parts
    are equal.

    Parameters
    ----------
    every : int, turn count
    """

    every: int = 1

    @classmethod
    def of_turns(cls, x, order, ways, every):
        """InterleavedLayout for a Tensor like ``x`` with its innermost dimension as runs."""
        size = x.shape[order[-1]] // every
        return cls(tuple(x.shape), x.bits, ways, tuple(order), 1, (size,) * every, every=every)

    @property
    def arrangement(self):
        """See ``TensorLayout``."""
        return (*super().arrangement, self.every)

    def slots(self):
        """See ``TensorLayout``."""
        element = np.arange(sum(self.parts))
        return super().slots()[element % self.every * self.parts[0] + element // self.every]

    def lay_runs(self, x, order):
        """See ``TensorLayout``."""
        return self.of_turns(x, order, self.ways, self.every)

    def turn(self, number, x):
        """TensorLayout for turn ``number``, a Tensor like ``x``, as a part of this layout."""
        size = -(-self.parts[0] // self.ways)
        return TensorLayout(tuple(x.shape), self.bits, self.ways, self.order, 1, self.parts[:1],
                            self.memory, self.row, offset=self.offset + number * size,
                            gap=self.gap + self.pitch - size)
