# SPDX-License-Identifier: Apache-2.0
"""Elementwise operations on two tensors as passes."""

from dataclasses import replace

import numpy as np

from xymac.host.ir.pair import Pair
from xymac.host.ir.product import Product
from xymac.host.lower.base import Lowering
from xymac.host.lower.elementwise.maps import are_runs, map_passes, pack_maps, scratch_layouts
from xymac.host.lower.orders import refuse_apart
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.memory.constants import lane_words

from .broadcast import default_whole, expand, is_whole, lower, whole_of
from .product import far_rooms, pack_product, place_factors, product_passes

__all__ = ["BinaryLowering"]


class BinaryLowering(Lowering):
    """A sum, difference, extreme or product of two tensors."""

    forms = (Pair,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self._form     = self.form.each
        self._products = isinstance(self._form, Product)
        #: Indices of the broadcast operands.
        self._partial = [index for index, x in enumerate(inputs)
                         if not is_whole(x, self.output.shape)]
        # Subclasses with passes of their own sweep whole tensors.
        own = type(self).passes is not BinaryLowering.passes
        self.writes_runs = not (own or self._products or self._partial) and are_runs(self._form)

    def source_layouts(self, preferred):
        """The output layout preferred by the next layer; a second factor is in Y."""
        layouts = [None]
        if preferred is not None:
            layouts = [lower(preferred.like(self.output), x) for x in self.inputs]
        if None in layouts:
            each    = default_whole(self.output, self.inputs, self.ways)
            layouts = [lower(each, x) for x in self.inputs]
        if self._products and not self._partial:
            layouts = place_factors(self._form, layouts)
        return tuple(layouts)

    def refuses(self, sources):
        """Inputs in different layouts."""
        if self._whole(sources) is not None:
            return None
        first, *others = (source.arrangement for source in sources)
        return refuse_apart(first, next((each for each in others if each != first), first))

    def target_layout(self, sources):
        """The inputs' common layout."""
        target = self._whole(sources)
        if self._products:
            return with_room(target, far_rooms(self._form, sources))
        return with_room(target, [*scratch_layouts(self._form, target), *self._rooms(target)])

    def _whole(self, sources):
        return whole_of(self.output, self.inputs, sources)

    def _rooms(self, target):
        """TensorLayouts, not placed, for the broadcast operands after the first.

        The first broadcast operand is expanded in the output's memory.
        """
        return [replace(target, row=0, behind=0) for _ in self._partial[1:]]

    def constants(self, sources):
        """Weights and per-channel parameters; for maps with broadcast operands, then a weight 1 for
        copies.
        """
        if self._products:
            return pack_product(self._form, sources, self._whole(sources), self._partial)
        constants = pack_maps(self._form, sources[0])
        if not self._partial:
            return constants
        one = lane_words(np.array([1], np.int8), self.ways).weights
        return replace(constants, weights=np.concatenate([constants.weights, one]))

    def passes(self, sources, target, constants):
        """Passes to expand broadcast operands, then the map or product passes."""
        if self._products:
            return product_passes(self._form, sources, target, constants, self._partial)
        layouts, passes = dict(zip("ab", sources, strict=True)), []
        scratch = scratch_layouts(self._form, target)
        placed  = place_behind(target, [*scratch, *self._rooms(target)])[len(scratch):]
        rows    = constants.weights.size // constants.row_cells
        one     = constants.word((rows - 1) * 2 * target.ways, 8, target.ways)
        for index, room in zip(self._partial, [target, *placed], strict=False):
            passes += expand(sources[index], room, target, one)
            layouts["ab"[index]] = room
        return passes + map_passes(self._form, layouts | {"out": target}, constants)
