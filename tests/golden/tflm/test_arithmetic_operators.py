# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of TensorFlow Lite, element by element and along dimensions, on single Python ints"""

from fractions import Fraction
from math import isqrt, log, sqrt

import numpy as np
import pytest

from tests.support.naive.tflm import clamped, multiplied, multiplied_long, quantised, wrapped
from tests.support.seed import random_of
from xymac.golden import run
from xymac.golden.tflm import (
    Abs,
    AddN,
    ArgMax,
    ArgMin,
    BatchMatmul,
    CumSum,
    Div,
    Equal,
    Greater,
    GreaterEqual,
    L2Normalization,
    Less,
    LessEqual,
    LogSoftmax,
    NotEqual,
    Quantisation,
    ReduceMax,
    ReduceMin,
    Rsqrt,
    SquaredDifference,
    Sum,
    Tensor,
)
from xymac.golden.tflm.curves.logarithm import logarithm
from xymac.golden.tflm.curves.root import inverse_root

KIND, OTHER = Quantisation((0.5,), (-3,)), Quantisation((0.171875,), (9,))
WORD, OUT16 = Quantisation((0.0078125,), (0,)), Quantisation((0.03125,), (0,))
OUT = Quantisation((0.75,), (-11,))


def draw(*shape, kind=KIND, dtype=np.int8, key=1):
    ends = np.iinfo(dtype)
    return Tensor(random_of((key, *shape)).integers(ends.min, ends.max, shape, dtype,
                                                    endpoint=True), kind)


def scaled(value, zero, factor, bits=8):
    """An output of a sum."""
    top = 2 ** (bits - 1)
    return clamped(wrapped(multiplied(value, *factor) + zero), -top, top - 1)


def ints(x):
    """Elements less their zero point, a list of Python ints."""
    return (x.data.astype(int) - x.quantisation.zero_point).ravel().tolist()


@pytest.mark.parametrize(("kind", "compare"), [
    (Equal, int.__eq__), (NotEqual, int.__ne__), (Greater, int.__gt__),
    (GreaterEqual, int.__ge__), (Less, int.__lt__), (LessEqual, int.__le__)])
@pytest.mark.parametrize("other", [KIND, OTHER], ids=["alike", "other scales"])
def test_comparisons(kind, compare, other):
    a, b = draw(600), draw(600, kind=other, key=2)
    first, second = ([multiplied(value << 8, *quantised(x.quantisation.scale)) for value in ints(x)]
                     for x in (a, b))

    assert run(kind(), a, b).output.data.tolist() == [*map(compare, first, second)]


@pytest.mark.parametrize(("dtype", "out", "shift"), [(np.int8, OUT, 7), (np.int16, OUT16, 0)])
def test_squared_differences(dtype, out, shift):
    kinds = (KIND, OTHER) if shift else (WORD, OUT16)
    a, b  = (draw(400, kind=kind, dtype=dtype, key=key)
             for key, kind in enumerate(kinds))
    a.data[:2], b.data[:2] = (np.iinfo(dtype).min, -1), (np.iinfo(dtype).max, 1)
    scales = [kind.scale for kind in kinds]
    twice  = 2 * max(scales)
    last   = quantised(twice * twice / (2 ** (2 * shift) * out.scale))

    expected = []
    for pair in zip(ints(a), ints(b), strict=True):
        one, other = (multiplied(value << shift, *quantised(scale / twice))
                      for value, scale in zip(pair, scales, strict=True))
        expected.append(scaled((one - other) ** 2, out.zero_point, last, 8 * a.data.itemsize))
    assert run(SquaredDifference(out), a, b).output.data.tolist() == expected


def test_quotients_are_the_nearest_where_the_library_shifts_by_31_bits_at_most():
    a, b   = draw(3000), draw(3000, kind=Quantisation((0.25,), (-128,)), key=2)
    b.data[b.data == -128] = 1
    output = run(Div(Quantisation((2.0 ** -6,), (0,))), a, b).output.data

    for value, one, other in zip(output.tolist(), ints(a), ints(b), strict=True):
        exact = clamped(Fraction(one, other) * 128, -128, 127)
        assert abs(value - exact) <= Fraction(1, 2) + Fraction(1, 1 << 20), (one, other)


def test_sums_of_several():
    inputs = [draw(200, key=key) for key in range(3)]
    last   = quantised(2 * 0.5 / (2 ** 20 * OUT.scale))

    sums = [sum(each) + 3 for each in zip(*map(ints, inputs), strict=True)]
    assert run(AddN(OUT), *inputs).output.data.tolist() == [
        scaled(value << 19, -11, last) for value in sums]


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_cumulative_sums(exclusive, reverse):
    x    = draw(3, 7)
    last = quantised(2 * 0.5 / (2 ** 20 * OUT.scale))

    output = run(CumSum(-1, OUT, exclusive, reverse), x).output.data

    for row, values in zip(output.tolist(), np.reshape(ints(x), (3, 7)).tolist(), strict=True):
        order, total = range(7)[::-1 if reverse else 1], 3
        for place in order:
            total += 0 if exclusive else values[place]
            assert row[place] == scaled(total << 19, -11, last)
            total += values[place] if exclusive else 0


def test_reductions():
    x = draw(3, 4, 5)

    total = run(Sum((0, -1), OUT), x).output.data.tolist()
    for place in range(4):
        values = x.data[:, place].ravel().tolist()
        assert total[place] == scaled(sum(values) + 3 * 15, -11, quantised(0.5 / 0.75))
        assert run(ReduceMax((0, 2), KIND), x).output.data[place] == max(values)
        assert run(ReduceMin((2, 0), KIND, True), x).output.data[0, place, 0] == min(values)
    for row, column in np.ndindex(3, 4):
        values = [value % 4 for value in x.data[row, column].tolist()]
        rows   = Tensor(x.data % np.int8(4), KIND)
        assert run(ArgMax(2), rows).output.data[row, column] == values.index(max(values))
        assert run(ArgMin(-1), rows).output.data[row, column] == values.index(min(values))


@pytest.mark.parametrize(("kinds", "dtype", "out"), [
    ((KIND, OTHER), np.int8, Quantisation((13.0,), (5,))),
    ((WORD, OUT16), np.int16, Quantisation((3.0,), (0,)))])
def test_matrices(kinds, dtype, out):
    a, b   = draw(2, 1, 3, 9, kind=kinds[0], dtype=dtype), draw(5, 4, 9, kind=kinds[1], dtype=dtype)
    factor = quantised(kinds[0].scale * kinds[1].scale / out.scale)
    bits   = 8 * a.data.itemsize
    times  = multiplied if bits == 8 else multiplied_long

    output = run(BatchMatmul(out, adj_y=True), a, b).output.data

    assert output.shape == (2, 5, 3, 4)
    first, second = a.centred.astype(object), b.centred.astype(object)
    for n, m, row, column in np.ndindex(output.shape):
        total = int(sum(first[n, 0, row] * second[m, column]))
        assert output[n, m, row, column] == clamped(
            times(total, *factor) + out.zero_point, -2 ** (bits - 1), 2 ** (bits - 1) - 1)


def test_magnitudes():
    x = Tensor(np.arange(-128, 128).astype(np.int8), KIND)

    assert run(Abs(OUT), x).output.data.tolist() == [
        scaled(abs(value), -11, quantised(0.5 / 0.75)) for value in ints(x)]


def test_roots_and_logarithms_are_next_to_the_real_ones():
    values = np.array([1, 2, 3, 4, 65535, 65536, (1 << 29) - 1, 1 << 29, (1 << 31) - 1,
                       *random_of(3).integers(1, 1 << 31, 500)])
    for value, multiplier, exponent in zip(values.tolist(), *map(np.ndarray.tolist, inverse_root(
            values)), strict=True):
        exact = Fraction(1 << 80, isqrt(value << 160))
        assert abs(Fraction(multiplier) * Fraction(2) ** (exponent - 31) / exact - 1) < 2.0 ** -19
    values = np.array([1 << 19, (1 << 19) + 1, 1 << 20, (1 << 31) - 1,
                       *random_of(4).integers(1 << 19, 1 << 31, 500)])
    for value, result in zip(values.tolist(), logarithm(values).tolist(), strict=True):
        assert abs(result / 2.0 ** 26 - log(value / 2.0 ** 19)) < 2.0 ** -21


def test_rows_over_their_length_and_logarithms_of_shares():
    x = draw(4, 6)
    lengths = run(L2Normalization(Quantisation((2.0 ** -7,), (0,))), x).output.data
    shares  = run(LogSoftmax(Quantisation((2.0 ** -4,), (127,))), x).output.data
    for row in range(4):
        values = np.reshape(ints(x), (4, 6))[row] * 1.0
        length = 128 * values / sqrt(values @ values)
        assert np.abs(lengths[row] - np.clip(length, -128, 127)).max() < 0.51
        share  = values * 0.5 - values.max() * 0.5
        share  = 127 + 16 * (share - log(np.exp(share).sum()))
        assert np.abs(shares[row] - np.clip(share, -128, 127)).max() < 0.51


@pytest.mark.parametrize(("layer", "inputs", "message"), [
    (Greater(), [Tensor(np.zeros(2, np.int8), Quantisation((1.0,), (0,)))] * 2,
     r"^Scale of first input must be more than 0 and less than 1, not 1$"),
    (Div(OUT), [draw(2), Tensor(np.full(2, -3, np.int8), KIND)],
     r"^No element of the second input must be its zero point, -3$"),
    (Rsqrt(OUT), [Tensor(np.full(2, -9, np.int8), KIND)],
     r"^No element must be below its zero point, but one is by 6$"),
    (Rsqrt(Quantisation((2.0 ** 30,), (0,))), [draw(2)],
     r"^Scales must make a factor from 2\*\*-12 to 2\*\*50, not about 2\*\*-29$"),
    (L2Normalization(OUT), [draw(1, 1, 1, 1, 2)], r"^Input must have 1 to 4 dimensions, not 5$"),
    (LogSoftmax(OUT), [draw(2)], r"^out must have scale 2\*\*-4 and zero point 127, not 0.75 and"),
    (AddN(OUT), [draw(2)], r"^AddN takes 2 tensors at least, not 1$"),
    (AddN(OUT), [draw(2), draw(2, kind=OTHER)], r"^Input 1 must have the scale and zero point of"),
    (ReduceMax((0,), OUT), [draw(2)], r"^out must have the scale and zero point of the input, "),
    (BatchMatmul(OUT), [draw(2, 3), draw(2, 3)], r"^The first input's matrices have 3 columns, "),
    (BatchMatmul(OUT), [draw(3), draw(3, 3)], r"^First input must have at least 2 dimensions, no"),
    (CumSum(1, OUT), [draw(2)], r"^axis must be between -1 and 0, not 1$")])
def test_refusals(layer, inputs, message):
    with pytest.raises((ValueError, TypeError), match=message):
        run(layer, *inputs)
