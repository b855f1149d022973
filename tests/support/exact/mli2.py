# SPDX-License-Identifier: Apache-2.0
"""Checks of what MLI 2.0 derives for kernels without weights: element by element, and means."""

from math import floor

import numpy as np

from xymac.golden.kinds import EltwiseOp
from xymac.golden.mli2 import Affine, Element, Eltwise, Fixed, LeakyRelu, QuantTensor, Sigmoid, Tanh
from xymac.golden.parameters.mli2 import activation, convert, eltwise, pool

from .fractions import (
    BUILDS,
    FRACS,
    at_width,
    clamp,
    expect,
    first_bits,
    format_pairs,
    power,
    ratio,
    real,
    spare_bits,
)

__all__ = ["CHECKS"]

COUNTS = (1, 2, 3, 4, 5, 7, 9, 16, 25, 31, 32, 33, 49, 64, 100, 255, 1024, 4095, 4096, 65535, 65536)
#: Formats whose scales divide to a half but for the last bits, and whose zero point is rounded up
#: to the sign bit.
HALVES = ((Affine(27046, 31058, -11), Affine(8478, 32767, -12)),
          (Affine(32767, 32766, -17), Affine(-6055, 128, -28)))
#: Error of a scale that lost what is behind 14 bits, once or twice.
ONCE, TWICE = power(-14), power(-13)


def _like(kind):
    return QuantTensor.zeros((1,), Element.SA_8, kind)


def _guarded(multiplier, shift, most, build):
    """A scale whose right shift is from -31 to ``most``: the multiplier takes what is beyond."""
    for limit, beyond in ((most, shift > most), (-31, shift < -31)):
        if beyond:
            return at_width(multiplier, shift - limit, 16, build), limit
    return multiplier, shift


def check_sum_scales():
    """Each operand of a sum has its own scale over that of the output, the first one first."""
    other = Affine(5, 3, 2)
    for build in BUILDS[1:]:
        for kind, out in format_pairs(2):
            layer = Eltwise(EltwiseOp.ADD, out, build)
            for pair in ((kind, other), (other, kind)):
                actual = eltwise.sum_scales(layer, *map(_like, pair))
                for each, (multiplier, shift) in zip(pair, actual, strict=True):
                    exact, frac = ratio(each.scale, out.scale, spare_bits(each.scale, 32), build)
                    frac += each.scale_frac_bits - out.scale_frac_bits
                    expect((multiplier, shift), _guarded(exact, frac, 23, build), each, out, build)
                    if -31 <= frac <= 23:
                        error = multiplier * power(-shift) / (real(each) / real(out)) - 1
                        expect(abs(error) < ONCE, True, each, out, build)


def check_extreme_scale():
    """Both operands of an extreme have one scale, normalised to 32 bits before the division."""
    for build in BUILDS[1:]:
        for kind, out in format_pairs(3):
            actual = eltwise.extreme_scale(Eltwise(EltwiseOp.MAX, out, build), _like(kind))
            multiplier, frac = ratio(kind.scale, out.scale, spare_bits(kind.scale, 32), build)
            frac += kind.scale_frac_bits - out.scale_frac_bits
            expect(actual, _guarded(multiplier, frac, 23, build), kind, out, build)
            if -31 <= frac <= 23:
                error = actual[0] * power(-actual[1]) / (real(kind) / real(out)) - 1
                expect(abs(error) < ONCE, True, kind, out, build)


def check_product_scale():
    """Scales of both factors over that of the output; at most 3 bits are dropped before it."""
    for build in BUILDS[1:]:
        for index, (kind, out) in enumerate(format_pairs(4)):
            other = Affine(0, 32767 if index % 2 else 5, FRACS[index % 15])
            layer = Eltwise(EltwiseOp.MUL, out, build)
            multiplier, early, shift = eltwise.product_scale(layer, _like(kind), _like(other))
            scale = kind.scale * other.scale
            exact, frac = ratio(scale, out.scale, spare_bits(scale, 32), build)
            frac += kind.scale_frac_bits + other.scale_frac_bits - out.scale_frac_bits
            asked = kind, other, out, build
            expect((multiplier, early + shift), _guarded(exact, frac, 31, build), *asked)
            expect(early, max(min(early + shift - 21, 3), 0), *asked)
            if -31 <= frac <= 31:
                error = multiplier * power(-early - shift) / (real(kind) * real(other) / real(out))
                expect(abs(error - 1) < ONCE, True, *asked)


def check_slopes():
    """From 0 on the scale of the input over that of the output, below that times the slope."""
    for build in BUILDS[1:]:
        for index, (kind, out) in enumerate(format_pairs(5)):
            zero  = (-128, 0, 127, 5, -32768)[index % 5]
            slope = Affine(zero, (1, 255, 32767, 3)[index % 4], FRACS[index % 15])
            value = (-128, -1, 0, 1, 127, clamp(zero, 8))[index % 6]
            tensor = QuantTensor(np.array([5, value], np.int8), Element.SA_8, slope)
            layer  = LeakyRelu(tensor, out, build)
            (above, shift), pairs = activation.affine_slopes(layer, _like(kind))
            exact, frac = ratio(kind.scale, out.scale,
                                spare_bits(kind.scale, 32) - spare_bits(out.scale, 16), build)
            frac += kind.scale_frac_bits - out.scale_frac_bits
            asked = kind, out, slope, value, build
            expect((above, shift), (clamp(exact * power(max(-frac, 0)), 16), max(frac, 0)), *asked)
            for element, (below, behind) in zip((5, value), pairs, strict=True):
                factor, lost = first_bits((element - zero) * slope.scale, build)
                product, more = first_bits(above * factor, build)
                expect((below, behind), (product, shift + slope.scale_frac_bits - lost - more),
                       *asked)
                wanted = above * power(-shift) * (element - zero) * real(slope)
                expect(abs(below * power(-behind) - wanted) <= abs(wanted) * TWICE, True, *asked)


def check_fixed_slope():
    """A slope of 16 bits has all of them; one of 8 bits is as it comes; either means the same."""
    for element, bits in ((Element.FX_8, 8), (Element.FX_16, 16)):
        ends = {sign * (1 << place) + step for place in range(bits) for sign in (-1, 1)
                for step in (-1, 0, 1)}
        for value in sorted(end for end in ends if clamp(end, bits) == end):
            for frac in (*FRACS, 17, 30):
                tensor = QuantTensor(np.array([value], element.dtype), element, Fixed(frac))
                factor, shift = activation.fixed_slope(tensor)
                places = spare_bits(value, 16) if bits == 16 else 0
                expect(shift, min(frac + places, 31), value, frac, element)
                expect(factor, value * (1 << places), value, frac, element)


def check_argument():
    """An argument has 7 bits before the point less those of the table, of 16 with the sign."""
    for table in (Sigmoid.table, Tanh.table):
        expect(activation.argument_frac_bits(table), 16 - 1 - (7 - table.frac_bits), table)


def check_format_at():
    """Of each index its own numbers, of a whole tensor the same; FX has no zero point, scale 1."""
    for frac in FRACS:
        expect(convert.format_at(Fixed(frac), 5), (0, 1, frac), frac)
        expect(convert.format_at(Affine(-7, 32767, frac), 5), (-7, 32767, frac), frac)
    several = Affine((-32768, 0, 32767), (1, 2, 32767), (-128, 0, 127), 2)
    expect([convert.format_at(several, index) for index in range(3)],
           [(-32768, 1, -128), (0, 2, 0), (32767, 32767, 127)])


def check_conversion():
    """Scale over scale at every index, with the zero points of both sides; FX has scale 1."""
    for build in BUILDS[1:]:
        for index, (kind, out) in enumerate(format_pairs(6)):
            both   = (Fixed(kind.scale_frac_bits), out), (kind, Fixed(out.scale_frac_bits))
            x, y   = both[index // 4 % 2] if index % 4 == 3 else (kind, out)
            first, last = (Affine(0, 1, each.frac_bits) if isinstance(each, Fixed) else each
                           for each in (x, y))
            if index % 4 == 2:  # Along a dimension, of which the last one counts.
                x = Affine((1, kind.zero_point), (7, kind.scale), (2, kind.scale_frac_bits), 0)
            actual = convert.conversion(x, y, 1, build)
            places = spare_bits(first.scale, 32) - spare_bits(last.scale, 16)
            multiplier, frac = ratio(first.scale, last.scale, places, build)
            frac += first.scale_frac_bits - last.scale_frac_bits
            expect((actual.in_zero, actual.multiplier, actual.shift, actual.out_zero),
                   (first.zero_point, multiplier, frac, last.zero_point), x, y, build)
            error = multiplier * power(-frac) / (real(first) / real(last)) - 1
            expect(abs(error) < ONCE, True, x, y, build)


def check_fixed_mean():
    """Mean of FX elements: 15 bits of 1 / count, cut, at the binary point of the output."""
    for count in COUNTS:
        for frac in FRACS:
            for out_frac in FRACS:
                multiplier, shift = pool.fixed_scale(Fixed(frac), Fixed(out_frac), count)
                expect(1 << 14 <= multiplier < 1 << 15, True, multiplier, count)
                exact = power(shift - frac + out_frac) / count
                expect(multiplier, floor(exact), count, frac, out_frac)


def check_affine_mean():
    """Mean of SA_8 elements: 8 bits of scale over scale over count, and where the sum starts."""
    for build in BUILDS[1:]:
        for index, (kind, out) in enumerate((*format_pairs(7), *HALVES)):
            count = COUNTS[index % len(COUNTS)]
            multiplier, shift, start = pool.affine_scale(kind, out, count, build)
            places = spare_bits(kind.scale, 32) - spare_bits(out.scale, 16)
            scale, frac = ratio(kind.scale, out.scale, places, build)
            frac += kind.scale_frac_bits - out.scale_frac_bits
            asked  = kind, out, count, build
            zero   = clamp(at_width(scale * kind.zero_point, frac, 32, build), 16)
            inner  = next(bits for bits in range(14, 40) if power(bits) >= count * power(14))
            part   = floor(power(inner) / count)
            lost   = 24 - spare_bits(scale * part, 32)
            expect(multiplier, clamp(at_width(scale * part, lost, 32, build), 8), *asked)
            expect(shift, frac + inner - lost, *asked)
            begin  = clamp(out.zero_point - zero, 16) * power(shift)
            expect(start, clamp(begin, 32) if shift >= 0 else floor(begin), *asked)
            error  = multiplier * power(-shift) / (real(kind) / real(out) / count) - 1
            expect(abs(error) < power(-6), True, *asked)


CHECKS = (check_sum_scales, check_extreme_scale, check_product_scale, check_slopes,
          check_fixed_slope, check_argument, check_format_at, check_conversion, check_fixed_mean,
          check_affine_mean)
