# SPDX-License-Identifier: Apache-2.0
"""Convolutions and dense operators of TensorFlow Lite against plain loops over Python ints."""

from fractions import Fraction
from math import prod, trunc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.naive.tflm import output_of
from tests.support.seed import SEED, examples, random_of
from xymac.golden import run
from xymac.golden.kinds import WorkUnit
from xymac.golden.layer import unit_of
from xymac.golden.tflm import (
    Activation,
    Conv2d,
    DepthwiseConv2d,
    FullyConnected,
    Padding,
    Quantisation,
    Tensor,
    TransposeConv,
)

FUSED  = [Activation.NONE, Activation.RELU, Activation.RELU_N1_TO_1, Activation.RELU6]
#: Types of the bias by operator: of INT8, and of INT16.
BIASES = {Conv2d: (["int32"], ["int32", "int64"]), FullyConnected: (["int32"], ["int32", "int64"]),
          DepthwiseConv2d: (["int32"], ["int64"]), TransposeConv: (["int32"], ["int16", "int64"])}


def pads(layer, size, axis):
    """Padding before an axis of ``size``, with all windows of SAME in place."""
    span   = (layer.weights.shape[1 + axis] - 1) * layer.dilation[axis] + 1
    stride = layer.stride[axis]
    count  = (size + stride - 1) // stride
    if layer.padding is Padding.VALID:
        count = trunc(Fraction(size + stride - span, stride))
    return max((count - 1) * stride + span - size, 0) // 2 if count >= 0 else 0


def naive_taps(layer, x, place):
    """Pairs of element and weight that meet at one output, less the zero point."""
    n, row, col, channel = place
    kh, kw = layer.weights.shape[1:3]
    zero   = x.quantisation.zero_point
    before = [pads(layer, (layer.sizes if isinstance(layer, TransposeConv) else x.shape[1:3])[axis],
                   axis) for axis in (0, 1)]
    for i, j, c in np.ndindex(kh, kw, x.shape[3]):
        if isinstance(layer, TransposeConv):
            down, right = row + before[0] - i, col + before[1] - j
            if down % layer.stride[0] or right % layer.stride[1]:
                continue
            down, right = down // layer.stride[0], right // layer.stride[1]
        else:
            down  = row * layer.stride[0] - before[0] + i * layer.dilation[0]
            right = col * layer.stride[1] - before[1] + j * layer.dilation[1]
        weight = weight_of(layer, x, channel, i, j, c)
        if weight is not None and 0 <= down < x.shape[1] and 0 <= right < x.shape[2]:
            yield int(x.data[n, down, right, c]) - zero, weight


def weight_of(layer, x, channel, i, j, c):
    """The weight from channel ``c`` to an output, None if there is none."""
    data = layer.weights.data
    if isinstance(layer, DepthwiseConv2d):
        each = data.shape[3] // x.shape[3]
        return int(data[0, i, j, channel]) if channel // each == c else None
    group = channel // (data.shape[0] // (x.shape[3] // data.shape[3]))
    inner = c - group * data.shape[3]
    return int(data[channel, i, j, inner]) if 0 <= inner < data.shape[3] else None


def assert_outputs(result, expected, layer, x):
    values = [value for value, _ in expected]
    assert result.output.data.reshape(-1).tolist() == values
    assert result.output.data.dtype == x.data.dtype
    assert result.output.quantisation == layer.out
    assert result.overflow is any(overflow for _, overflow in expected)


def float32(value):
    return float(np.float32(value))


def elements(draw, rng, shape, dtype):
    """Random elements, those at the limits often."""
    limits = np.iinfo(dtype)
    if draw(st.integers(0, 3)) == 0:
        return rng.choice([limits.min, limits.max, 0], shape).astype(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def operands(draw, kind, x_shape, shape, axis):
    """Input, weights, bias and quantisation of the output, with factors of any size."""
    rng, bits = random_of(draw(st.integers(0, 2 ** 32 - 1))), draw(st.sampled_from([8, 16]))
    zeros     = st.sampled_from([-128, -1, 0, 5, 127]) if bits == 8 else st.just(0)
    outputs   = shape[axis]
    x_scale, out_scale = (float32(2 ** rng.uniform(-9, 3)) for _ in range(2))
    top       = prod(shape) / outputs * 2 ** (bits + 5)  # of many sums
    exponent  = draw(st.sampled_from([bits - np.log2(top), rng.uniform(-31, 3), 0, 3]))
    count     = outputs if draw(st.booleans()) else 1
    scales    = tuple(float32(2 ** (exponent + rng.uniform(-1, 1)) * out_scale / x_scale)
                      for _ in range(count))
    weights   = Tensor(elements(draw, rng, shape, np.int8),
                       Quantisation(scales, (0,) * count, axis if count == outputs else -1))
    bias      = None
    if draw(st.integers(0, 4)):
        dtype = np.dtype(draw(st.sampled_from(BIASES[kind][bits == 16])))
        width = draw(st.sampled_from([8, 20, 31, 47]))
        high  = min(2 ** width, np.iinfo(dtype).max)
        bias  = Tensor(rng.choice([-high, high, 1, *rng.integers(-high, high, 3).tolist()],
                                  outputs).astype(dtype),
                       Quantisation((float32(x_scale * scales[0]),), (0,)))
    x = Tensor(elements(draw, rng, x_shape, f"int{bits}"),
               Quantisation((x_scale,), (draw(zeros),)))
    return x, weights, bias, Quantisation((out_scale,), (draw(zeros),))


def short_sums(draw, kind):
    """Options of sums without a bias."""
    return {"short_sums": draw(st.booleans())} if kind in (Conv2d, FullyConnected) else {}


@st.composite
def conv_calls(draw, kind):
    """A legal convolution of ``kind`` and its input."""
    taps     = draw(st.tuples(*[st.integers(1, 6 if kind is TransposeConv else 3)] * 2))
    dilation = (1, 1) if kind is TransposeConv else draw(st.tuples(*[st.integers(1, 3)] * 2))
    stride   = draw(st.tuples(*[st.integers(1, 3)] * 2))
    padding  = draw(st.sampled_from(Padding))
    least    = [1 if padding is Padding.SAME or kind is TransposeConv else (size - 1) * step + 1
                for size, step in zip(taps, dilation, strict=True)]
    image    = [draw(st.integers(size, max(size, 5))) for size in least]
    groups, taken, each = (draw(st.integers(1, 3)) for _ in range(3))
    groups   = 1 if kind is TransposeConv else groups
    shape    = ((1, *taps, groups * taken * each) if kind is DepthwiseConv2d
                else (groups * each, *taps, taken))
    x_shape  = (draw(st.integers(1, 2)), *image, groups * taken)
    x, weights, bias, out = operands(draw, kind, x_shape, shape, 3 * (kind is DepthwiseConv2d))
    options  = {"sizes": draw(st.tuples(*[st.integers(1, 7)] * 2))} if kind is TransposeConv else {}
    return kind(weights, bias, out, stride, padding, dilation, draw(st.sampled_from(FUSED)),
                **options, **short_sums(draw, kind)), x


@pytest.mark.parametrize("kind", [Conv2d, DepthwiseConv2d, TransposeConv])
def test_convolutions_match_loops(kind):
    @settings(derandomize=SEED.is_default, deadline=None, max_examples=examples(60))
    @given(conv_calls(kind))
    def check(call):
        layer, x = call

        result = run(layer, x)

        places   = list(np.ndindex(*layer.output_shape(x.shape)))
        expected = [output_of(layer, x, sum(a * b for a, b in naive_taps(layer, x, place)),
                              place[3]) for place in places]
        assert_outputs(result, expected, layer, x)
        products = sum(len(list(naive_taps(layer, x, place))) for place in places)
        assert layer.work(x.shape) == products

    check()


@st.composite
def dense_calls(draw):
    """A legal fully connected layer and its input."""
    inputs, outputs = draw(st.integers(1, 30)), draw(st.integers(1, 5))
    keep   = draw(st.booleans())
    leads  = draw(st.sampled_from([(), (1,), (3,), (2, 2), (1, 2, 1), (2, 1, 1, 2)]))
    shape  = (*leads, inputs) if keep else (*leads[:-1], prod(leads[-1:]) * inputs)
    x, weights, bias, out = operands(draw, FullyConnected, shape, (outputs, inputs), 0)
    return FullyConnected(weights, bias, out, draw(st.sampled_from(FUSED)), keep,
                          **short_sums(draw, FullyConnected)), x


@settings(derandomize=SEED.is_default, deadline=None, max_examples=examples(100))
@given(dense_calls())
def test_fully_connected_matches_loops(call):
    layer, x = call

    result = run(layer, x)

    outputs, inputs = layer.weights.shape
    values   = [value - x.quantisation.zero_point for value in x.data.reshape(-1).tolist()]
    expected = [output_of(layer, x, sum(value * weight for value, weight in zip(
        values[first:first + inputs], row, strict=True)), channel)
        for first in range(0, len(values), inputs)
        for channel, row in enumerate(layer.weights.data.tolist())]
    assert_outputs(result, expected, layer, x)
    assert result.output.shape == ((*x.shape[:-1], outputs) if layer.keep_num_dims
                                   else (x.data.size // inputs, outputs))
    assert layer.work(x.shape) == x.data.size * outputs


ONE = Quantisation((1.0,), (0,))


@pytest.mark.parametrize(("bias", "factor", "zero", "expected", "overflow"), [
    # A dead channel with a bias of 2**30: a half, and what the first rounding makes one.
    (2 ** 30, 2.0 ** -31, 0, 1, False), (2 ** 30 - 1, 2.0 ** -31, 0, 1, False),
    (2 ** 30 - 2, 2.0 ** -31, 0, 0, False),
    # The sum wraps, and so does what is shifted left.
    (2 ** 31 - 1, 2.0 ** -24, 5, -123, True), (2 ** 29, 4.0, 5, 5, False),
    # A factor below 2**-32 is none.
    (-2 ** 31, 2.0 ** -33, 7, 7, False)])
def test_sums_of_32_bits_by_hand(bias, factor, zero, expected, overflow):
    weights = Tensor(np.array([[1]], np.int8), Quantisation((factor,), (0,)))
    layer   = FullyConnected(weights, Tensor(np.array([bias], np.int32),
                                             Quantisation((factor,), (0,))),
                             Quantisation((1.0,), (zero,)))

    result = run(layer, Tensor(np.array([[1 if overflow else 0]], np.int8), ONE))

    assert (result.output.data.item(), result.overflow) == (expected, overflow)


@pytest.mark.parametrize(("zero", "expected"), [(0, 127), (2, 127), (3, -128), (127, -128)])
def test_the_sum_with_the_zero_point_wraps(zero, expected):
    # A factor of 1 - 2**-30 makes 2**31 - 3 of the largest sum.
    layer = FullyConnected(
        Tensor(np.zeros((1, 1), np.int8), Quantisation((1 - 2.0 ** -15,), (0,))),
        Tensor(np.array([2 ** 31 - 1], np.int32), ONE), Quantisation((1.0,), (zero,)))
    x = Tensor(np.zeros((1, 1), np.int8), Quantisation((1 + 2.0 ** -15,), (0,)))

    assert run(layer, x).output.data.item() == expected


@pytest.mark.parametrize(("bias", "expected", "overflow"), [
    (2 ** 46, 2 ** 14, False), (2 ** 46 - 2 ** 31, 2 ** 14, False),
    (2 ** 46 - 2 ** 31 - 1, 2 ** 14 - 1, False), (2 ** 47, 2 ** 15 - 1, True)])
def test_sums_of_64_bits_by_hand(bias, expected, overflow):
    weights = Tensor(np.array([[1]], np.int8), Quantisation((2.0 ** -32,), (0,)))
    layer   = FullyConnected(weights, Tensor(np.array([bias], np.int64),
                                             Quantisation((2.0 ** -32,), (0,))), ONE)

    result = run(layer, Tensor(np.zeros((1, 1), np.int16), ONE))

    assert (result.output.data.item(), result.overflow) == (expected, overflow)


@pytest.mark.parametrize(("times", "unit"), [(1, WorkUnit.LANES), (3, WorkUnit.PRODUCTS)])
def test_several_outputs_of_a_channel_share_its_elements(times, unit):
    kind  = Quantisation((0.5,), (0,))
    layer = DepthwiseConv2d(Tensor(np.ones((1, 2, 2, 4 * times), np.int8), kind), None, kind)

    assert unit_of(layer, (1, 5, 5, 4)) is unit
