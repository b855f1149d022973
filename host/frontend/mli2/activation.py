# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 activations as maps."""

from dataclasses import replace

import numpy as np

from xymac.golden.mli2 import LeakyRelu, Prelu, Rectify
from xymac.golden.parameters.mli2.activation import affine_slopes
from xymac.golden.parameters.mli2.limits import relu_limits
from xymac.hdl.isa import Op, Scale
from xymac.host.ir.elementwise import ElementMap, ElementMaps
from xymac.host.ir.fields import shift_fields
from xymac.host.ir.sums import first_record

from .affine import affine_map, saturate_once
from .fields import round_clip

__all__ = ["FORMS"]


def form_of_rectify(layer, x):
    """ElementMaps for a ReLU on a QuantTensor like ``x``."""
    low, high = relu_limits(layer.relu, x.format, x.bits)
    return ElementMaps((ElementMap.of(1, output={"clip": (low, max(low, high))}),))


def form_of_leaky_relu(layer, x):
    """ElementMaps for a leaky or parametric ReLU.

    Refusal if passes cannot give the library's results.
    """
    return (_affine_leaky if x.is_affine else _fixed_leaky)(layer, x)


def _larger(above):
    """Map for the larger of two elements, or for the smaller where ``above`` [n].

    The smaller is the negated larger of the negated elements.
    """
    if np.all(above) or not np.any(above):
        return ElementMap.of(1, 1, output={"op": Op.MIN if np.any(above) else Op.MAX})
    signs = np.where(above, -1, 1)
    return ElementMap(np.stack([signs, signs])[:, None].astype(np.int8),
               records=(first_record(signs, signs * 0, signs * 0), signs * 0),
               output={"op": Op.MAX, "scale": Scale.BITS32})


def _leaky(layer, maps, above, **options):
    """ElementMaps from ``maps``, then the larger of their results.

    For slopes of 1 or more it is the smaller, so that the scaled element applies only below 0.
    """
    axis = layer.axis if isinstance(layer, Prelu) and layer.axis >= 0 else None
    fold = replace(_larger(np.array(above)),
                   reads=("s0" if options.get("scratch") else "a", "out"))
    return ElementMaps((*maps, fold), axis, **options)


def _fixed_leaky(layer, x):
    mode, slope    = layer.build.rounding, layer.slope
    factors, shift = layer.fixed_slopes()
    factors = np.reshape(factors, -1).astype(slope.data.dtype)
    scaled  = ElementMap(factors[None, None], output={
        **shift_fields(shift, mode), "clip": round_clip(x.bits, shift, 32, mode)})
    frac_bits = slope.format.frac_bits
    above     = [value << max(-frac_bits, 0) >= 1 << max(frac_bits, 0)
                 for value in slope.data.reshape(-1).tolist()]
    return _leaky(layer, (scaled,), above)


def _affine_leaky(layer, x):
    (multiplier, shift), slopes = affine_slopes(layer, x)
    zero   = [x.format.zero_point]
    output = saturate_once(layer.build.rounding, layer.out.zero_point)
    below  = affine_map(zero, *(np.array(values) for values in zip(*slopes, strict=True)), output)
    same   = affine_map(zero, [multiplier], [shift], output, writes="s0")
    above  = [slope << max(shift - places, 0) >= multiplier << max(places - shift, 0)
              for slope, places in slopes]
    return _leaky(layer, (below, same), above, scratch=(8,))


FORMS = {Rectify: form_of_rectify, LeakyRelu: form_of_leaky_relu, Prelu: form_of_leaky_relu}
