# SPDX-License-Identifier: Apache-2.0
"""Fixed-point arithmetic against exact fractions."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac.golden.fixed import in_range, matmul, saturate, wrap
from xymac.golden.kinds import Relu
from xymac.golden.mli1.arithmetic import align_bias, shift_round
from xymac.golden.mli1.tensor import Tensor
from xymac.golden.parameters.mli1 import relu_limits
from xymac.golden.result import Result
from xymac.hdl.isa import ROUNDINGS, RoundMode

WIDE  = (-(1 << 15), (1 << 15) - 1)
WORD  = (-(1 << 31), (1 << 31) - 1)
EDGES = sorted({sign * (1 << bits) + offset for sign in (-1, 1) for bits in range(39)
                for offset in (-2, -1, 0, 1, 2)} | {-(1 << 39), (1 << 39) - 1, 0})


def exact_shift(acc, shift, rounding):
    """The same with Python's fractions and without limits; ``round`` takes halves to even."""
    value = Fraction(acc) * Fraction(2) ** -shift
    return {RoundMode.CONVERGENT: round, RoundMode.UP: lambda value: floor(value + Fraction(1, 2)),
            RoundMode.FLOOR: floor}[rounding](value)


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("shift", [*range(-41, 45), -510, -64, -63, 62, 63, 64, 510])
def test_shift_round_matches_fractions(shift, rounding):
    rng = random_of(shift + 1000)
    acc = np.array([*EDGES, *rng.integers(-1 << 39, 1 << 39, 100), *rng.integers(-300, 300, 50)])
    exact = [exact_shift(int(value), shift, rounding) for value in acc]

    for low, high in (WIDE, WORD, (0, 6 << 28), (0, 0)):
        out = shift_round(acc, shift, rounding, (low, high))
        assert out.tolist() == [min(max(value, low), high) for value in exact]


@pytest.mark.parametrize(("rounding", "expected"), [
    (RoundMode.CONVERGENT, [-2, -2, 0, 0, 2, 2]), (RoundMode.UP, [-2, -1, 0, 1, 2, 3])])
def test_halves(rounding, expected):
    halves = np.array([-5, -3, -1, 1, 3, 5])
    assert shift_round(halves, 1, rounding, WIDE).tolist() == expected


@pytest.mark.parametrize(("rounding", "expected"), [
    (RoundMode.CONVERGENT, 0), (RoundMode.UP, 0), (RoundMode.FLOOR, -1)])
@pytest.mark.parametrize("shift", [40, 41])
def test_half_of_the_accumulator_at_the_largest_shifts(shift, rounding, expected):
    assert shift_round(np.array([-1 << 39]), shift, rounding, WIDE).tolist() == [expected]


def test_shift_round_refuses_wide_accumulators():
    with pytest.raises(OverflowError, match=r"^Accumulator must have at most 40 bits$"):
        shift_round(np.array([1 << 39]), 0, RoundMode.UP, WIDE)


@pytest.mark.parametrize("bits", [8, 32, 40])
def test_saturate_wrap_and_range_agree_inside_and_differ_outside(bits):
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1
    inside    = np.array([low, low + 1, -1, 0, 1, high])

    assert saturate(inside, bits).tolist() == wrap(inside, bits).tolist() == inside.tolist()
    assert in_range(inside, bits)
    assert saturate(np.array([low - 1, high + 1]), bits).tolist() == [low, high]
    assert wrap(np.array([low - 1, high + 1]), bits).tolist() == [high, low]
    assert not in_range(np.array([low - 1]), bits)
    assert not in_range(np.array([high + 1]), bits)


@pytest.mark.parametrize("largest", [1 << 15, (1 << 25) - 1, (1 << 30) - 1],
                         ids=["float", "edge", "int64"])
def test_matmul_is_exact(largest):
    rng = random_of(largest)
    a   = rng.integers(-largest, largest + 1, (3, 4))
    b   = rng.integers(-largest, largest + 1, (4, 2))
    a[0], b[:, 0] = largest, largest

    expected = [[sum(int(a[i, k]) * int(b[k, j]) for k in range(4)) for j in range(2)]
                for i in range(3)]

    assert matmul(a, b).tolist() == expected
    assert matmul(a, b).dtype == np.int64


def test_matmul_is_exact_where_float64_is_not():
    a = np.array([[1 << 30, 1]])
    b = np.array([[1 << 30], [1]])
    assert matmul(a, b).tolist() == [[(1 << 60) + 1]]


def test_matmul_refuses_what_int64_cannot_hold():
    a = np.full((1, 2), 1 << 31)
    with pytest.raises(OverflowError, match=r"^Matrix product must stay within 2\*\*62, but may "
                                            r"reach 9223372036854775808$"):
        matmul(a, a.T)


@pytest.mark.parametrize("shift", [0, 1, 23, 24, 25, 31, 32, 63, 64, 510])
def test_short_bias_saturates(shift):
    bias   = Tensor(np.array([-128, -2, -1, 0, 1, 127], np.int8), 0)
    limits = (-(1 << 31), (1 << 31) - 1)

    expected = [min(max(int(value) << shift, limits[0]), limits[1]) for value in bias.data]

    assert align_bias(bias, shift).tolist() == expected


def test_long_bias_is_exact_up_to_its_limit():
    bias = Tensor(np.array([-32768, 32767], np.int16), 0)

    assert align_bias(bias, 31).tolist() == [-32768 << 31, 32767 << 31]
    with pytest.raises(OverflowError, match=r"^Bias shift must be at most 31 bits, not 32$"):
        align_bias(bias, 32)


@pytest.mark.parametrize(("relu", "frac_bits", "bits", "expected"), [
    (Relu.NONE,  0,   8,  (-128, 127)),
    (Relu.NONE,  255, 16, (-32768, 32767)),
    (Relu.GEN,   3,   8,  (0, 127)),
    (Relu.RELU1, 0,   8,  (-1, 1)),
    (Relu.RELU1, 6,   8,  (-64, 64)),
    (Relu.RELU1, 7,   8,  (-128, 127)),
    (Relu.RELU1, 40,  16, (-32768, 32767)),
    (Relu.RELU6, 4,   8,  (0, 96)),
    (Relu.RELU6, 5,   8,  (0, 127)),
    (Relu.RELU6, 12,  16, (0, 24576)),
    (Relu.RELU6, 31,  16, (0, 32767)),
])
def test_relu_limits(relu, frac_bits, bits, expected):
    assert relu_limits(relu, frac_bits, bits) == expected


@pytest.mark.parametrize(("data", "frac_bits", "error", "message"), [
    ([1], 0, TypeError, r"^Tensor data must be a numpy array of int8 or int16, not list$"),
    (np.zeros(1, np.int32), 0, TypeError, r"int8 or int16, not int32$"),
    (np.zeros(1, ">i2"), 0, TypeError, r"int8 or int16, not >i2$"),
    (np.zeros(1, np.int8), 1.0, TypeError, r"^frac_bits must be an int, not float$"),
    (np.zeros(1, np.int8), True, TypeError, r"^frac_bits must be an int, not bool$"),
    (np.zeros(1, np.int8), -1, ValueError, r"^frac_bits must be between 0 and 255, not -1$"),
    (np.zeros(1, np.int8), 256, ValueError, r"^frac_bits must be between 0 and 255, not 256$"),
])
def test_tensor_refusals(data, frac_bits, error, message):
    with pytest.raises(error, match=message):
        Tensor(data, frac_bits)


def test_tensors_compare_by_value():
    tensor = Tensor(np.array([[1, 2]], np.int8), np.int64(3))

    assert tensor == Tensor(np.array([[1, 2]], np.int8), 3)
    assert Result(tensor, False) == Result(Tensor(tensor.data.copy(), 3), False)
    assert tensor != Tensor(np.array([[1, 2]], np.int8), 4)
    assert tensor != Tensor(np.array([[1, 2]], np.int16), 3)
    assert tensor != Tensor(np.array([[1, 3]], np.int8), 3)
    assert tensor != "tensor"
    assert (tensor.shape, tensor.bits) == ((1, 2), 8)
