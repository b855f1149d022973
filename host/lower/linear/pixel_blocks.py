# SPDX-License-Identifier: Apache-2.0
"""Columns and weights per block, if packed pixels have more outputs than a tile.

A pixel's outputs may fill some tiles and a part of another tile. Packed pixels share this tile: it
has the last outputs of a pixel and the first outputs of the next. Each block reads only the columns
in its own pixels' windows.
"""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS, Axis
from xymac.host.memory.packing import to_cells, vector_words

__all__ = ["pack_pixel_blocks", "take_columns"]


def take_columns(linear, block, across, ways):
    """(Block, WindowRange along columns) for the outputs of a range; None if the block has none.

    A range has the first ``width`` packed pixels. The WindowRange counts its taps from the block's
    first weight column.
    """
    if not linear.side_stride:
        return replace(block, beats=block.beats // linear.side * across.width), across
    pitch = len(linear.weights) // (linear.side * ways)
    beats = min(block.beats, across.width * pitch - block.first)
    if beats <= 0:
        return None
    kernel = linear.weights.shape[2] - (linear.side - 1) * linear.side_stride
    end    = (block.first + beats - 1) // pitch * linear.side_stride + kernel
    first  = max(across.tap, block.tap)
    passed = first - across.tap
    return replace(block, beats=beats), replace(
        across, tap=first - block.tap, taps=min(across.tap + across.taps, end) - first,
        at=across.at + passed * across.pitch, axis=_skip(across.axis, passed))


def pack_pixel_blocks(linear, source, blocks):
    """Memory words with the weights of every block, for the input layout ``source``."""
    lanes, words = BANKS * source.ways, []
    for block in blocks:
        first = block.first * source.ways
        own   = linear.weights[first:first + block.count * lanes, :,
                               block.tap:block.tap + block.taps]
        own   = own.reshape(len(own), -1, own.shape[-1])
        words.append(vector_words(source.spread(own), source.ways))
    return to_cells(np.concatenate(words), 8 * linear.weights.itemsize, source.ways * lanes)


def _skip(axis, taps):
    """A padding clip without the first ``taps`` taps."""
    if axis == Axis():
        return axis
    pad = axis.pad - taps
    return Axis(max(pad, 0), axis.step, axis.size + min(pad, 0))
