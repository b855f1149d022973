# SPDX-License-Identifier: Apache-2.0
"""The scaled product of two vectors of the XS3 library, ``mul_elementwise``.

The first pass writes half of every product with 16 bits, the second scales it and adds the bias,
the third shifts. A shift without rounding followed by a rounded shift equals a single rounded shift
by the sum of their bits.
"""

from dataclasses import replace

import numpy as np

from xymac.golden import xs3
from xymac.golden.parameters.xs3 import DEPTH, PRODUCT_SHIFT, SCALE_BITS
from xymac.hdl.isa import RoundMode
from xymac.host.ir.elementwise import ElementMap, ElementMaps
from xymac.host.ir.fields import container_clip, shift_fields
from xymac.host.lower.elementwise.maps import map_passes, pack_maps, scratch_layouts
from xymac.host.lower.scratch import place_behind, with_room

from .passes import BinaryLowering
from .product import Product, pack_product, product_passes

__all__ = ["ScaledProductLowering"]

_LIMIT = (1 << 15) - 1


def _maps(layer):
    """ElementMaps from half a product to the output."""
    scaled = ElementMap.of(
        layer.scale, reads=("s0",), writes="s1", records=(np.array([layer.bias << SCALE_BITS]),),
        output={**shift_fields(SCALE_BITS, RoundMode.UP), "clip": (-_LIMIT, _LIMIT)})
    shifted = ElementMap.of(1, reads=("s1",), output={
        **shift_fields(DEPTH + layer.shift, RoundMode.UP), "clip": (layer.low, 127)})
    return ElementMaps((scaled, shifted), scratch=(16, 16))


class ScaledProductLowering(BinaryLowering):
    """A product with a scale, a bias and a shift."""

    layers = (xs3.MulElementwise,)

    def _find_form(self):
        self._maps = _maps(self.layer)
        return Product({**shift_fields(PRODUCT_SHIFT, RoundMode.FLOOR),
                        "clip": container_clip(16)},
                       zeros=tuple(-zero - 1 for zero in self.layer.zeros))

    def target_layout(self, sources):
        """As the inputs, with half products and scaled ones behind."""
        target = self._whole(sources)
        return with_room(target, scratch_layouts(self._maps, target))

    def _halves(self, target):
        """TensorLayout of half products behind a placed output."""
        return place_behind(target, scratch_layouts(self._maps, target))[0]

    def constants(self, sources):
        """Constants of the maps, then constants of the product."""
        target = self._whole(sources)
        maps   = pack_maps(self._maps, target)
        halves = scratch_layouts(self._maps, target)[0]
        values = pack_product(self._form, sources, halves, self._partial)
        return replace(values, bias=maps.bias,
                       weights=np.concatenate([maps.weights, values.weights]))

    def passes(self, sources, target, constants):
        """Half products, then the maps."""
        size = pack_maps(self._maps, target).weights.size
        behind = replace(constants, weights=constants.weights[size:], bias=np.concatenate(
            [constants.bias, constants.weights[:size]]))
        halves = product_passes(self._form, sources, self._halves(target), behind, self._partial)
        return halves + map_passes(self._maps, {"out": target}, constants)
