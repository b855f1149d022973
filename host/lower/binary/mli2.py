"""Two tensors combined element by element in MLI 2.0, as maps or a product."""

import numpy as np

from golden.kinds import EltwiseOp
from golden.mli2 import Eltwise
from golden.parameters.mli2.eltwise import extreme_scale, product_scale
from golden.parameters.mli2.rounding import shift_round
from hdl.isa import AccumulatorRange, Op, Scale
from host.lower.elementwise.form import ElementMap, ElementMaps, split
from host.lower.fields.mli2 import affine_clip, check_zero, narrow, round_clip
from host.lower.fields.shift import shift_fields
from host.lower.products import first_record
from host.lower.refuse import NoPassesError
from host.lower.sweep import container_clip

from .affine_sum import affine_sum
from .product import Product

__all__ = ["FORMS"]

_EXTREMES = {EltwiseOp.MAX: Op.MAX, EltwiseOp.MIN: Op.MIN}


def form_of(layer, a, b):
    """The ``ElementMaps`` or ``Product`` of a layer for QuantTensors like ``a`` and ``b``.

    NoPassesError where passes would not give what the library gives.
    """
    if not a.is_affine:
        return _fixed(layer, a, b)
    if layer.op not in (*_EXTREMES, EltwiseOp.MUL):
        return affine_sum(layer, a, b)
    for name, tensor in (("first", a), ("second", b)):
        check_zero(f"the {name} input", tensor.format.zero_point)
    return (_affine_extreme if layer.op in _EXTREMES else _affine_product)(layer, a, b)


def _fixed(layer, a, b):
    """ElementMaps or Product of FX operands."""
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
    shift   = min(max(fracs) - out, 2 * bits - 1)
    places  = [max(fracs) - frac for frac in fracs]
    if max(places) > 32 - bits:
        raise NoPassesError(f"Fractional bits of both inputs must differ by at most {32 - bits}, "
                            f"not {max(places)}")
    sign    = -1 if layer.op is EltwiseOp.SUB else 1
    weights = split([1 << places[0], sign << places[1]])
    # The sum saturates at 32 bits before it is rounded: rounded, these are limits like any other.
    limits  = zip(container_clip(bits),
                  shift_round(np.array(container_clip(32)), shift, 64, mode).tolist(), strict=True)
    low, high = (sorted(both, key=abs)[0] for both in limits)
    return ElementMaps((ElementMap(weights, ("a", "b"), output={
        **shift_fields(shift, mode), "clip": (low, high),
        "acc_range": AccumulatorRange.BITS40}),))


def _affine_extreme(layer, a, b):
    multiplier, post = narrow(*extreme_scale(layer, a))
    records = first_record(multiplier, post * 0, post), np.array(0)
    return ElementMaps((ElementMap.of(
        1, 1, reads=("a", "b"), records=tuple(map(np.atleast_1d, records)),
        output={"op": _EXTREMES[layer.op], "x_zero": a.format.zero_point,
                **_affine_output(layer)}),))


def _affine_product(layer, a, b):
    multiplier, early, shift = product_scale(layer, a, b)
    multiplier, post = narrow(multiplier, shift)
    return Product(_affine_output(layer), (int(first_record(multiplier, early, post)), 0),
                   (a.format.zero_point, b.format.zero_point))


def _affine_output(layer):
    return {"scale": Scale.BITS16, "rounding": layer.build.rounding,
            **affine_clip(container_clip(8), layer.out.zero_point)}


FORMS = {Eltwise: form_of}
