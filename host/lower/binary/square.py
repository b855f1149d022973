# SPDX-License-Identifier: Apache-2.0
"""Squared differences as passes: maps compute the difference, a product squares it."""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS, Access, Memory, Width
from xymac.host.ir.pair import SquaredPair
from xymac.host.lower.elementwise.maps import scratch_layouts
from xymac.host.lower.scratch import place_behind
from xymac.host.lower.sweep import copy, elementwise, sweep
from xymac.host.memory.constants import lane_words
from xymac.host.memory.packing import pack_records

from .passes import BinaryLowering

__all__ = ["SquareLowering"]

_WORD = 16


class SquareLowering(BinaryLowering):
    """A SQUARED_DIFFERENCE."""

    forms = (SquaredPair,)

    def constants(self, sources):
        """Map constants, then a weight 1, the square's parameters, and free space for the
        difference.
        """
        main  = super().constants(sources)
        lanes = np.ones(BANKS * self.ways, np.int64)
        more  = (lane_words(np.ones(1, np.int16), self.ways).weights,
                 pack_records([record * lanes for record in self.form.records], self.ways))
        return replace(main, weights=np.concatenate([main.weights, *more]),
                       room=_room(self._whole(sources)).rows)

    def passes(self, sources, target, constants):
        """The maps, a copy of the difference to Y, and the square."""
        main   = replace(super().constants(sources), y_row=constants.y_row)
        passes = super().passes(sources, target, main)
        behind = main.weights_row + main.weights.size // main.row_cells
        [difference, *_] = place_behind(target, scratch_layouts(self._form, target))
        room   = _room(target).at(constants.room_row)
        one    = Access(*[behind * self.ways] * 3)
        passes += [replace(pass_, y_width=Width.BITS16)
                   for pass_ in copy(difference, room, one, difference.groups)]
        first  = room.base // BANKS
        word   = Access(first, first, first + -(-room.groups // BANKS) - 1)
        return passes + sweep(elementwise(
            _WORD, target.bits, x=difference.access(), y=word, y_width=Width.BITS16,
            z=target.access(), bias_row=behind + 1, **self.form.output),
            target.groups, (BANKS, 1, BANKS))


def _room(target):
    """The difference's TensorLayout in Y, not placed."""
    return replace(target, bits=_WORD, memory=Memory.Y, row=0, before=0, behind=0, offset=0, gap=0)
