# SPDX-License-Identifier: Apache-2.0
"""Element-wise operations on two MLI 2.0 tensors, as maps or a product."""

from dataclasses import replace

import numpy as np

from xymac.golden.kinds import EltwiseOp
from xymac.golden.mli2 import Eltwise
from xymac.golden.parameters.mli2.eltwise import extreme_scale, product_scale
from xymac.golden.parameters.mli2.rounding import shift_round
from xymac.hdl.isa import AccumulatorRange, Op, RoundMode, Scale
from xymac.host.ir.elementwise import ElementMap, ElementMaps, split
from xymac.host.ir.fields import ZERO_MAX, affine_clip, container_clip, shift_fields
from xymac.host.ir.product import Product
from xymac.host.ir.sums import first_record

from .affine_sum import affine_sum
from .fields import narrow, round_clip

__all__ = ["FORMS"]

_PLACES   = 16  #: Distance of two binary points that weights bridge in a single pass;
_FAR      = 17  #: remainder of a larger distance, after a pass that limits the operand
_REACH    = 1 << 31 - _FAR  #: to a value that saturates 32 bits.
_EXTREMES = {EltwiseOp.MAX: Op.MAX, EltwiseOp.MIN: Op.MIN}


def form_of(layer, a, b):
    """A layer's ElementMaps or Product for QuantTensors like ``a`` and ``b``.

    Refusal if passes cannot give the library's results.
    """
    if not a.is_affine:
        return _fixed(layer, a, b)
    if layer.op not in (*_EXTREMES, EltwiseOp.MUL):
        return affine_sum(layer, a, b)
    return (_affine_extreme if layer.op in _EXTREMES else _affine_product)(layer, a, b)


def _fixed(layer, a, b):
    """ElementMaps or Product for FX operands."""
    mode, bits = layer.build.rounding, a.bits
    fracs = [a.format.frac_bits, b.format.frac_bits]
    out   = layer.out.frac_bits
    if layer.op is EltwiseOp.MUL:
        return Product(shift_fields(min(sum(fracs) - out, 2 * bits - 1), mode))
    if layer.op in _EXTREMES:
        shift = min(fracs[0] - out, bits - 1)
        return ElementMaps((ElementMap.of(1, 1, reads=("a", "b"), output={
            "op": _EXTREMES[layer.op], **shift_fields(shift, mode),
            "clip": round_clip(bits, shift, bits, mode)}),))
    return _fixed_sum(layer, bits, fracs)


def _fixed_sum(layer, bits, fracs):
    """ElementMaps for a sum or difference of FX operands.

    The library shifts the operand with fewer fractional bits left and saturates it at 32 bits, then
    the sum. After rounding, these are output limits. A previous pass clips an operand with a large
    left shift.
    """
    mode  = layer.build.rounding
    shift = min(max(fracs) - layer.out.frac_bits, 2 * bits - 1)
    limits = zip(container_clip(bits),
                 shift_round(np.array(container_clip(32)), shift, 64, mode).tolist(), strict=True)
    low, high = (sorted(both, key=abs)[0] for both in limits)
    signs  = [1, -1 if layer.op is EltwiseOp.SUB else 1]
    # By more bits than this every element but 0 moves beyond the limits.
    place  = min(max(fracs) - min(fracs), max(shift, 0) + bits, 31)
    places = [place if frac < max(fracs) else 0 for frac in fracs]
    output = {**shift_fields(shift, mode), "clip": (low, high),
              "acc_range": AccumulatorRange.BITS40}
    if place > _PLACES:
        return _far_sum(bits, int(fracs[1] < fracs[0]), signs, place, output)
    weights = split([sign << each for sign, each in zip(signs, places, strict=True)])
    return ElementMaps((ElementMap(weights, ("a", "b"), output=output),))


def _far_sum(bits, far, signs, place, output):
    """ElementMaps for an FX operand sum; operand ``far`` is shifted left by ``place`` bits.

    That operand is negated, because a 16-bit weight can be -2**15 but not 2**15. It reaches 2**31
    where the library saturates at 2**31 - 1. The difference is visible only if it is subtracted
    from the largest element and the remaining tie rounds up.
    """
    near   = "ba"[far]
    limits = np.clip(container_clip(bits), -_REACH, _REACH).tolist()
    moved  = ElementMap.of(-signs[far], reads=("ab"[far],), writes="s0", output={
        "shift": _FAR - place, "clip": tuple(limits)})
    most   = container_clip(bits)[1]
    if (signs[far], output["shift"], output["rounding"]) == (-1, bits, RoundMode.UP):
        both = ElementMap.of(1, 1, reads=("s0", near), writes="s1",
                             records=(np.array([1 - limits[1] - most]),), output={"clip": (0, 1)})
        total = ElementMap(split((-1 << _FAR, 1 << bits)), ("s0", "s1"), output=output)
        return ElementMaps((moved, both, total), scratch=(bits, bits))
    weights = split((-1 << _FAR, signs[1 - far]))
    return ElementMaps((moved, ElementMap(weights, ("s0", near), output=output)), scratch=(bits,))


def _affine_extreme(layer, a, b):
    """ElementMaps for the maximum or minimum, after maps subtracting a large zero point."""
    multiplier, post = narrow(*extreme_scale(layer, a))
    records = first_record(multiplier, post * 0, post), np.array(0)
    zero    = a.format.zero_point
    extreme = ElementMap.of(
        1, 1, reads=("a", "b"), records=tuple(map(np.atleast_1d, records)),
        output={"op": _EXTREMES[layer.op], "x_zero": zero, **_affine_output(layer)})
    if abs(zero) <= ZERO_MAX:
        return ElementMaps((extreme,))
    centred = (ElementMap.of(1, reads=(name,), writes=to, records=(np.array([-zero]),))
               for name, to in (("a", "s0"), ("b", "s1")))
    return ElementMaps((*centred, replace(extreme, reads=("s0", "s1"),
                                          output=extreme.output | {"x_zero": 0})),
                       scratch=(16, 16))


def _affine_product(layer, a, b):
    multiplier, early, shift = product_scale(layer, a, b)
    multiplier, post = narrow(multiplier, shift)
    return Product(_affine_output(layer), (int(first_record(multiplier, early, post)), 0),
                   (a.format.zero_point, b.format.zero_point))


def _affine_output(layer):
    return {"scale": Scale.BITS16, "rounding": layer.build.rounding,
            **affine_clip(container_clip(8), layer.out.zero_point)}


FORMS = {Eltwise: form_of}
