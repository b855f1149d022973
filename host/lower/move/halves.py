# SPDX-License-Identifier: Apache-2.0
"""Half-words of 32-bit elements in memory, converted between unsigned and signed."""

from dataclasses import replace
from itertools import accumulate

import numpy as np

from xymac.hdl.isa import BANKS, CELL_BITS, Width
from xymac.host.lower.sweep import elementwise, sweep
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import LOW_OFFSET

__all__ = ["flip_low", "half_words", "join_constants", "split_constants"]


def half_words(ways):
    """Weights for ``flip_low``: 1 and 0 for the half-word, twice ``-LOW_OFFSET`` for its sign.

    The correction of a negative half-word, ``2 * LOW_OFFSET``, exceeds a 16-bit weight.
    """
    return lane_words(np.array([1, 0, -LOW_OFFSET, -LOW_OFFSET], np.int16), ways)


def join_constants(first, *others):
    """``first`` with the weights of ``others`` appended."""
    return replace(first, weights=np.concatenate([first.weights, *(
        table.weights for table in others)]))


def split_constants(constants, tables):
    """Placed Constants for every joined table, a list."""
    starts = accumulate((table.y_rows for table in tables), initial=constants.y_row)
    return [replace(constants, y_row=row) for row, _ in zip(starts, tables, strict=False)]


def flip_low(source, target, signs, constants):
    """Passes to convert unsigned 16-bit half-words into ``half - LOW_OFFSET``, and back.

    Both directions change only the highest bit.

    Parameters
    ----------
    source, target : TensorLayouts with equal arrangements, 16 bits
    signs : TensorLayout like these, intermediate: -1 per half-word that reads as negative, else 0
    constants : placed Constants from ``half_words``
    """
    ways  = source.ways
    words = {"y_width": Width.BITS16}
    sign  = elementwise(CELL_BITS, CELL_BITS, x=source.access(), z=signs.access(), clip=(-1, 0),
                        y=constants.word(0, CELL_BITS, ways), z_memory=signs.memory, **words)
    low   = min(source.base, signs.base)
    high  = max(source.base, signs.base) + source.span - 1
    whole = elementwise(
        CELL_BITS, CELL_BITS, taps=(1, 2, 2), zero=-LOW_OFFSET, clip=(0, (1 << CELL_BITS) - 1),
        x=replace(source.access(taps=(0, signs.base - source.base, 0)), low=low, high=high),
        y=constants.word(0, CELL_BITS, ways, count=4, taps=(0, 2, 1)),
        z=target.access(), z_memory=target.memory, **words)
    return [pass_ for each in (sign, whole)
            for pass_ in sweep(each, source.span, (BANKS, 0, BANKS))]
