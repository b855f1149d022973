# SPDX-License-Identifier: Apache-2.0
"""Squared differences of TensorFlow Lite: maps to the difference, and its product with itself.

The difference of INT16 has 17 bits, but its negative magnitude has 16: the sum of what is below 0
of the difference and of its negative.
"""

from dataclasses import replace

import numpy as np

from xymac.golden.parameters.tflm.pairs import difference_shift
from xymac.golden.tflm import SquaredDifference
from xymac.hdl.isa import BANKS, Access, Memory, Width
from xymac.host.frontend.tflm.slopes import check_factor
from xymac.host.ir.elementwise import ElementMap, ElementMaps
from xymac.host.ir.fields import container_clip
from xymac.host.ir.rescale import rescale_fields, rescale_records
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

    layers = (SquaredDifference,)

    def _find_form(self):
        a, b  = self.inputs
        self._factor = self.layer.factors(a, b)[2]
        check_factor(1 << 30, self._factor[1])
        maps  = [_scale(name, x, factor, f"s{slot}") for slot, (name, x, factor) in enumerate(
            zip("ab", (a, b), self.layer.factors(a, b), strict=False))]
        if a.bits == 8:
            return ElementMaps((*maps, _difference((1, -1), "s0")), None, (_WORD,) * 2)
        top = {"clip": (container_clip(_WORD)[0], 0)}
        return ElementMaps((*maps, _difference((1, -1), "s2", output=top),
                            _difference((-1, 1), "s3", output=top),
                            _difference((1, 1), "s0", ("s2", "s3"))), None, (_WORD,) * 4)

    def constants(self, sources):
        """Those of the maps; behind them a weight of 1, the parameters of the square, and room for
        the difference."""
        main  = super().constants(sources)
        lanes = np.ones(BANKS * self.ways, np.int64)
        more  = (lane_words(np.ones(1, np.int16), self.ways).weights,
                 pack_records([record * lanes for record in (*rescale_records(*self._factor), 0)],
                              self.ways))
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
            z=target.access(), bias_row=behind + 1,
            **rescale_fields(self.layer.out.zero_point, container_clip(target.bits))),
            target.groups, (BANKS, 1, BANKS))


def _room(target):
    """TensorLayout of the difference in Y, not placed."""
    return replace(target, bits=_WORD, memory=Memory.Y, row=0, before=0, behind=0, offset=0, gap=0)


def _scale(name, x, factor, writes):
    """Map of an operand to half of the larger scale, 16 bits."""
    weight = 1 << difference_shift(x.bits)
    bias   = -x.quantisation.zero_point * weight
    return ElementMap.of(weight, reads=(name,), writes=writes,
                         records=tuple(map(np.atleast_1d, (*rescale_records(*factor), bias))),
                         output=rescale_fields(0, container_clip(_WORD)))


def _difference(weights, writes, reads=("s0", "s1"), output=None):
    return ElementMap.of(*weights, reads=reads, writes=writes, output=output or {})
