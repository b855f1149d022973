# SPDX-License-Identifier: Apache-2.0
"""float32 functions rounded as a C library rounds them, and tables of float32 steps."""

from math import inf, nan

import numpy as np
import pytest

from xymac.golden import run
from xymac.golden.tflm import (
    Activation,
    Cast,
    Padding,
    PlainBinary,
    PlainCurve,
    PlainDense,
    PlainMean,
    PlainOperation,
    PlainPool,
    PlainPooling,
    PlainReduce,
    PlainTable,
    PlainTransposeConv,
    PlainUnary,
    Quantisation,
    Relu6,
    Tensor,
)
from xymac.golden.tflm.plain.circular import cosine, hyperbolic_tangent, sine
from xymac.golden.tflm.plain.exponents import exponential_less_one, logarithm

KIND = Quantisation((0.5,), (3,))

#: Bits of arguments and of what expm1f of glibc 2.36 makes of them: every step of the function at
#: both ends, and three that the nearest float32 of exp(x) - 1 is not.
KNOWN = (
    (0x80000000, 0x80000000), (0x80000001, 0x80000001), (0xB2FFFFFF, 0xB2FFFFFF), (0xB3000000,
    0xB3000000), (0xB3000001, 0xB3000001), (0xBEB17218, 0xBE95F61A), (0xBEB17219, 0xBE95F61A),
    (0xBF851591, 0xBF257D86), (0xBF851592, 0xBF257D86), (0xBF851593, 0xBF257D87), (0xC195B843,
    0xBF800000), (0xC195B844, 0xBF800000), (0xC195B845, 0xBF800000), (0xC2000000, 0xBF800000),
    (0xFF800000, 0xBF800000), (0xBED6110D, 0xBEAEF3AC), (0xBFD59556, 0xBF4FBE00), (0xBF15213D,
    0xBEE20F0E))


#: Bits of arguments and of results of glibc 2.36, at the ends of steps and at random places.
WAVES = {
    sine: (
        (0x80000000, 0x80000000), (0x39000000, 0x39000000), (0x3F490FDB, 0x3F3504F3), (0x40490FDB,
        0xB3BBBD2E), (0x40C90FDB, 0x343BBD2E), (0x42EFFFFF, 0x3F14A287), (0x42F00000, 0x3F14A2EF),
        (0xC47A0000, 0xBF53AE61), (0x501502F9, 0xBEF99A64), (0x7F7FC99E, 0xBE79F163), (0xFF7FC99E,
        0x3E79F163), (0x3F84B44F, 0x3F5C5A7E), (0x401DC02D, 0x3F205224), (0xC07A34C9, 0x3F31D208)),
    cosine: (
        (0x80000000, 0x3F800000), (0x39000000, 0x3F800000), (0x3F490FDB, 0x3F3504F3), (0x40490FDB,
        0xBF800000), (0x42EFFFFF, 0x3F506E74), (0x42F00000, 0x3F506E2A), (0xC47A0000, 0x3F0FF813),
        (0x501502F9, 0x3F5F84C5), (0xFF7FC99E, 0x3F7841CA), (0xBFCE30A7, 0xBD240E4F), (0x3FDF263C,
        0xBE2FD2E3), (0x3F8BFEED, 0x3EEB1A7B)),
    hyperbolic_tangent: (
        (0x80000000, 0x80000000), (0x1E3CE508, 0x1E3CE508), (0xBE99999A, 0xBE9526ED), (0x3F000000,
        0x3EEC9A9F), (0x3F7FFFFF, 0x3F42F7D5), (0x3F800000, 0x3F42F7D6), (0xC0000000, 0xBF76CA83),
        (0x40FCCCCD, 0x3F7FFFFB), (0x41080000, 0x3F7FFFFF), (0x41B00000, 0x3F800000), (0x3FE5F4FA,
        0x3F724A4F), (0x3DF40D79, 0x3DF2E767), (0xBF609B56, 0xBF348165)),
    exponential_less_one: (
        (0x3E99999A, 0x3EB320B2), (0x3ECCCCCD, 0x3EFBD072), (0x3F800000, 0x3FDBF0A8), (0x3F8CCCCD,
        0x40004442), (0x40000000, 0x40CC7326), (0x41780000, 0x4AA47B03), (0x41880000, 0x4BB849A4),
        (0x42180000, 0x5AE2599A)),
    logarithm: (
        (0x7F800000, 0x7F800000), (0x7FC00000, 0x7FC00000), (0x00000000, 0xFF800000), (0x80000000,
        0xFF800000), (0xBF800000, 0x7FC00000), (0x00000001, 0xC2CE8ED0), (0x007FFFFF, 0xC2AEAC50),
        (0x00800000, 0xC2AEAC50), (0x7F7FFFFF, 0x42B17218), (0x3F32FFFF, 0xBEB7307A), (0x3F330000,
        0xBEB73077), (0x3F7FFFFF, 0xB3800000), (0x3F800000, 0x00000000), (0x3F800001, 0x33FFFFFF),
        (0x40490FDB, 0x3F928683), (0x3F3A0000, 0xBEA38C6E), (0x3F39FFFF, 0xBEA38C71), (0x2B8CBCCC,
        0xC1DD0C55), (0x5F000000, 0x422EAC50))}


@pytest.mark.parametrize("function", WAVES, ids=lambda function: function.__name__)
def test_functions_are_those_of_the_c_library(function):
    bits = np.array(WAVES[function], np.uint32)

    with np.errstate(all="ignore"):
        values = function(bits[:, 0].view(np.float32))

    np.testing.assert_array_equal(values.view(np.uint32), bits[:, 1])


def _zeros(*shape):
    return Tensor(np.zeros(shape, np.float32))


def test_useful_products_of_floats():
    dense = PlainDense(_zeros(5, 12), None)
    turned = PlainTransposeConv(_zeros(3, 2, 4, 7), None, (2, 3), sizes=(9, 16))

    assert dense.work((3, 2, 12)) == 3 * 2 * 12 * 5
    assert turned.work((2, 4, 5, 7)) == (2 * 4 * 5 * 7) * (3 * 2 * 4)


def test_exponentials_less_one_are_those_of_the_c_library():
    bits = np.array(KNOWN, np.uint32)

    values = exponential_less_one(bits[:, 0].view(np.float32))

    np.testing.assert_array_equal(values.view(np.uint32), bits[:, 1])


def test_exponentials_less_one_are_near():
    x = -np.logspace(-9, 2, 5000).astype(np.float32)

    np.testing.assert_allclose(exponential_less_one(x), np.expm1(x.astype(np.float64)), rtol=1e-7)


def test_a_table_takes_its_entries():
    x     = Tensor(np.int8([[-128, -1], [0, 127]]), KIND)
    table = PlainTable(tuple(range(127, -129, -1)), Quantisation((2.0,), (0,)))

    output = run(table, x).output

    assert output.data.tolist() == [[127, 0], [-1, -128]]
    assert output.quantisation == table.out


@pytest.mark.parametrize(("outputs", "dtype", "sentence"), [
    ((0,) * 255, np.int8, r"outputs must be a tuple of 256 ints"),
    ((0,) * 255 + (128,), np.int8, r"outputs must be from -128 to 127, not 128"),
    ((0,) * 256, np.int16, r"Input .*INT8.*INT16")])
def test_tables_that_do_not_fit(outputs, dtype, sentence):
    x = Tensor(np.zeros(2, dtype), Quantisation((0.5,), (0,)))

    with pytest.raises((TypeError, ValueError), match=sentence):
        run(PlainTable(outputs, KIND), x)


def test_taps_beside_the_image_take_no_time():
    x    = Tensor(np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1))
    pool = PlainPool(PlainPooling.AVERAGE_POOL_2D, (100_001, 90_001), padding=Padding.SAME)

    assert (run(pool, x).output.data == 7.5).all()


def same(actual, expected):
    """Whether float32 arrays have the same bits, or NaN in the same places."""
    expected = np.float32(expected)
    return np.array_equal(np.where(np.isnan(actual), 0, actual.view(np.int32)),
                          np.where(np.isnan(expected), 0, expected.view(np.int32))) and (
        np.array_equal(np.isnan(actual), np.isnan(expected)))


#: Operators, operands and what tflite-micro makes of them. Quotients that float32 rounds up to an
#: integer come from random trials.
PAIRS = (
    ("MAXIMUM", [0.0, -0.0, 0.0, nan, 1, 2], [-0.0, 0.0, nan, 0.0, 2, 1],
     [-0.0, 0.0, nan, 0.0, 2, 2]),
    ("MINIMUM", [0.0, -0.0, 0.0, nan, 1, 2], [-0.0, 0.0, nan, 0.0, 2, 1],
     [-0.0, 0.0, nan, 0.0, 1, 1]),
    ("FLOOR_DIV", [-329.09192, 4.9889994, -444.61526, 7, -7, inf, 3e38],
     [-7.790021e-05, 2.7820372e-05, 0.00024937603, 2, 2, 2, 1e-3],
     [4224531, 179328, -1782912, 3, -4, inf, inf]),
    ("FLOOR_MOD", [0.0, -0.0, 6, -6, 7, -7, 7, -7, -1, 1, nan],
     [-1, 8, -2, 2, 4, 4, -4, -4, inf, 0, 1],
     [0.0, -0.0, 0.0, -0.0, 3, 1, -1, -3, inf, nan, nan]))


@pytest.mark.parametrize(("name", "a", "b", "expected"), PAIRS)
def test_pairs_with_zeros_and_close_quotients(name, a, b, expected):
    layer = PlainBinary(PlainOperation(name))

    output = run(layer, Tensor(np.float32(a)), Tensor(np.float32(b))).output

    assert same(output.data, expected)


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_floor_div_refuses_0_as_the_library_does(zero):
    with pytest.raises(ValueError, match="Every divisor must be other than 0"):
        run(PlainBinary(PlainOperation.FLOOR_DIV), Tensor(np.float32([1, 2])),
            Tensor(np.float32([3, zero])))


def test_round_gives_no_negative_zero_below_zero():
    x = [-0.0, -1e-45, -0.3, -0.5, 0.5, 1.5, -1.5, 2.5, -2.5, -0.75, 8388609, inf, -inf, nan]

    output = run(PlainUnary(PlainCurve.ROUND), Tensor(np.float32(x))).output

    assert same(output.data, [-0.0, 0.0, 0.0, 0.0, 0.0, 2, -2, 2, -2, -1, 8388609, inf, -inf, nan])


LEAST, MOST = -1 << 31, (1 << 31) - 1


@pytest.mark.parametrize(("name", "activation", "expected"), [
    ("ADD", Activation.RELU6, [-9, 2, 9, LEAST]),
    ("SUB", Activation.NONE, [-5, 4, 5, MOST - 1]),
    ("SUB", Activation.TANH, [-5, 4, 5, MOST - 1]),
    ("SUB", Activation.RELU, [0, 4, 5, MOST - 1]),
    ("SUB", Activation.RELU6, [0, 4, 5, 6]),
    ("SUB", Activation.RELU_N1_TO_1, [-1, 1, 1, 1]),
    ("MUL", Activation.NONE, [14, -3, 14, MOST]),
    ("MUL", Activation.RELU, [14, 0, 14, MOST]),
    ("MUL", Activation.RELU6, [6, 0, 6, 6]),
    ("MUL", Activation.RELU_N1_TO_1, [1, -1, 1, 1])])
def test_an_activation_limits_integers_of_some_operators(name, activation, expected):
    a, b  = (Tensor(np.int32(data)) for data in ([-7, 3, 7, MOST], [-2, -1, 2, 1]))
    layer = PlainBinary(PlainOperation(name), activation)

    assert run(layer, a, b).output.data.tolist() == expected


@pytest.mark.parametrize(("layer", "x", "expected"), [
    (PlainMean((0, 1)), np.float32([[1, 2], [3, 4]]), 2.5),
    (PlainReduce((0, 1)), np.float32([[1, 2], [3, 4]]), 10),
    (Cast(np.dtype(np.int16)), np.float32(3.7).reshape(()), 3),
    (Relu6(KIND), np.int8(100).reshape(()), 15)])
def test_results_without_dimensions_are_arrays(layer, x, expected):
    output = run(layer, Tensor(x, KIND if x.dtype == np.int8 else None)).output

    assert (output.shape, output.data.item()) == ((), expected)
    assert isinstance(output.data, np.ndarray)
