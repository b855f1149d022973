# SPDX-License-Identifier: Apache-2.0
"""Activation kernels and their tables against plain loops over Python ints."""

from dataclasses import replace
from math import exp
from math import tanh as exact_tanh
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.naive.mli1 import clip, divide, random_tensor
from tests.support.seed import SEED, examples, random_of
from xymac.golden import run
from xymac.golden.mli1 import (
    LeakyRelu,
    Rectify,
    Relu,
    Sigmoid,
    Softmax,
    Tanh,
    Tensor,
    leaky_relu,
    relu,
    sigm,
    softmax,
    tanh,
)
from xymac.golden.mli1.activation import SOFTMAX_MAX
from xymac.golden.mli1.lut import EXP, SIGMOID, TANH
from xymac.hdl.isa import ROUNDINGS, RoundMode

DTYPES = [np.int8, np.int16]
#: The vendor's tables: entries, index of the argument 0, fractional bits of the step.
SHAPES = {"v1_sigmoid": (180, 90, 3), "v1_tanh": (178, 89, 4), "v1_expneg": (181, 179, 4)}
TABLES = {"v1_sigmoid": SIGMOID, "v1_tanh": TANH, "v1_expneg": EXP}
LUTS   = Path(__file__).parents[2] / "vectors" / "luts.npz"


def naive_table(name, x, frac_bits, bits, rounding):
    """One value of the vendor's table ``name`` as an output of ``bits``."""
    values, (size, offset, step) = TABLES[name].values, SHAPES[name]
    shift = frac_bits - step
    if shift > 15:
        x, shift = x // 2 ** (shift - 15), 15
    if shift > 0:
        index = max(0, min(clip(x // 2 ** shift + offset, 16), size - 2))
        fall  = (values[index] - values[index + 1]) * (x % 2 ** shift)
        value = clip(values[index] - divide(fall, shift, rounding, 64), 16)
    else:
        index = clip(clip(x * 2 ** -shift, 16) + offset, 16)
        value = values[max(0, min(index, size - 1))]
    return value if bits == 16 else divide(value, 8, rounding, 8)


def naive_softmax(x, rounding):
    """Plain loops; the sum is normalised the way of a 32-bit accumulator."""
    values, bits, frac_bits = x.data.ravel().tolist(), x.bits, x.frac_bits
    top = max(values)
    if min(values) - top < -2 ** (bits - 1):
        below, frac_bits = [value // 2 - top // 2 for value in values], frac_bits - 1
    else:
        below = [value - top for value in values]
    powers = [naive_table("v1_expneg", value, frac_bits, bits, rounding) for value in below]
    total, places = sum(powers), 0
    while total * 2 ** places < 2 ** 30:
        places += 1
    mantissa = divide(total * 2 ** places, 16, rounding, 16)
    inverse  = min(2 ** 29 // mantissa, 32767)
    shift    = 30 - places if bits == 16 else 38 - places
    return [divide(power * inverse, shift, rounding, bits) for power in powers]


def naive_leaky(x, slope, documented, rounding):
    out = []
    for value in x.data.ravel().tolist():
        scaled = divide(value * slope.data.item(), slope.frac_bits, rounding, x.bits)
        if slope.frac_bits == 15 and not documented:
            out.append(min(value, scaled))
        else:
            out.append(value if value >= 0 else scaled)
    return out


tensors = st.builds(
    lambda seed, shape, *arguments: random_tensor(random_of(seed), shape, *arguments),
    st.integers(0, 2 ** 32 - 1), st.lists(st.integers(1, 5), min_size=0, max_size=4).map(tuple),
    st.sampled_from(DTYPES), st.integers(0, 255) | st.integers(0, 20),
    st.sampled_from([2, 30, 300, 1 << 15]))
roundings = st.sampled_from(ROUNDINGS)
many = settings(derandomize=SEED.is_default, deadline=None, max_examples=examples(300))


def assert_equal(result, x, values, frac_bits):
    assert result.output.data.ravel().tolist() == values
    assert result.output.shape == x.shape
    assert result.output.data.dtype == x.data.dtype
    assert result.output.frac_bits == frac_bits
    assert result.overflow is False
    assert result.cell is None


@pytest.mark.parametrize("name", SHAPES)
def test_tables_are_the_vendors(name):
    size, offset, step = SHAPES[name]
    with np.load(LUTS) as file:
        vendors = file[name].tolist()

    assert list(TABLES[name].values) == vendors
    assert (len(vendors), TABLES[name].offset, TABLES[name].frac_bits) == (size, offset, step)


@many
@given(tensors, st.sampled_from(Relu))
def test_relu_matches_loops(x, kind):
    info, one = np.iinfo(x.data.dtype), 2 ** x.frac_bits
    low  = {Relu.NONE: info.min, Relu.RELU1: max(-one, info.min)}.get(kind, 0)
    high = {Relu.RELU1: one, Relu.RELU6: 6 * one}.get(kind, info.max)

    result = run(Rectify(kind), x)

    assert_equal(result, x, [max(low, min(value, high, info.max))
                             for value in x.data.ravel().tolist()], x.frac_bits)
    assert relu(x, kind) == result


@many
@given(tensors, st.integers(-(1 << 15), (1 << 15) - 1), st.integers(0, 20) | st.integers(0, 255),
       st.booleans(), roundings)
def test_leaky_relu_matches_loops(x, slope, slope_frac, documented, rounding):
    slope = Tensor(np.array([clip(slope, x.bits)], x.data.dtype), slope_frac)

    result = run(LeakyRelu(slope, documented, rounding), x)

    assert_equal(result, x, naive_leaky(x, slope, documented, rounding), x.frac_bits)
    assert leaky_relu(x, slope, documented=documented, rounding=rounding) == result


def test_leaky_relu_wraps_one_with_15_fractional_bits():
    x = Tensor(np.array([-1000, 0, 1000], np.int16), 4)
    quarter = Tensor(np.array([8192], np.int16), 15)

    assert leaky_relu(x, quarter).output.data.tolist() == [-1000, 0, 250]
    assert leaky_relu(x, quarter, documented=True).output.data.tolist() == [-250, 0, 1000]
    for frac_bits in (14, 16):
        slope = Tensor(np.array([8192], np.int16), frac_bits)
        assert leaky_relu(x, slope).output.data[2] == 1000


@pytest.mark.parametrize(("kernel", "name"), [(sigm, "v1_sigmoid"), (tanh, "v1_tanh")])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_tables_match_loops(kernel, name, dtype, rounding):
    rng = random_of(7)
    for frac_bits in (*range(21), 29, 30, 40, 100, 255):
        x = random_tensor(rng, (200,), dtype, frac_bits)
        expected = [naive_table(name, value, frac_bits, x.bits, rounding)
                    for value in x.data.tolist()]

        assert_equal(kernel(x, rounding=rounding), x, expected, x.bits - 1)


@many
@given(tensors, roundings, st.sampled_from([(Sigmoid, "v1_sigmoid"), (Tanh, "v1_tanh")]))
def test_any_shape_matches_loops(x, rounding, kernel):
    kind, name = kernel

    assert_equal(run(kind(rounding), x), x,
                 [naive_table(name, value, x.frac_bits, x.bits, rounding)
                  for value in x.data.ravel().tolist()], x.bits - 1)


@pytest.mark.parametrize(("kernel", "exact"), [
    (sigm, lambda value: 1 / (1 + exp(-value))), (tanh, exact_tanh)])
def test_tables_approximate_the_function(kernel, exact):
    x   = np.arange(-32768, 32768, 7, dtype=np.int16)
    out = kernel(Tensor(x, 12)).output.data

    assert max(abs(int(value) / 32768 - exact(int(argument) / 4096))
               for argument, value in zip(x, out, strict=True)) < 1 / 1000


def test_arguments_beyond_the_table():
    x = Tensor(np.array([-32768, -32768 + 511, 32767], np.int16), 9)

    assert tanh(x).output.data.tolist() == [-32767, -32767, 32767]
    assert sigm(x).output.data.tolist() == [0, 0, 32767]


@many
@given(tensors, roundings)
def test_softmax_matches_loops(x, rounding):
    result = run(Softmax(rounding), x)

    assert_equal(result, x, naive_softmax(x, rounding), x.bits - 1)
    assert softmax(x, rounding=rounding) == result


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("frac_bits", [0, 1, 4, 5, 6, 15, 16, 40])
def test_softmax_halves_a_wide_input(dtype, frac_bits):
    info = np.iinfo(dtype)
    for data in ([info.min, info.max], [info.min, -1], [info.min, 0], [info.min, 1, info.max],
                 [info.min, 0, -1, -3], [info.max] * 3, [info.min] * 2,
                 [info.min, info.max, info.max - 1]):
        x = Tensor(np.array(data, dtype), frac_bits)
        for rounding in ROUNDINGS:
            assert_equal(softmax(x, rounding=rounding), x, naive_softmax(x, rounding), x.bits - 1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_softmax_of_the_largest_tensor(dtype):
    x = Tensor(np.zeros(SOFTMAX_MAX, dtype), 0)

    assert set(softmax(x).output.data.tolist()) == {naive_softmax(x, RoundMode.CONVERGENT)[0]}


def tensor(*shape, dtype=np.int8, frac_bits=4):
    return Tensor(np.ones(shape, dtype), frac_bits)


LEAKY = LeakyRelu(tensor(1))
X     = tensor(2, 3)


@pytest.mark.parametrize(("layer", "x", "message"), [
    (Rectify(Relu.GEN), tensor(0), r"^Input must not be empty, but has shape \(0,\)$"),
    (Sigmoid(), tensor(1, 1, 1, 1, 1), r"^Input must have at most 4 dimensions, not 5$"),
    (Tanh(), tensor(2, 0), r"^Input must not be empty, but has shape \(2, 0\)$"),
    (LeakyRelu(tensor(2)), X, r"^Slope must have 1 element, not 2$"),
    (LeakyRelu(tensor(1, dtype=np.int16)), X, r"^Slope has 16 bits, input has 8$"),
    (Softmax(), tensor(SOFTMAX_MAX + 1), r"^Softmax takes at most 65536 elements, not 65537$"),
])
def test_refusals(layer, x, message):
    with pytest.raises(ValueError, match=message):
        run(layer, x)


@pytest.mark.parametrize(("layer", "x", "message"), [
    (Sigmoid(), X.data, r"^Input must be a Tensor, not ndarray$"),
    (Sigmoid(0), X, r"^rounding must be a RoundMode, not int$"),
    (Tanh(None), X, r"^rounding must be a RoundMode, not NoneType$"),
    (Softmax("up"), X, r"^rounding must be a RoundMode, not str$"),
    (Rectify(1), X, r"^relu must be a Relu, not int$"),
    (replace(LEAKY, slope=1), X, r"^slope must be a Tensor, not int$"),
    (replace(LEAKY, documented=1), X, r"^documented must be a bool, not int$"),
    (replace(LEAKY, rounding=1), X, r"^rounding must be a RoundMode, not int$"),
])
def test_type_refusals(layer, x, message):
    with pytest.raises(TypeError, match=message):
        run(layer, x)
