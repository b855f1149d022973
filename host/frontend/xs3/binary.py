# SPDX-License-Identifier: Apache-2.0
"""XS3 vector sums and products as maps and products."""

import numpy as np

from xymac.golden import xs3
from xymac.golden.parameters.xs3 import ADD_SHIFT
from xymac.hdl.isa import AccumulatorRange, RoundMode, Scale
from xymac.host.ir.elementwise import ElementMap, ElementMaps, split
from xymac.host.ir.fields import container_clip, shift_fields
from xymac.host.ir.pair import SaturatingPair
from xymac.host.ir.product import Product
from xymac.host.ir.sums import first_record

from .elementwise import round_fields
from .linear import LIMIT

__all__ = ["FORMS", "SATURATING", "peak"]

_LIMITS = (-32767, 32767)  #: Symmetric 16-bit limits.


def form_of(layer, a, b):
    """The ``ElementMaps`` for a sum on Integers like ``a`` and ``b``."""
    factors = _factors(layer)
    if factors:
        return ElementMaps((_sum(layer, factors, ("a", "b")),))
    operands = [ElementMap.of(1, reads=(read,), writes=name, output=_prescale(shift))
                for read, name, shift in zip("ab", ("s0", "s1"), layer.shifts, strict=True)]
    return ElementMaps((*operands, _sum(layer, layer.scales, ("s0", "s1"))), scratch=(16, 16))


def _sum(layer, weights, reads):
    return ElementMap(split(weights), reads, records=(np.array([layer.bias]),),
               output=round_fields(layer, layer.shift))


def _prescale(shift):
    """Fields for passes writing a sum's shifted 16-bit operand."""
    return {"clip": _LIMITS, **shift_fields(shift, RoundMode.FLOOR)}


def peak(layer):
    """The largest ``add_elementwise`` sum magnitude: the bias and both products."""
    return abs(layer.bias) + sum(_reach(shift) * abs(scale)
                                 for shift, scale in zip(layer.shifts, layer.scales, strict=True))


def _reach(shift):
    """The largest shifted operand magnitude: the operand -128, also if floored."""
    return min(128 << -shift, _LIMITS[1]) if shift < 0 else -(-128 >> shift)


def form_of_saturating(layer, a, b):
    """The ``SaturatingPair`` for a sum that can overflow for some inputs; else None."""
    if peak(layer) <= LIMIT:
        return None
    return SaturatingPair(form_of(layer, a, b), layer.bias, tuple(layer.scales),
                          tuple(map(_prescale, layer.shifts)), round_fields(layer, layer.shift))


def _factors(layer):
    """The unshifted operands' factors, or None where the operands are to be shifted first."""
    factors = []
    for shift, scale in zip(layer.shifts, layer.scales, strict=True):
        factor = scale << min(max(-shift, 0), 15)
        # From 8 bits on a left shift can saturate.
        if not -8 < shift <= 0 or not -(1 << 15) <= factor < 1 << 15:
            return None
        factors.append(factor)
    return factors


def _sum_of_words(layer, a, b):
    """The ``ElementMaps`` for a 16-bit element sum."""
    return ElementMaps((ElementMap(split(layer.scales), ("a", "b"), output={
        "clip": container_clip(16), **shift_fields(ADD_SHIFT, RoundMode.UP),
        "acc_range": AccumulatorRange.BITS40}),))  # A sum can reach 2**31.


def _product_of_words(layer, a, b):
    """The scaled ``Product`` for 16-bit elements."""
    return Product({"clip": container_clip(16), "scale": Scale.BITS32, "rounding": RoundMode.UP},
                   (first_record(layer.scale, 0, layer.shift), 0))


FORMS = {xs3.AddElementwise: form_of, xs3.AddInt16: _sum_of_words,
         xs3.MultiplyInt16: _product_of_words}
SATURATING = {xs3.AddElementwise: form_of_saturating}
