# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 conversions as maps."""

from dataclasses import replace

import numpy as np

from xymac.golden.mli2 import ConvertTensor, Element
from xymac.golden.parameters.mli2.convert import conversion
from xymac.golden.parameters.mli2.rounding import norm
from xymac.hdl.isa import AccumulatorRange, RoundMode, Scale
from xymac.host.errors import Refusal, RefusalKind
from xymac.host.ir.elementwise import ElementMap, ElementMaps, IndexedMaps, split
from xymac.host.ir.fields import ZERO_MAX, affine_clip, container_clip, shift_fields
from xymac.host.ir.sums import first_record
from xymac.host.memory.layout import LOW_OFFSET

from .affine import affine_map
from .digits import digit_maps
from .fields import narrow, ties

__all__ = ["FORMS"]

_NARROW = (Element.FX_8, Element.FX_16, Element.SA_8)
_PRODUCT_BITS = 29  #: Products of up to this width keep all bits in the library.
_PRODUCT_MAX  = 62  #: Magnitude bits in a product of two 32-bit factors.
_DIGIT  = 15  #: Bits of a scaled element below its upper part.
_WIDE   = {"acc_range": AccumulatorRange.BITS40}


def form_of(layer, x):
    """ElementMaps or IndexedMaps for a conversion on a QuantTensor like ``x``.

    Raises Refusal for floating point.
    """
    if not {x.element, layer.element} <= {*_NARROW, Element.SA_32}:
        raise Refusal(RefusalKind.TYPE, f"There are no passes to convert {x.element.name} to "
                      f"{layer.element.name}")
    dim    = max(getattr(kind, "dim", -1) for kind in (x.format, layer.out))
    count  = 1 if dim < 0 else x.shape[dim]
    scales = [conversion(x.format, layer.out, index, layer.build) for index in range(count)]
    bits   = x.element.bits, layer.element.bits
    mode   = layer.build.rounding
    if all(_is_simple(each, *bits, mode) for each in scales):
        return replace(_convert_all(scales, *bits, mode), axis=None if dim < 0 else dim)
    forms = tuple(_convert(each, *bits, mode) for each in scales)
    return forms[0] if count == 1 else IndexedMaps(forms, dim)


def _is_simple(each, bits, out_bits, mode):
    """Whether a pass scales elements as the library does: not to 32 bits, nor where the library
    drops bits before it rounds halves to even."""
    drops = mode is RoundMode.CONVERGENT and _count_dropped(each, container_clip(out_bits))
    return out_bits < 32 and not (bits == 32 and drops)


def _convert_all(scales, bits, out_bits, mode):
    """ElementMaps for simple conversions."""
    return (_narrow if bits == 32 else _keep)(scales, container_clip(out_bits), mode)


def _convert(each, bits, out_bits, mode):
    """ElementMaps for any conversion with a single scale."""
    if _is_simple(each, bits, out_bits, mode):
        return _convert_all([each], bits, out_bits, mode)
    if out_bits < 32 and abs(each.out_zero) < ZERO_MAX:
        return _cut(each, container_clip(out_bits))
    if bits < 32 and abs(each.in_zero) <= ZERO_MAX and each.shift >= 0:
        return _widen(each, bits, mode)
    return digit_maps(each, bits, out_bits, mode)


def _columns(scales):
    """Zero points, multipliers, shifts and output zero points, arrays."""
    return (np.array([getattr(each, name) for each in scales])
            for name in ("in_zero", "multiplier", "shift", "out_zero"))


def _keep(scales, limits, mode):
    """ElementMaps between elements with at most 16 bits."""
    zeros, multipliers, shifts, out_zeros = _columns(scales)
    scaled = affine_map(zeros, multipliers, shifts, {"rounding": mode})
    return _with_zeros(scaled, limits, *narrow(multipliers, shifts), out_zeros)


def _narrow(scales, limits, mode):
    """ElementMaps from 32-bit elements."""
    zeros, multipliers, shifts, out_zeros = _columns(scales)
    factors = np.where(shifts < 0, narrow(multipliers, shifts)[0], multipliers)
    posts   = np.clip(shifts, 0, 63)
    scaled  = _scale(factors, posts, zeros, mode)
    return _with_zeros(scaled, limits, factors, posts, out_zeros)


def _scale(factors, posts, zeros, mode):
    """ElementMap scaling 32-bit elements."""
    return ElementMap(split([1 << 16, 1]), ("a_upper", "a_lower"),
               records=(first_record(factors, posts * 0, posts), LOW_OFFSET - zeros),
               output={"scale": Scale.BITS32, "rounding": mode, **_WIDE})


def _count_dropped(each, limits):
    """Number of product bits, not all 0, that the library may drop before it rounds; see ``_cut``.

    It drops low bits from products with more than 30 bits. Products so large that they saturate do
    not matter, nor do products up to 62 bits with a larger shift, whose result is 0.
    """
    if each.shift > _PRODUCT_MAX:
        return 0
    reach   = limits[1] + abs(each.out_zero) + 2
    dropped = each.shift + reach.bit_length() - _PRODUCT_BITS
    return dropped if dropped > 0 and each.multiplier % (1 << dropped) else 0


def _cut(each, limits):
    """ElementMaps from 32 bits if the library drops bits before it rounds half to even.

    A product up to ``2**bits`` above a half then looks like a half. ``low`` rounds it down and
    ``high`` rounds it up; both are equal elsewhere. Half their sum, rounded to even, is the
    library's result. The dropped bit count grows with the element's bit length, so ``low`` is a sum
    of parts: the increment beyond each bound uses the bit count for that bound.
    """
    low, high = container_clip(16)
    spare     = int(norm(each.multiplier, 32))  # an element of n bits loses 1 + n - spare
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
    """ElementMap for scaled 32-bit elements.

    Products less than ``2**bits`` above a half round down.
    """
    zero, factor, post = (np.array([value]) for value in (each.in_zero, each.multiplier,
                                                          each.shift))
    scaled = _scale(factor, post, zero, RoundMode.UP)
    first, bias = scaled.records
    less = np.array([0 if bits is None else -(1 << bits)])
    return replace(scaled, writes=writes, records=(first, less, bias),
                   output=scaled.output | {"clip": clip, "addend": True})


def _with_zeros(scaled, limits, multipliers, posts, zeros):
    """ElementMaps from ``scaled`` with limits and a zero point, common or per index.

    Zero points are added before the rounding. If that could change the rounding of a half, a
    following pass adds them: its input has 16 bits, with limits extended as far as a zero point
    reaches back.
    """
    low, high = limits
    if len(set(zeros.tolist())) == 1:
        zero = int(zeros[0])
        fields = {"clip": (low - zero, high - zero), "zero": zero}
        return ElementMaps((replace(scaled, output=scaled.output | fields),))
    if _can_add(scaled, multipliers, posts, zeros):
        first, bias = scaled.records
        return ElementMaps((replace(scaled, records=(first, zeros << posts, bias),
                                    output=scaled.output | {"clip": limits, "addend": True}),))
    most  = container_clip(16)[1]
    words = [((-most, most), 0)]
    if np.abs(zeros).max() >= ZERO_MAX:
        words += [((most, most + 256), -most), ((-most - 256, -most), most)]
    maps  = [replace(scaled, writes=f"s{number}",
                     output=scaled.output | {"clip": clip, "zero": zero})
             for number, (clip, zero) in enumerate(words)]
    names = tuple(map_.writes for map_ in maps)
    total = ElementMap(split([1] * len(maps)), names, records=(zeros,), output={"clip": limits})
    return ElementMaps((*maps, total), scratch=(16,) * len(maps))


def _can_add(scaled, multipliers, posts, zeros):
    """Whether zero points can be added before the rounding: they fit, and halves stay halves."""
    even = scaled.output["rounding"] is RoundMode.CONVERGENT
    return all(-(1 << 31) <= zero << post < 1 << 31
               and not (even and zero % 2 and ties(multiplier, post, 1 << 15))
               for multiplier, post, zero in zip(multipliers.tolist(), posts.tolist(),
                                                 zeros.tolist(), strict=True))


def _widen(each, bits, mode):
    """ElementMaps from elements of at most 16 bits to 32-bit elements, in two halves.

    Scaled elements with more than 16 bits are computed in two parts, and the lower part is rounded:
    it is the product minus even multiples of 2**14.
    """
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
    """ElementMap for ``(sum of weighted elements + bias) / 2**shift``, 16 bits."""
    return ElementMap(split(weights), reads, writes, (np.array([bias]),),
               {**shift_fields(shift, rounding), "clip": container_clip(16), **_WIDE})


def _halves(weights, reads, bias):
    """ElementMaps for a 32-bit sum: its high half-word, then its low half-word."""
    return (_sum(weights, reads, "out_upper", bias, 16),
            _sum((-1 << 16, *weights), ("out_upper", *reads), "out_lower", bias - LOW_OFFSET))


FORMS = {ConvertTensor: form_of}
