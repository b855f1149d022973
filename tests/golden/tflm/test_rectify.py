# SPDX-License-Identifier: Apache-2.0
"""Rectifiers, hard swish and conversions of TensorFlow Lite against plain Python ints"""

from fractions import Fraction

import numpy as np
import pytest

from tests.support.naive.tflm import away, clamped, multiplied, quantised, wrapped
from tests.support.seed import random_of
from xymac.golden import run
from xymac.golden.tflm import (
    Dequantize,
    HardSwish,
    LeakyRelu,
    Prelu,
    Quantisation,
    Quantize,
    Relu,
    Relu6,
    Tensor,
)

ENDS  = {8: (-128, 127), 16: (-32768, 32767), 32: (-2 ** 31, 2 ** 31 - 1)}
TRIES = range(25)


def float32(value):
    return float(np.float32(value))


def call(key, bits, low=-12, high=4):
    """A tensor of edges and random elements and a Quantisation of an output, anywhere."""
    rng    = random_of(key)
    ends   = ENDS[bits]
    zeros  = rng.choice([ends[0], ends[1], 0, -7], 2).tolist() if bits == 8 else [0, 0]
    scales = [float32(2.0 ** rng.uniform(low, high)) for _ in range(2)]
    data   = np.array([*ends, -1, 0, 1, zeros[0], *rng.integers(*ends, 60, endpoint=True)],
                      f"int{bits}")
    kinds  = [Quantisation((scale,), (zero,)) for scale, zero in zip(scales, zeros, strict=True)]
    return Tensor(data, kinds[0]), kinds[1], rng


def stored(value, out, bits):
    return clamped(wrapped(value + out.zero_point), *ENDS[bits])


@pytest.mark.parametrize("bits", [8, 16])
def test_relu(bits):
    for key in TRIES:
        x, out, _ = call(key, bits)
        zero, factor = x.quantisation.zero_point, quantised(x.quantisation.scale / out.scale)

        actual = run(Relu(out), x).output.data.tolist()

        assert actual == [max(stored(multiplied(value - zero, *factor), out, bits), out.zero_point)
                          for value in x.data.tolist()]


@pytest.mark.parametrize("bits", [8, 16])
def test_relu6(bits):
    for key in TRIES:
        x, out, _ = call(key, bits)
        zero = x.quantisation.zero_point
        six  = min(zero + away(Fraction(float(np.float32(6) / np.float32(x.quantisation.scale)))),
                   ENDS[bits][1])

        output = run(Relu6(out), x).output

        assert output.data.tolist() == [clamped(value, zero, six) for value in x.data.tolist()]
        assert output.quantisation == out


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("alpha", [0.1, 0.0, 1.0, 2.5, -0.3, -1.0])
def test_leaky_relu(bits, alpha):
    for key in TRIES:
        x, out, _ = call(key, bits)
        scale, zero = x.quantisation.scale, x.quantisation.zero_point
        above = quantised(scale / out.scale)
        below = quantised(scale * abs(float32(alpha)) / out.scale)
        sign  = -1 if alpha < 0 else 1

        actual = run(LeakyRelu(out, alpha), x).output.data.tolist()

        assert actual == [
            stored(multiplied(value - zero, *above) if value >= zero
                   else sign * multiplied(value - zero, *below), out, bits)
            for value in x.data.tolist()]


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("shape", [(1,), (6,), (11, 1), (11, 6)])
def test_prelu(bits, shape):
    for key in TRIES:
        x, out, rng = call(key, bits)
        x     = Tensor(x.data.reshape(11, 6), x.quantisation)
        kind  = Quantisation((float32(2.0 ** rng.uniform(-9, 1)),), (int(rng.integers(-128, 128)),))
        alpha = Tensor(rng.integers(-128, 128, shape).astype(np.int8), kind)
        scale, zero = x.quantisation.scale, x.quantisation.zero_point
        above = quantised(scale / out.scale)
        below = quantised(scale * kind.scale / out.scale)

        actual = run(Prelu(out, alpha), x).output.data.reshape(-1).tolist()

        assert actual == [
            stored(multiplied(int(value) - zero, *above) if value >= zero else multiplied(
                (int(value) - zero) * (int(slope) - kind.zero_point), *below), out, bits)
            for value, slope in np.broadcast(x.data, alpha.data)]


def divided16(value, places):
    """As 16 bits do: from 16 places on the mask is all ones."""
    if places < 16:
        return away(Fraction(value, 2 ** places))
    return -1 if value < 0 else 1


def hard_swish(value, x, out):
    """One output of a centred element."""
    step = x.quantisation.scale / 128

    def short(factor):
        multiplier, exponent = quantised(factor)
        return min(away(Fraction(multiplier, 2 ** 16)), 32767), exponent

    (first, last), (second, exponent) = short(step / out.scale), short(step / (3 / 32768))
    product = (value * 128 * first + 2 ** 14) // 2 ** 15
    line    = value * 128
    if exponent > 0:
        line = clamped(line * 2 ** (exponent - 1), *ENDS[16])
    line = (line * second + 2 ** 14) // 2 ** 15
    if exponent > 0:
        line = clamped(line * 2, *ENDS[16])
    line   = (divided16(line, max(-exponent, 0)) + 32768) // 2
    whole  = abs(line * product) // 2 ** 15 * (-1 if line * product < 0 else 1)
    return clamped(divided16(whole, -last) + out.zero_point, -128, 127)


@pytest.mark.parametrize("ends", [(-3, 0), (-12, 2), (-40, -36), (-20, 4), (0, 20)])
def test_hard_swish(ends):
    tried = 0
    for key in range(60):
        x, out, _ = call(key, 8, *ends)
        if x.quantisation.scale >= 128 * out.scale:
            continue
        tried += 1
        x    = Tensor(np.arange(-128, 128).astype(np.int8), x.quantisation)

        actual = run(HardSwish(out), x).output.data.tolist()

        zero = x.quantisation.zero_point
        assert actual == [hard_swish(value - zero, x, out) for value in x.data.tolist()]
    assert tried > 20


def test_hard_swish_by_hand():
    x   = Tensor(np.array([-4, -3, 0, 3, 4, 100], np.int8), Quantisation((1.0,), (0,)))

    output = run(HardSwish(Quantisation((1.0,), (0,))), x).output

    assert output.data.tolist() == [0, 0, 0, 3, 4, 100]


@pytest.mark.parametrize(("bits", "to"), [
    (8, 8), (8, 16), (8, 32), (16, 8), (16, 16), (16, 32), (32, 8), (32, 16)])
def test_quantize_of_integers(bits, to):
    for key in TRIES:
        x, out, rng = call(key, bits)
        if to == 8:
            out = Quantisation(out.scales, (int(rng.integers(-128, 128)),))
        factor = quantised(x.quantisation.scale / out.scale)

        output = run(Quantize(out, np.dtype(f"int{to}")), x).output

        assert output.data.dtype == np.dtype(f"int{to}")
        assert output.data.tolist() == [
            stored(multiplied(wrapped(value - x.quantisation.zero_point), *factor), out, to)
            for value in x.data.tolist()]


@pytest.mark.parametrize("to", [8, 16])
def test_quantize_of_floats(to):
    for key in TRIES:
        rng  = random_of(key)
        out  = Quantisation((float32(2.0 ** rng.uniform(-8, 3)),), (int(rng.integers(-128, 128)),))
        near = np.float32((rng.integers(-300, 300, 40) + 0.5) * out.scale)
        data = np.concatenate([near, rng.normal(0, 100, 20), [0, -0.0, 1e6]]).astype(np.float32)

        actual = run(Quantize(out, np.dtype(f"int{to}")), Tensor(data)).output.data.tolist()

        assert actual == [stored(away(Fraction(float(value / np.float32(out.scale)))), out, to)
                          for value in data]


@pytest.mark.parametrize("bits", [8, 16])
def test_dequantize(bits):
    for key in TRIES:
        x, _, _ = call(key, bits)

        output = run(Dequantize(), x).output

        assert output.quantisation is None
        assert output.data.tolist() == [
            float32((value - x.quantisation.zero_point) * x.quantisation.scale)
            for value in x.data.tolist()]
