# SPDX-License-Identifier: Apache-2.0
"""Sequences, and batches of them, cut into tiles."""

from xymac.host.ir.tile import Tile, along, cut_evenly, whole

__all__ = ["cut_batches", "cut_steps"]


def cut_steps(layers, x, output, count, *, axis=0, every=True, backward=False):
    """Tiles of some steps each, in the order of the cell; None if there are not so many steps.

    Parameters
    ----------
    layers : two golden layers, of the first tile and of all others, which begin with what the tile
        before hands on
    x, output : Tensors in the format of input and output
    count : int, of the tiles
    axis : int, dimension of the steps
    every : bool, the output has every step, in the order of the cell; else all tiles write the
        whole output, which is that of the last one
    backward : bool, the cell begins with the last step
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
    """Tiles of some batches each; None if there are not so many.

    Parameters
    ----------
    layer_of : function from the states of a tile to its layer
    states : tuple of Tensors whose first dimension is that of batches
    x, output, count : see ``cut_steps``
    axis : int, dimension of the batches
    """
    tiles = []
    for start, end in cut_evenly(x.shape[axis], count) or []:
        slices = tuple(along(state.shape, 0, start, end) for state in states)
        layer  = layer_of(*(state.take(part)
                            for state, part in zip(states, slices, strict=True)))
        tiles.append(Tile(layer, (along(x.shape, axis, start, end),),
                          along(output.shape, axis, start, end), slices))
    return tiles or None
