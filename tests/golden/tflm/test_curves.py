# SPDX-License-Identifier: Apache-2.0
"""Softmax, sigmoid and tangent of TensorFlow Lite against plain Python ints"""

from math import exp
from zlib import crc32

import numpy as np
import pytest

from tests.support.naive import tflm_curves as naive
from tests.support.seed import random_of
from xymac.golden import run
from xymac.golden.parameters.tflm.exponent import table_argument
from xymac.golden.parameters.tflm.function_tables import EXPONENTIALS, RECIPROCALS, SIGMOIDS
from xymac.golden.tflm import Logistic, Quantisation, Softmax, Tanh, Tensor
from xymac.golden.tflm.curves.exponential import exponential, half_reciprocal, reciprocal
from xymac.golden.tflm.curves.logarithm import logarithm

OUT8, OUT8_TANH = Quantisation((2.0 ** -8,), (-128,)), Quantisation((2.0 ** -7,), (0,))
OUT16_OF_8 = Quantisation((2.0 ** -16,), (-32768,))
OUT16 = Quantisation((2.0 ** -15,), (0,))
BYTES = np.arange(-128, 128).astype(np.int8)


def float32(value):
    return float(np.float32(value))


def tensor(data, scale, zero=0):
    return Tensor(data, Quantisation((float32(scale),), (zero,)))


@pytest.mark.parametrize("integer_bits", [4, 5])
def test_exponentials_equal_plain_ints(integer_bits):
    quarter = 1 << 29 - integer_bits
    edges   = [0, -1, -2, -2 ** 31, *(-count * quarter + step for count in (1, 2, 3, 4, 8, 63, 64)
                                      for step in (-1, 0, 1))]
    x = np.array([*edges, *(-random_of(1).integers(0, 2 ** 31, 500)).tolist()])

    assert exponential(x, integer_bits).tolist() == [naive.exponential(value, integer_bits)
                                                     for value in x.tolist()]


def test_reciprocals_equal_plain_ints():
    x = np.array([0, 1, 2 ** 30, 2 ** 31 - 2, 2 ** 31 - 1, *random_of(2).integers(0, 2 ** 31, 500)])

    doubled = [naive.reciprocal(value) for value in x.tolist()]
    assert half_reciprocal(x).tolist() == doubled
    assert reciprocal(x).tolist() == [min(2 * value, 2 ** 31 - 1) for value in doubled]


def test_logarithms_equal_plain_ints():
    turns = [2 ** power + step for power in range(19, 31) for step in (-1, 0, 1)]
    turns += [round(2 ** (power + 0.5)) + step for power in range(19, 31) for step in (-1, 0, 1)]
    x = np.array([*turns[1:], 2 ** 31 - 1, *random_of(3).integers(2 ** 19, 2 ** 31, 500),
                  *(2 ** random_of(4).uniform(19, 31, 500)).astype(np.int64)])

    made = logarithm(x)

    assert made.tolist() == [naive.logarithm(value) for value in x.tolist()]
    np.testing.assert_allclose(made * 2.0 ** -26, np.log(x * 2.0 ** -19), atol=2 ** -20)


def test_tables_are_those_of_the_library():
    assert list(EXPONENTIALS) == naive.table(exp, -10, 0)
    assert list(RECIPROCALS) == naive.table(lambda x: 1 / (1 + x), 0, 1)
    assert list(SIGMOIDS) == naive.SIGMOIDS
    # Sums of tables with which tflite-micro and these kernels agree in every output.
    assert crc32(np.array(EXPONENTIALS, "<i2").tobytes()) == 0xac7dffaa
    assert crc32(np.array(RECIPROCALS, "<i2").tobytes()) == 0x39fb9655
    assert crc32(np.array(SIGMOIDS, "<u2").tobytes()) == 0xb84f6ab4


@pytest.mark.parametrize(("out", "bits"), [(OUT8, 8), (OUT16_OF_8, 16)])
def test_softmax_of_bytes(out, bits):
    rng = random_of(bits)
    for place, beta in zip(range(-25, 5), [1.0, 0.5, 3.25] * 10, strict=True):
        size, scale = int(rng.integers(1, 40)), float32(2.0 ** place * rng.uniform(1, 2))
        data = rng.integers(-128, 128, (2, 2, size)).astype(np.int8)
        data[0, 0] = rng.choice([-128, 127], size)
        x = tensor(data, scale * 2, int(rng.integers(-128, 128)))

        output = run(Softmax(out, beta, np.dtype(f"int{bits}")), x).output

        assert output.data.reshape(-1, size).tolist() == [
            naive.softmax(row, x.quantisation.scale, beta, bits)
            for row in data.reshape(-1, size).tolist()]


def test_softmax_of_words():
    rng, tables = random_of(5), (EXPONENTIALS, RECIPROCALS)
    for place, beta in zip(range(-30, 0), [1.0, 0.5, 3.25] * 10, strict=True):
        size, scale = int(rng.integers(1, 40)), float32(2.0 ** place * rng.uniform(1, 2))
        data = rng.integers(-32768, 32768, (3, size)).astype(np.int16)
        data[0] = rng.choice([-32768, 32767], size)

        output = run(Softmax(OUT16, beta), tensor(data, scale)).output

        assert output.data.tolist() == [naive.softmax16(row, scale, beta, tables)
                                        for row in data.tolist()]


def test_softmax_by_hand():
    one   = run(Softmax(OUT8), tensor(np.array([[5]], np.int8), 0.5)).output.data
    equal = run(Softmax(OUT8), tensor(np.full((1, 4), 7, np.int8), 0.5)).output.data
    apart = run(Softmax(OUT8), tensor(np.array([[-128, 127]], np.int8), 1)).output.data

    # All is 256 / 256, which INT8 does not hold; a quarter is 64 / 256.
    assert (one.tolist(), equal.tolist(), apart.tolist()) == ([[127]], [[-64] * 4], [[-128, 127]])


@pytest.mark.parametrize(("out", "dtype", "fits"), [(OUT8, np.int8, 511),
                                                    (OUT16_OF_8, np.int16, 8191)])
def test_a_sum_too_large_to_divide_by(out, dtype, fits):
    layer = Softmax(out, dtype=np.dtype(dtype))
    run(layer, tensor(np.zeros((1, fits), np.int8), 0.5))

    with pytest.raises(OverflowError, match=rf"^Exponentials of a row .* less than {fits + 1}, "):
        run(layer, tensor(np.zeros((1, fits + 1), np.int8), 0.5))


def test_a_zero_point_of_words_is_refused():
    with pytest.raises(ValueError, match=r"^Input of INT16 must have zero point 0, not 101$"):
        run(Softmax(OUT16), tensor(np.zeros((1, 4), np.int16), 0.5, 101))


def test_a_sum_of_words_too_large_to_divide_by():
    run(Softmax(OUT16), tensor(np.zeros((1, 65536), np.int16), 0.5))

    with pytest.raises(OverflowError, match=r"^Exponentials of a row .* less than 65536, "):
        run(Softmax(OUT16), tensor(np.zeros((1, 65600), np.int16), 0.5))


@pytest.mark.parametrize(("kind", "out", "each"), [(Logistic, OUT8, naive.logistic),
                                                   (Tanh, OUT8_TANH, naive.tanh)])
def test_curves_of_bytes(kind, out, each):
    rng = random_of(7)
    for place, zero in zip(range(-28, 8), [-128, 127, 0] * 12, strict=True):
        x = tensor(BYTES, 2.0 ** place * (rng.uniform(1, 2) if place % 2 else 1), zero)

        output = run(kind(out), x).output

        assert output.data.tolist() == [each(value - zero, x.quantisation.scale)
                                        for value in BYTES.tolist()]


@pytest.mark.parametrize(("kind", "each"), [(Logistic, naive.sigmoid16), (Tanh, naive.tanh16)])
@pytest.mark.parametrize("scale", [2.0 ** -12, 2.0 ** -11, 2.0 ** -13, 1e-4, 1e-9, 1.0, 2.5])
def test_curves_of_words(kind, each, scale):
    edges = [-32768, -32767, -1, 0, 1, 32766, 32767, *range(-512, 512, 85)]
    data  = np.array([*edges, *random_of(9).integers(-32768, 32768, 300)], np.int16)
    x     = tensor(data, scale)

    output = run(kind(OUT16), x).output

    argument = table_argument(x.quantisation.scale, kind is Tanh)
    assert output.data.tolist() == [each(value, *argument) for value in data.tolist()]


def test_curves_by_hand():
    zero = tensor(np.array([0], np.int8), 0.1)
    word = tensor(np.array([0, 32767, -32768], np.int16), 2.0 ** -12)

    assert run(Logistic(OUT8), zero).output.data.tolist() == [0]
    assert run(Tanh(OUT8_TANH), zero).output.data.tolist() == [0]
    # Sigmoid of 8 and -8: 32757.0 and 11.0 of 32768.
    assert run(Logistic(OUT16), word).output.data.tolist() == [16384, 32757, 11]
    assert run(Tanh(OUT16), word).output.data.tolist() == [0, 32767, -32767]
