# SPDX-License-Identifier: Apache-2.0
"""The XS3 library's scaled product of two vectors, ``mul_elementwise``.

The first map makes half of every product with 16 bits, the second scales it and adds the bias, the
third shifts. A shift without rounding followed by a rounded shift equals a single rounded shift by
the sum of their bits.
"""

import numpy as np

from xymac.golden import xs3
from xymac.golden.parameters.xs3 import DEPTH, PRODUCT_SHIFT, SCALE_BITS
from xymac.hdl.isa import RoundMode
from xymac.host.ir.elementwise import ElementMap, ElementMaps
from xymac.host.ir.fields import container_clip, shift_fields
from xymac.host.ir.pair import ScaledPair
from xymac.host.ir.product import Product

__all__ = ["FORMS"]

_LIMIT = (1 << 15) - 1


def form_of(layer, a, b):
    """The ``ScaledPair`` for a product with a scale, a bias and a shift."""
    return ScaledPair(Product({**shift_fields(PRODUCT_SHIFT, RoundMode.FLOOR),
                               "clip": container_clip(16)},
                              zeros=tuple(-zero - 1 for zero in layer.zeros)), _maps(layer))


def _maps(layer):
    """ElementMaps from half a product to the output."""
    scaled = ElementMap.of(
        layer.scale, reads=("s0",), writes="s1", records=(np.array([layer.bias << SCALE_BITS]),),
        output={**shift_fields(SCALE_BITS, RoundMode.UP), "clip": (-_LIMIT, _LIMIT)})
    shifted = ElementMap.of(1, reads=("s1",), output={
        **shift_fields(DEPTH + layer.shift, RoundMode.UP), "clip": (layer.low, 127)})
    return ElementMaps((scaled, shifted), scratch=(16, 16))


FORMS = {xs3.MulElementwise: form_of}
