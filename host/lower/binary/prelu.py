# SPDX-License-Identifier: Apache-2.0
"""PRELU with slopes along several dimensions, as passes: elements times slopes in Y.

Non-negative and negative elements are scaled separately, then added.
"""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS, Access, Memory, Width
from xymac.host.ir.pair import Slopes
from xymac.host.lower.base import Lowering
from xymac.host.lower.elementwise.maps import map_passes, pack_maps, scratch_layouts
from xymac.host.lower.orders import refuse_apart
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.lower.sweep import elementwise
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import pack_records

from .broadcast import default_whole, is_single, lower
from .product import repeat_product

__all__ = ["PreluLowering"]


class PreluLowering(Lowering):
    """A PRELU with slopes along several dimensions."""

    forms = (Slopes,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self._form, self._alpha = self.form.maps, self.form.alpha

    def source_layouts(self, preferred):
        """The output layout preferred by the next layer, if the slopes can follow its element
        order.
        """
        [x] = self.inputs
        if preferred is None or lower(preferred.like(self.output), self._alpha) is None:
            preferred = default_whole(self.output, (x, self._alpha), self.ways)
        return (preferred.like(x),)

    def refuses(self, sources):
        """An element order that no slope layout can follow."""
        [source] = sources
        if lower(source.like(self.output), self._alpha) is None:
            return refuse_apart(source.arrangement, self._alpha.shape)
        return None

    def target_layout(self, sources):
        """The input's layout."""
        [source] = sources
        target = source.like(self.output)
        return with_room(target, scratch_layouts(self._form, target))

    def constant_axes(self):
        """The longest dimension, if slopes differ along it."""
        [(axis, unit)] = self.tile_axes()
        own = axis - len(self.output.shape) + len(self._alpha.shape)
        return [(axis, unit)] if own >= 0 and self._alpha.shape[own] > 1 else []

    def constants(self, sources):
        """Map weights and parameters, product parameters, and slopes."""
        [source]  = sources
        constants = pack_maps(self._form, source)
        lanes     = np.ones(BANKS * self.ways, np.int64)
        records   = pack_records([record * lanes for record in self.form.records], self.ways)
        runs, room = self._slopes(source)
        return replace(constants, bias=np.concatenate([constants.bias, records]),
                       weights=np.concatenate([constants.weights, room.cells(runs)]))

    def _slopes(self, source):
        """(int16 slopes [runs, elements of a run's Y words], their TensorLayout, not placed)."""
        layout = lower(source, self._alpha)
        lanes  = BANKS * self.ways
        single = is_single(layout, source)
        words  = 1 if single else -(-source.pitch // BANKS)
        runs   = self.form.slopes.transpose(layout.order).reshape(layout.groups // layout.pitch, -1)
        spread = np.zeros((len(runs), words * lanes), np.int16)
        if single:
            spread[:] = runs
        else:
            spread[:, layout.slots()] = runs
        return spread, TensorLayout(spread.shape, 16, self.ways, (0, 1), 1, (words * lanes,),
                                    Memory.Y)

    def passes(self, sources, target, constants):
        """A sweep per map, with the products before the last sweep."""
        [source] = sources
        scratch  = place_behind(target, scratch_layouts(self._form, target))
        maps     = map_passes(self._form, {"a": source, "out": target}, constants)
        row_cells = constants.row_cells
        _, room  = self._slopes(source)
        others   = pack_maps(self._form, source)
        first    = (constants.weights_row + others.weights.size // row_cells) * self.ways
        slopes   = lower(source, self._alpha)
        products = repeat_product(elementwise(
            16, target.bits, x=scratch[0].access(), y_width=Width.BITS16,
            y=Access(base=first, low=first, high=first + room.rows * self.ways - 1),
            z=scratch[1].access(), bias_row=constants.y_row + others.bias.size // row_cells,
            **self.form.output),
            scratch[0], slopes, target, is_single(slopes, target))
        last = len(maps) // len(self._form.maps)
        return [*maps[:-last], *products, *maps[-last:]]
