# SPDX-License-Identifier: Apache-2.0
"""Checks of sums of products of MLI 2.0: scales, biases, zero points, limits."""

from fractions import Fraction
from math import floor

import numpy as np

from xymac.golden.kinds import Relu
from xymac.golden.mli2 import Affine, Element, Fixed, GruCell, QuantTensor
from xymac.golden.parameters.mli2 import limits, linear

from .fractions import (
    BUILDS,
    FRACS,
    SCALES,
    ZEROS,
    at_width,
    clamp,
    expect,
    format_pairs,
    nearest,
    power,
    ratio,
    real,
    spare_bits,
)

__all__ = ["CHECKS"]

#: Shifts of a bias: around the widths of everything that it passes, and both ends.
MOVES = (-382, -128, -48,
         *(side * (width + step) for width in (8, 16, 24, 32, 64) for side in (-1, 1)
           for step in (-1, 0, 1)), -2, -1, 0, 1, 2, 128, 383)


def _scaled(kind, shape=(1, 1), element=Element.SA_8):
    return QuantTensor.zeros(shape, element, kind)


def check_output_scaling():
    """Scale of the products over that of the output: the formula, and the quotient itself."""
    columns = Affine((0,) * 11, SCALES, FRACS[2:13], 1)
    weights = _scaled(columns, (1, 11))
    for build in BUILDS:
        for kind, out in format_pairs(1):
            actual = linear.output_scaling(_scaled(kind), weights, out, build)
            multiplier, frac = ratio(kind.scale, out.scale, spare_bits(kind.scale, 32), build)
            frac += kind.scale_frac_bits - out.scale_frac_bits
            for index, each in enumerate((SCALES[0], SCALES[4], SCALES[10])):
                place = (0, 4, 10)[index]
                scale, shift = int(actual.multiplier[place]), int(actual.shift[place])
                asked = kind, out, each, build
                expect(scale * power(-shift),
                       multiplier * each * power(-frac - columns.fractions[place]), *asked)
                exact = real(kind) * each * power(-columns.fractions[place]) / real(out)
                expect(abs(scale * power(-shift) / exact - 1) < power(-14), True, *asked)
                if build.reduced:
                    expect(1 << 30 <= scale < 1 << 31, True, scale, *asked)
                else:
                    expect(shift, frac + columns.fractions[place], *asked)


def check_shorten():
    """Of a reduced sum: 16 bits of the multiplier, all of the shift, at most 8 bits of it early."""
    for build in BUILDS:
        for multiplier in (1 << 30, (1 << 30) + (1 << 15), 3 << 29, (1 << 31) - 1, 0x55555555):
            for shift in range(-40, 120):
                scaling = linear.Scaling(np.array([multiplier]), np.array([shift]))
                short, early, rest = (int(value[0]) for value in linear.shorten(scaling, build))
                expect(short, at_width(multiplier, 16, 32, build), multiplier, build)
                expect(early + rest, shift - 16, shift)
                expect(early, max(min(shift - 16 - 21, 8), 0), shift)


def _biases(bits):
    """Biases at the ends, around each power of two, and around halves of them."""
    return sorted({clamp(sign * (1 << place) + step, bits) for place in range(bits)
                   for sign in (-1, 1) for step in (-1, 0, 1)} | {0x55555555 >> 32 - bits, 0})


def check_scaled_bias():
    """An SA_8 bias is as it comes; in the reduced build its first 16 bits, the others 0."""
    values = _biases(32)
    bias   = QuantTensor(np.array(values, np.int32), Element.SA_32, Affine(0, 1, 0))
    for build in BUILDS:
        x     = _scaled(Affine(-128, 3, 2))
        actual = linear.align_bias(x, x, bias, build).tolist()
        for value, each in zip(values, actual, strict=True):
            lost = power(max(16 - spare_bits(value, 32), 0))
            expect(each, floor(value / lost) * lost if build.reduced else value, value, build)


def check_fixed_bias():
    """An FX bias at the binary point of the products, rounded there; of it 32 bits are kept."""
    for bits, (element, wide) in ((8, (Element.FX_8, 32)), (16, (Element.FX_16, 64))):
        values = _biases(bits)
        for build in BUILDS[1:]:
            for moved in MOVES:
                last  = max(-128, min(moved + 40, 127))
                both  = last - moved
                first = max(-128, min(both - 7, 127))
                x, weights, bias = (QuantTensor(np.array(data, element.dtype), element, Fixed(frac))
                                    for data, frac in (([0], first), ([0], both - first),
                                                       (values, last)))
                actual = linear.align_bias(x, weights, bias, build).tolist()
                for value, each in zip(values, actual, strict=True):
                    exact = at_width(value, moved, wide, build)
                    kept  = (exact + (1 << 31)) % (1 << 32) - (1 << 31)
                    expect(each, kept, value, moved, bits, build)
                    if abs(value * power(-moved)) < power(31) - 1 and moved < wide:
                        expect(each, nearest(value * power(-moved), build), value, moved, build)


def check_gate_format():
    """What a GRU takes for its third gate: bytes of two scales, and of their fractions, further."""
    for kind in (Affine(zero, scale, frac) for zero in ZEROS for scale in (1, 255, 32763)
                 for frac in (-128, 0, 125)):
        weights = _scaled(kind, (3, 1, 1))
        for documented in (False, True):
            cell = GruCell(weights, weights, None, None, kind, documented=documented)
            for gate in range(3):
                actual = cell.gate_weights(weights, gate).format
                steps = 2 * (gate == 2 and not documented)
                expect((actual.zero_point, actual.scale, actual.scale_frac_bits),
                       (kind.zero_point, kind.scale + 2 * steps, kind.scale_frac_bits + steps),
                       kind, gate, documented)


def check_centred():
    """A value is what an element is above its zero point, times the scale, along a dimension."""
    data  = np.array([[-128, -1, 0, 1, 127]], np.int8)
    zeros = (-32768, -128, 0, 127, 32767)
    for kind in (*(Affine(zero, 3, 1) for zero in ZEROS),
                 Affine(zeros, (1, 2, 3, 4, 5), (0, 1, 2, 3, 4), 1)):
        tensor = QuantTensor(data, Element.SA_8, kind)
        actual  = tensor.centred[0].tolist()
        wanted = [value - zero for value, zero in zip(
            data[0].tolist(), zeros if kind.dim == 1 else (kind.zero_point,) * 5, strict=True)]
        expect(actual, wanted, kind)
        part = QuantTensor(data.T.copy(), Element.SA_8,
                           Affine(zeros, (1, 2, 3, 4, 5), (0, 1, 2, 3, 4), 0)).part(3)
        expect((part.format, part.centred.tolist()), (Affine(127, 4, 3), [1 - 127]))


def check_relu_limits():
    """0, 1 and 6 in units of the output, cut, from its zero point, and within its bits."""
    fixed  = [(Fixed(frac), bits) for frac in range(-128, 128) for bits in (8, 16)]
    affine = [(Affine(zero, scale, frac), 8) for zero in (-128, -1, 0, 1, 127) for scale in SCALES
              for frac in (-128, -3, -2, -1, *range(33), 127)]
    for out, bits in fixed + affine:
        low, high = clamp(-power(99), bits), clamp(power(99), bits)
        zero  = getattr(out, "zero_point", 0)
        frac  = getattr(out, "scale_frac_bits", getattr(out, "frac_bits", 0))
        scale = getattr(out, "scale", 1)
        one, six = (floor(Fraction(value, scale) * power(frac)) if frac < most else high
                    for value, most in ((1, 30), (6, 28)))
        for relu, wanted in ((Relu.NONE, (low, high)), (Relu.GEN, (max(zero, low), high)),
                             (Relu.RELU1, (max(zero - one, low), min(zero + one, high))),
                             (Relu.RELU6, (max(zero, low), min(zero + six, high)))):
            expect(limits.relu_limits(relu, out, bits), wanted, relu, out, bits)


CHECKS = (check_output_scaling, check_shorten, check_scaled_bias, check_fixed_bias,
          check_gate_format, check_centred, check_relu_limits)
