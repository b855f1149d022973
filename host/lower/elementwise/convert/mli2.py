"""Conversions of MLI 2.0 as maps."""

from dataclasses import replace

import numpy as np

from golden.mli2 import ConvertTensor, Element
from golden.parameters.mli2.convert import conversion
from golden.parameters.mli2.rounding import norm
from hdl.isa import AccumulatorRange, RoundMode, Scale
from host.lower.elementwise.affine import affine_map
from host.lower.elementwise.form import ElementMap, ElementMaps, split
from host.lower.fields.mli2 import affine_clip, check_zero, narrow, ties
from host.lower.fields.shift import shift_fields
from host.lower.products import first_record
from host.lower.refuse import NoPassesError
from host.lower.sweep import container_clip
from host.memory.layout import LOW_OFFSET

__all__ = ["FORMS"]

_NARROW = (Element.FX_8, Element.FX_16, Element.SA_8)
_PRODUCT_BITS = 29  #: Of a product that the library keeps all bits of, at least.
_PRODUCT_MAX  = 62  #: Bits of a product of 32 bits by 32 bits without its sign.
_DIGIT  = 15  #: Bits of a scaled element that are not in its upper part.
_WIDE   = {"acc_range": AccumulatorRange.BITS40}


def form_of(layer, x):
    """The ``ElementMaps`` of a conversion of a QuantTensor like ``x``.

    NoPassesError where passes would not give what the library gives.
    """
    dim   = max(getattr(kind, "dim", -1) for kind in (x.format, layer.out))
    count = 1 if dim < 0 else x.shape[dim]
    ends  = x.element, layer.element
    if not set(ends) <= {*_NARROW, Element.SA_32} or ends == (Element.SA_32, Element.SA_32):
        raise NoPassesError(f"There are no passes to convert {x.element.name} to "
                            f"{layer.element.name}")
    scales = [conversion(x.format, layer.out, index, layer.build) for index in range(count)]
    axis  = None if dim < 0 else dim
    if layer.element is Element.SA_32:
        return _widen(scales, x.bits, layer.build.rounding)
    for each in scales:
        check_zero("the output", each.out_zero)
    limits, mode = container_clip(layer.element.bits), layer.build.rounding
    if x.element is Element.SA_32 and mode is RoundMode.CONVERGENT and any(
            _count_dropped(each, limits) for each in scales):
        return _cut(scales, limits)
    convert = _narrow if x.element is Element.SA_32 else _keep
    return ElementMaps((convert(scales, limits, mode),), axis)


def _columns(scales):
    """Zero points, multipliers, shifts and zero points of the output, arrays."""
    return (np.array([getattr(each, name) for each in scales])
            for name in ("in_zero", "multiplier", "shift", "out_zero"))


def _keep(scales, limits, mode):
    """ElementMap from elements of at most 16 bits to others."""
    zeros, multipliers, shifts, out_zeros = _columns(scales)
    scaled = affine_map(zeros, multipliers, shifts, {"rounding": mode})
    return _with_zeros(scaled, limits, *narrow(multipliers, shifts), out_zeros)


def _narrow(scales, limits, mode):
    """ElementMap from elements of 32 bits."""
    zeros, multipliers, shifts, out_zeros = _columns(scales)
    factors = np.where(shifts < 0, narrow(multipliers, shifts)[0], multipliers)
    posts   = np.clip(shifts, 0, 63)
    scaled  = _scale(factors, posts, zeros, mode)
    return _with_zeros(scaled, limits, factors, posts, out_zeros)


def _scale(factors, posts, zeros, mode):
    """ElementMap that scales elements of 32 bits."""
    return ElementMap(split([1 << 16, 1]), ("a_upper", "a_lower"),
               records=(first_record(factors, posts * 0, posts), LOW_OFFSET - zeros),
               output={"scale": Scale.BITS32, "rounding": mode, **_WIDE})


def _count_dropped(each, limits):
    """Bits of a product, not all 0, that the library can drop before it rounds; see ``_cut``.

    It drops those of a product of more than 30 bits. What has so many that it saturates does not
    matter, nor does a product of at most 62 bits that is shifted by more: nothing is left of it.
    """
    if each.shift > _PRODUCT_MAX:
        return 0
    reach   = limits[1] + abs(each.out_zero) + 2
    dropped = each.shift + reach.bit_length() - _PRODUCT_BITS
    return dropped if dropped > 0 and each.multiplier % (1 << dropped) else 0


def _cut(scales, limits):
    """ElementMaps from 32 bits if the library drops bits before it rounds halves to even.

    What is less than ``2**bits`` above a half then looks like one. With ``low`` that goes down
    there and ``high`` that goes up, and both the same elsewhere, half of their sum rounded to even
    is what the library has. How many bits it drops grows with the bits of the element, so ``low``
    is put together: what an element adds to it beyond each bound has its own number of them.
    """
    [each, *others] = scales
    if others or (each.out_zero and limits[1] + abs(each.out_zero) + 2 > container_clip(16)[1]):
        raise NoPassesError("Where halves are rounded to even, a multiplier of elements of 32 "
                            f"bits must have {_count_dropped(each, limits)} zeros at its end for a "
                            f"right shift by {each.shift}, not be {each.multiplier}")
    low, high = container_clip(16)
    spare     = norm(each.multiplier, 32)  # an element of n bits loses 1 + n - spare
    sizes     = [size for size in range(1, 32) if each.multiplier % (1 << max(1 + size - spare, 0))]
    bounds    = [(1 << size - 1, 1 + size - spare) for size in sizes]

    def convert_element(x, bits):
        half = 1 << each.shift - 1
        return min(max(x * each.multiplier + half - (1 << bits) >> each.shift, low), high)

    ups   = [convert_element(bound, bits) for bound, bits in bounds] + [high]
    downs = [convert_element(-bound - 1, bits) for bound, bits in bounds] + [low]
    maps  = [_round(each, "s0", 0, (downs[0], ups[0]))]
    for index, (_, bits) in enumerate(bounds):
        for first, clip in ((ups[index], (ups[index], ups[index + 1])),
                            (downs[index], (downs[index + 1], downs[index]))):
            if clip[0] < clip[1]:
                maps += [_round(each, "s1", bits, clip),
                         _sum((1, 1), ("s0", "s1"), "s0", -first)]
    even = {**shift_fields(1, RoundMode.CONVERGENT), **affine_clip(limits, each.out_zero), **_WIDE}
    maps += [_round(each, "s1", None, (low, high)),
             ElementMap(split((1, 1)), ("s0", "s1"), output=even)]
    return ElementMaps(tuple(maps), scratch=(16, 16))


def _round(each, writes, bits, clip):
    """ElementMap of scaled elements of 32 bits.

    What is less than ``2**bits`` above a half goes down.
    """
    zero, factor, post = (np.array([value]) for value in (each.in_zero, each.multiplier,
                                                          each.shift))
    scaled = _scale(factor, post, zero, RoundMode.UP)
    first, bias = scaled.records
    less = np.array([0 if bits is None else -(1 << bits)])
    return replace(scaled, writes=writes, records=(first, less, bias),
                   output=scaled.output | {"clip": clip, "addend": True})


def _with_zeros(scaled, limits, multipliers, posts, zeros):
    """``scaled`` with limits and a zero point, or one for every index, added before the rounding.

    NoPassesError where that could change how a half is rounded.
    """
    if len(set(zeros.tolist())) == 1:
        return replace(scaled, output=scaled.output | affine_clip(limits, int(zeros[0])))
    for multiplier, post, zero in zip(multipliers.tolist(), posts.tolist(), zeros.tolist(),
                                      strict=True):
        even = scaled.output["rounding"] is RoundMode.CONVERGENT
        if even and zero % 2 and ties(multiplier, post, 1 << 15):
            raise NoPassesError(f"Zero points that differ must be even where halves are rounded to "
                                f"even, not {zero}")
        if not -(1 << 31) <= zero << post < 1 << 31:
            raise NoPassesError(f"Zero points that differ must have 32 bits with the {post} bits "
                                f"that are dropped, not be {zero}")
    first, bias = scaled.records
    return replace(scaled, records=(first, zeros << posts, bias),
                   output=scaled.output | {"clip": limits, "addend": True})


def _widen(scales, bits, mode):
    """ElementMaps from elements of at most 16 bits to those of 32, in two halves.

    Scaled elements that need more than 16 bits are made in two parts, of which the lower one is
    rounded: it has even multiples of 2**14 less than the whole.
    """
    [each, *others] = scales
    if others:
        raise NoPassesError("Elements of 32 bits must have one scale to have passes, not "
                            f"{len(scales)}")
    check_zero("the input", each.in_zero)
    if each.shift < 0:
        raise NoPassesError(f"The scale of the input must be less than {1 << _DIGIT} times that of "
                            f"the output, for a right shift of at least 0 bits, not {each.shift}")
    if each.shift >= _DIGIT:
        scaled = _sum((each.multiplier,), ("a",), "out_lower", -each.in_zero * each.multiplier,
                      each.shift, mode)
        return ElementMaps((scaled, *_halves((1,), ("out_lower",), each.out_zero)))
    maps, name = [], "a"
    if bits == 8:
        maps, name = [_sum((1,), ("a",), "s1", -each.in_zero)], "s1"
    middle = 1 << _DIGIT - 1
    maps += [
        _sum((each.multiplier,), (name,), "s0", 0, each.shift + _DIGIT),
        _sum((1 << each.shift,), ("s0",), "out_upper", 0),
        _sum((each.multiplier, -1 << _DIGIT), (name, "out_upper"), "out_lower",
             -middle << each.shift, each.shift, mode)]
    halves = _halves((1, 1 << _DIGIT), ("out_lower", "s0"), middle + each.out_zero)
    return ElementMaps((*maps, *halves), scratch=(16, 16)[:1 + (bits == 8)])


def _sum(weights, reads, writes, bias, shift=0, rounding=RoundMode.FLOOR):
    """ElementMap of ``(sum of weighted elements + bias) / 2**shift`` to 16 bits."""
    return ElementMap(split(weights), reads, writes, (np.array([bias]),),
               {**shift_fields(shift, rounding), "clip": container_clip(16), **_WIDE})


def _halves(weights, reads, bias):
    """ElementMaps of a sum of 32 bits to its upper and then its lower half."""
    return (_sum(weights, reads, "out_upper", bias, 16),
            _sum((-1 << 16, *weights), ("out_upper", *reads), "out_lower", bias - LOW_OFFSET))


FORMS = {ConvertTensor: form_of}
