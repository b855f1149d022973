# SPDX-License-Identifier: Apache-2.0
"""Tiles over sequences and their batches."""

from xymac.host.ir.tile import Tile, along, cut_evenly, whole
from xymac.host.lower.base import Lowering

__all__ = ["StepLowering", "cut_batches", "cut_steps"]


class StepLowering(Lowering):
    """A cell whose tiles are step ranges, if it has steps.

    Attributes
    ----------
    backward : bool, the cell begins with the last step
    """

    backward = False

    def cut(self, count, *, constants=False):
        """Step ranges of a sequence."""
        if not self.carried:
            return super().cut(count, constants=constants)
        return None if constants else cut_steps(
            (self.layer, self.later_layer()), *self.inputs, self.output, count,
            every=self.form.every, backward=self.backward)

    def later_layer(self):
        """Layer of all tiles but the first, which start from the previous tile's state."""
        return self.layer


def cut_steps(layers, x, output, count, *, axis=0, every=True, backward=False):
    """Tiles over step ranges, in cell order; None if there are fewer than ``count`` steps.

    Parameters
    ----------
    layers : two golden layers: for the first tile, and for later tiles, which start from the
        previous tile's state
    x, output : Tensors in the input and output formats
    count : int, number of tiles
    axis : int, step dimension
    every : bool, whether the output has every step, in cell order; else every tile writes the whole
        output, and the last tile's remains
    backward : bool, whether the cell begins with the last step
    """
    first, later = layers
    steps, tiles = x.shape[axis], []
    for start, end in cut_evenly(steps, count) or []:
        taken = (steps - end, steps - start) if backward else (start, end)
        tiles.append(Tile(later if tiles else first, (along(x.shape, axis, *taken),),
                          along(output.shape, axis, start, end) if every
                          else whole(output.shape)))
    return tiles or None


def cut_batches(layer_of, states, x, output, count, *, axis=0):
    """Tiles over batch ranges; None if there are fewer than ``count`` batches.

    Parameters
    ----------
    layer_of : function from a tile's states to its layer
    states : tuple of Tensors whose first dimension is the batch
    x, output, count : see ``cut_steps``
    axis : int, batch dimension
    """
    tiles = []
    for start, end in cut_evenly(x.shape[axis], count) or []:
        slices = tuple(along(state.shape, 0, start, end) for state in states)
        layer  = layer_of(*(state.take(part)
                            for state, part in zip(states, slices, strict=True)))
        tiles.append(Tile(layer, (along(x.shape, axis, start, end),),
                          along(output.shape, axis, start, end), slices))
    return tiles or None
