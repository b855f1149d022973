# SPDX-License-Identifier: Apache-2.0
"""Products rescaled by maps, as passes."""

from dataclasses import replace

import numpy as np

from xymac.host.ir.pair import ScaledPair
from xymac.host.lower.elementwise.maps import map_passes, pack_maps, scratch_layouts
from xymac.host.lower.scratch import place_behind, with_room

from .passes import BinaryLowering
from .product import pack_product, product_passes

__all__ = ["ScaledProductLowering"]

class ScaledProductLowering(BinaryLowering):
    """A product with a scale, a bias and a shift."""

    forms = (ScaledPair,)

    def target_layout(self, sources):
        """The inputs' layout, followed by half products and scaled products."""
        target = self._whole(sources)
        return with_room(target, scratch_layouts(self.form.after, target))

    def _halves(self, target):
        """Half products' TensorLayout, after a placed output."""
        return place_behind(target, scratch_layouts(self.form.after, target))[0]

    def constants(self, sources):
        """Map constants, then product constants."""
        target = self._whole(sources)
        maps   = pack_maps(self.form.after, target)
        halves = scratch_layouts(self.form.after, target)[0]
        values = pack_product(self._form, sources, halves, self._partial)
        return replace(values, bias=maps.bias,
                       weights=np.concatenate([maps.weights, values.weights]))

    def passes(self, sources, target, constants):
        """Half products, then the maps."""
        size = pack_maps(self.form.after, target).weights.size
        behind = replace(constants, weights=constants.weights[size:], bias=np.concatenate(
            [constants.bias, constants.weights[:size]]))
        halves = product_passes(self._form, sources, self._halves(target), behind, self._partial)
        return halves + map_passes(self.form.after, {"out": target}, constants)
