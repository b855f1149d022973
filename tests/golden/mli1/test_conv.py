# SPDX-License-Identifier: Apache-2.0
"""Convolution kernels against plain loops over Python ints."""

from dataclasses import replace
from fractions import Fraction
from math import floor
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from tests.support.seed import SEED, examples, random_of
from xymac.golden import run
from xymac.golden.mli1 import (
    Conv2d,
    DepthwiseConv2d,
    Layout,
    Relu,
    Tensor,
    conv2d,
    depthwise_conv2d,
)
from xymac.hdl.isa import ROUNDINGS, RoundMode

TYPES = {"fx8": (np.int8, np.int8, np.int8), "fx16": (np.int16, np.int16, np.int16),
         "fx8w16d": (np.int16, np.int8, np.int8)}


def naive_output(acc, layer, x):
    """One result from its exact sum: the value, and whether the sum overflowed."""
    shift    = x.frac_bits + layer.weights.frac_bits - layer.out_frac_bits
    acc_bits = 40 if layer.weights.data.dtype == np.int16 else 32
    overflow = not -2 ** (acc_bits - 1) <= acc < 2 ** (acc_bits - 1)
    wrapped  = (acc + 2 ** 39) % 2 ** 40 - 2 ** 39
    value    = Fraction(wrapped) / Fraction(2) ** shift
    rounded  = {RoundMode.CONVERGENT: round(value), RoundMode.UP: floor(value + Fraction(1, 2)),
                RoundMode.FLOOR: floor(value)}[layer.rounding]
    info, one = np.iinfo(x.data.dtype), 2 ** layer.out_frac_bits
    low  = {Relu.NONE: info.min, Relu.RELU1: max(-one, info.min)}.get(layer.relu, 0)
    high = {Relu.RELU1: one, Relu.RELU6: 6 * one}.get(layer.relu, info.max)
    return max(low, min(rounded, high, info.max)), overflow


def naive_bias(layer, x, n):
    bias = int(layer.bias.data[n]) * 2 ** (
        x.frac_bits + layer.weights.frac_bits - layer.bias.frac_bits)
    return max(-2 ** 31, min(bias, 2 ** 31 - 1)) if layer.bias.data.dtype == np.int8 else bias


def naive_sum(image, weights, first, channels):
    """Sum of the products of one output over the taps that lie inside ``image``."""
    rows, cols = len(image[0]), len(image[0][0])
    acc = 0
    for k, channel in enumerate(channels):
        for i, line in enumerate(weights[k]):
            if not 0 <= first[0] + i < rows:
                continue
            for j, weight in enumerate(line):
                if 0 <= first[1] + j < cols:
                    acc += image[channel][first[0] + i][first[1] + j] * weight
    return acc


def naive_conv(layer, x):
    """Seven plain loops; returns outputs (N, rows, columns), or in HWC, and the overflow flag."""
    image, weights, depthwise = x.data, layer.weights.data, isinstance(layer, DepthwiseConv2d)
    if layer.layout is Layout.HWC:
        image, weights = np.moveaxis(image, 2, 0), np.moveaxis(weights, 3, 1)
    (channels, height, width), (count, _, kh, kw) = image.shape, weights.shape
    top, bottom, left, right = layer.pad
    rows = -(-(height + top + bottom - kh + 1) // layer.stride[0])
    cols = -(-(width + left + right - kw + 1) // layer.stride[1])
    out, overflow = np.zeros((count, rows, cols), x.data.dtype), False
    image, weights = image.tolist(), weights.tolist()
    for n, row, col in np.ndindex(out.shape):
        first = (row * layer.stride[0] - top, col * layer.stride[1] - left)
        acc   = naive_sum(image, weights[n], first, [n] if depthwise else range(channels))
        out[n, row, col], left_range = naive_output(acc + naive_bias(layer, x, n), layer, x)
        overflow |= left_range
    return (np.moveaxis(out, 0, 2) if layer.layout is Layout.HWC else out), overflow


def assert_matches_loops(layer, x):
    result = run(layer, x)

    expected, overflow = naive_conv(layer, x)
    np.testing.assert_array_equal(result.output.data, expected)
    assert result.output.data.dtype == x.data.dtype
    assert result.output.frac_bits == layer.out_frac_bits
    assert result.output.shape == layer.output_shape(x.shape)
    assert result.overflow is overflow


@st.composite
def calls(draw, kind):
    """A legal layer of ``kind`` and its input: any shape, stride, padding, type, fraction bits."""
    types  = TYPES[draw(st.sampled_from(sorted(TYPES)))]
    layout = draw(st.sampled_from(Layout)) if kind is Conv2d else Layout.CHW
    kernel = draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    pad    = tuple(draw(st.integers(0, size - 1)) for size in kernel for _ in range(2))
    image  = [draw(st.integers(max(1, size - sum(pad[2 * axis:2 * axis + 2])), 6))
              for axis, size in enumerate(kernel)]
    channels, outputs = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    if kind is DepthwiseConv2d:
        outputs, inputs = channels, 1
    else:
        inputs = channels
    shapes = [(channels, *image), (outputs, inputs, *kernel), (outputs,)]
    if layout is Layout.HWC:
        shapes[:2] = [(*image, channels), (outputs, *kernel, inputs)]
    x_frac, w_frac = draw(st.integers(0, 40)), draw(st.integers(0, 40))
    bias_shift = draw(st.integers(0, min(31, x_frac + w_frac)))
    out_frac   = max(0, x_frac + w_frac - draw(st.integers(-20, 45)))
    rng  = random_of(draw(st.integers(0, 2 ** 32 - 1)))
    top  = draw(st.sampled_from([2, 20, 1 << 15]))
    data = [rng.integers(max(-top, info.min), min(top, info.max + 1), shape, dtype=info.dtype)
            for info, shape in zip(map(np.iinfo, types), shapes, strict=True)]
    x, weights, bias = map(Tensor, data, (x_frac, w_frac, x_frac + w_frac - bias_shift))
    layer = kind(weights, bias, out_frac, stride=draw(st.tuples(*[st.integers(1, 3)] * 2)),
                 pad=pad, relu=draw(st.sampled_from(Relu)), layout=layout,
                 rounding=draw(st.sampled_from(ROUNDINGS)))
    return layer, x


@settings(derandomize=SEED.is_default, deadline=None, max_examples=examples(300))
@given(calls(Conv2d))
def test_conv2d_matches_loops(call):
    assert_matches_loops(*call)


@settings(derandomize=SEED.is_default, deadline=None, max_examples=examples(200))
@given(calls(DepthwiseConv2d))
def test_depthwise_conv2d_matches_loops(call):
    assert_matches_loops(*call)


def layer_of(kind, dtype, x_values, w_values, bias, bias_shift):
    """1x1 kernel whose one sum is the dot product of the values plus ``bias << bias_shift``."""
    x       = Tensor(np.array(x_values, dtype).reshape(-1, 1, 1), 40)
    weights = np.array(w_values, TYPES[kind][1]).reshape(1, -1, 1, 1)
    bias    = np.array([bias], TYPES[kind][2])
    return Conv2d(Tensor(weights, 0), Tensor(bias, 40 - bias_shift), 16), x


@pytest.mark.parametrize(("kind", "x", "w", "bias", "shift", "overflow"), [
    ("fx8",     [0, 0],  [1, 1],  127,    25, False),  # saturated to 2**31 - 1
    ("fx8",     [1, 0],  [1, 1],  127,    25, True),
    ("fx8",     [1, -1], [1, 1],  127,    25, False),  # only the finished sum counts
    ("fx8",     [0, 0],  [1, 1],  -128,   24, False),
    ("fx8",     [-1, 0], [1, 1],  -128,   24, True),
    ("fx8",     [-1, 1], [1, 1],  -128,   30, False),
    ("fx8w16d", [0, 0],  [1, 1],  127,    25, False),
    ("fx8w16d", [0, 1],  [1, 1],  127,    25, True),
    ("fx8w16d", [0, -1], [1, 1],  -128,   24, True),
    ("fx16",    [4096, -1], [4096, 1], 32767,  24, False),  # 2**39 - 1
    ("fx16",    [4096, 0],  [4096, 1], 32767,  24, True),
    ("fx16",    [0, 0],     [1, 1],    -32768, 24, False),
    ("fx16",    [-1, 0],    [1, 1],    -32768, 24, True),
    ("fx16",    [0, 0],     [1, 1],    16384,  31, True),   # 2**45 wraps to 0
])
def test_overflow_flag_at_the_edges(kind, x, w, bias, shift, overflow):
    layer, x = layer_of(kind, TYPES[kind][0], x, w, bias, shift)

    assert run(layer, x).overflow is overflow
    assert_matches_loops(layer, x)


@pytest.mark.parametrize("one_too_many", [False, True])
def test_sum_beyond_40_bits_wraps(one_too_many):
    layer, x = layer_of("fx16", np.int16, [4096, one_too_many - 1], [4096, 1], 32767, 24)
    assert run(layer, x).output.data.item() == (-32768 if one_too_many else 32767)


def test_sum_between_32_and_40_bits_is_not_wrapped():
    layer, x = layer_of("fx8", np.int8, [127], [127], 127, 25)
    result   = run(layer, x)
    assert (result.output.data.item(), result.overflow) == (127, True)


def test_fraction_bits_of_the_whole_range():
    x     = Tensor(np.full((1, 2, 2), 100, np.int8), 255)
    layer = Conv2d(Tensor(np.full((1, 1, 2, 2), 100, np.int8), 255),
                   Tensor(np.ones(1, np.int8), 0), 0)

    assert run(layer, x).output.data.item() == 0
    layer = replace(layer, weights=Tensor(layer.weights.data, 0), out_frac_bits=255)
    assert run(layer, x).output.data.item() == 127
    layer = replace(layer, bias=Tensor(layer.bias.data, 255))
    assert run(layer, x).output.data.item() == 127


def test_functions_equal_layers():
    rng = random_of(1)
    x, weights, bias = (Tensor(rng.integers(-128, 128, shape, dtype=np.int8), 7)
                        for shape in [(3, 5, 5), (3, 3, 3, 3), 3])
    options = {"out_frac_bits": 5, "stride": (2, 1), "pad": (1, 0, 2, 1), "relu": Relu.GEN,
               "rounding": RoundMode.UP}

    assert conv2d(x, weights, bias, layout=Layout.CHW, **options) == run(
        Conv2d(weights, bias, **options), x)
    weights = Tensor(weights.data[:, :1], 7)
    assert depthwise_conv2d(x, weights, bias, **options) == run(
        DepthwiseConv2d(weights, bias, **options), x)


def processor_times(function, *args, repeats):
    """Result of a function, and the processor time of each call of it, seconds."""
    times = []
    for _ in range(repeats):
        start  = process_time()
        result = function(*args)
        times.append(process_time() - start)
    return result, times


def test_conv2d_speed():
    """At least a hundred times as fast as plain loops that run by turns with it.

    Best of several on one thread, in processor time: other programs do not count.
    """
    rng = random_of(2)
    x, weights, bias = (Tensor(rng.integers(-128, 128, shape, dtype=np.int8), 7)
                        for shape in [(16, 32, 32), (16, 16, 3, 3), 16])
    layer = Conv2d(weights, bias, 4, pad=(1, 1, 1, 1))
    golden, loops = [], []
    with threadpool_limits(1):
        for _ in range(2):
            result, times = processor_times(run, layer, x, repeats=7)
            golden += times
            (expected, _), times = processor_times(naive_conv, layer, x, repeats=1)
            loops += times

    np.testing.assert_array_equal(result.output.data, expected)
    assert min(loops) >= 100 * min(golden)
