# SPDX-License-Identifier: Apache-2.0
"""Checks of what MLI 1.x derives: positions of binary points, limits, aligned biases."""

from fractions import Fraction
from math import floor, inf

import numpy as np

from xymac.golden.kinds import Relu
from xymac.golden.mli1 import FullyConnected, LeakyRelu, Tensor
from xymac.golden.mli1 import arithmetic as golden_arithmetic
from xymac.golden.parameters import mli1
from xymac.hdl.isa import AccumulatorRange
from xymac.host.frontend.mli1 import linear as lowering

from .fractions import clamp, expect, power

__all__ = ["CHECKS"]

FRACS = (0, 1, 3, 7, 8, 14, 15, 16, 31, 127, 128, 254, 255)


def _tensor(value, frac_bits, bits=16):
    return Tensor(np.array([value], f"int{bits}"), frac_bits)


def check_binary_points():
    """One of a bias is as many products, and one of the output as many of the accumulator."""
    for x_frac in FRACS:
        x = _tensor(0, x_frac)
        for w_frac in FRACS:
            weights = Tensor(np.zeros((1, 1), np.int16), w_frac)
            product = power(-x_frac - w_frac)
            for frac in FRACS:
                layer = FullyConnected(weights, _tensor(1, frac), frac)
                asked = x_frac, w_frac, frac
                expect(power(-frac), product * power(layer.bias_shift(x)), *asked)
                expect(power(-frac), product * power(layer.out_shift(x)), *asked)


def check_accumulator():
    """40 bits for weights of 16, 32 for weights of 8."""
    expect([mli1.acc_range(bits) for bits in (8, 16)],
           [AccumulatorRange.BITS32, AccumulatorRange.BITS40])


def check_gates():
    """Four gates of an LSTM cell, whose sums span -8 to 8."""
    expect(mli1.GATES, 4)
    for bits in (8, 16):
        expect(power(bits - 1) * power(-mli1.dense_frac_bits(bits)), 8, bits)


def check_relu1_limits():
    """The integers of a container whose value is within the limits, at every binary point."""
    kinds = {Relu.NONE: (-inf, inf), Relu.GEN: (0, inf), Relu.RELU1: (-1, 1), Relu.RELU6: (0, 6)}
    for bits in (8, 16):
        low, high = int(-power(bits - 1)), int(power(bits - 1) - 1)
        for frac in (*range(33), 127, 255):
            for kind, (least, most) in kinds.items():
                wanted = (low if least == -inf else max(low, int(least * power(frac))),
                          high if most == inf else min(high, int(most * power(frac))))
                expect(mli1.relu_limits(kind, frac, bits), wanted, kind, frac, bits)


def check_takes_larger():
    """Slopes below 1 take the larger; with 15 fractional bits the library's 1 is -1."""
    for bits, ends in ((8, (-128, 127)), (16, (-32768, 32767))):
        for frac in range(18):
            for slope in {*ends, -1, 0, 1, 2, *(clamp((1 << frac) + step, bits)
                                                for step in (-1, 0, 1))}:
                below = Fraction(slope) * power(-frac) < 1
                for documented in (False, True):
                    layer = LeakyRelu(_tensor(slope, frac, bits), documented)
                    expect(layer.takes_larger, below and (documented or frac != 15), slope, frac,
                           documented)


def check_bias_of_two():
    """Golden and lowering align a bias each on its own: both as exact numbers have it."""
    for bits, ends in ((8, (-128, 127)), (16, (-32768, 32767))):
        for shift in (*range(32), 40, 63, 255)[:35 if bits == 8 else 32]:
            for value in (*ends, -1, 0, 1):
                exact  = value * power(shift)
                wanted = clamp(exact, 32) if bits == 8 else floor(exact)
                bias   = _tensor(value, 0, bits)
                for align in (golden_arithmetic.align_bias, lowering.align_bias):
                    expect(align(bias, shift).tolist(), [wanted], value, shift, align.__module__)


CHECKS = (check_binary_points, check_accumulator, check_gates, check_relu1_limits,
          check_takes_larger, check_bias_of_two)
