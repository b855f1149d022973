# SPDX-License-Identifier: Apache-2.0
"""Elementwise selection from two tensors by a third, as passes."""

from dataclasses import replace

import numpy as np

from xymac.host.ir.pair import Selection
from xymac.host.lower.elementwise.maps import map_passes, pack_maps, scratch_layouts
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.memory.constants import lane_words

from .broadcast import expand
from .passes import BinaryLowering

__all__ = ["SelectLowering"]

class SelectLowering(BinaryLowering):
    """Elementwise selection from two tensors; the third operand is the selector."""

    forms = (Selection,)

    def target_layout(self, sources):
        """The inputs' common layout."""
        target = self._whole(sources)
        return with_room(target, scratch_layouts(self._form, target))

    def constants(self, sources):
        """Map weights and parameters, then a weight 1 to repeat operands."""
        constants = pack_maps(self._form, self._whole(sources))
        one       = lane_words(np.array([1], np.int8), self.ways).weights
        return replace(constants, weights=np.concatenate([constants.weights, one]))

    def passes(self, sources, target, constants):
        """All operands expanded to 16 bits in output order, then the maps."""
        rooms  = place_behind(target, scratch_layouts(self._form, target))
        rows   = constants.weights.size // constants.row_cells
        one    = constants.word((rows - 1) * 2 * target.ways, 8, target.ways)
        passes = [pass_ for source, room in zip(sources, rooms, strict=True)
                  for pass_ in expand(source, room, target, one)]
        return passes + map_passes(self._form, {"out": target}, constants)
