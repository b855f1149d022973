# SPDX-License-Identifier: Apache-2.0
"""XS3 kernels against plain loops over Python ints."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.calls.xs3 import (
    KINDS,
    SETTINGS,
    TOP,
    assert_equal,
    assert_same_shape,
    make_bso,
    make_int8,
    seeds,
    windows,
)
from tests.support.naive import xs3 as naive
from tests.support.seed import random_of
from xymac.golden import run, xs3
from xymac.golden.parameters.xs3 import mean_factor
from xymac.golden.xs3 import Integers


@SETTINGS
@given(seeds(), st.integers(1, 100), st.integers(1, 40), st.sampled_from([8, 16]))
def test_fully_connected_matches_loops(seed, inputs, outputs, bits):
    rng, kind, loud, options = seed
    x, weights = make_int8(rng, inputs, loud), make_int8(rng, (outputs, inputs), loud)
    bso   = make_bso(rng, outputs, kind, options["final_shift"])
    layer = xs3.FullyConnected(Integers(weights), Integers(bso), bits, **options)

    assert_equal(run(layer, Integers(x)),
                 naive.fully_connected(x, weights, bso, bits=bits, **options),
                 np.int8 if bits == 8 else np.int16)
    assert_same_shape(layer, Integers(x))


@SETTINGS
@given(seeds(), st.integers(1, 4), st.integers(1, 16), st.sampled_from([8, 16]))
def test_fc_deepin_matches_loops(seed, groups, outputs, bits):
    rng, kind, loud, _ = seed
    x, weights = make_int8(rng, 32 * groups, loud), make_int8(rng, (outputs, 32 * groups), loud)
    bias   = rng.integers(-TOP - 1, TOP + 1, outputs)
    shifts = np.array([*rng.integers(0, 32, outputs), *[0xFFFF] * (16 - outputs)], np.uint16)
    if kind != "random":
        bias = np.full(outputs, TOP if kind == "high" else -TOP - 1)
        shifts[:outputs] = rng.integers(15, 17)
    scales = rng.integers(-1 << 15, 1 << 15, 16).astype(np.int16)
    layer  = xs3.FcDeepin(*map(Integers, (weights, bias.astype(np.int32), shifts, scales)), bits)

    assert_equal(run(layer, Integers(x)), naive.fc_deepin(x, weights, bias, shifts, scales, bits),
                 np.int8 if bits == 8 else np.int16)
    assert_same_shape(layer, Integers(x))


@SETTINGS
@given(seeds(), st.integers(1, 20), st.integers(1, 9), st.integers(1, 3), st.integers(1, 3))
def test_conv2d_1x1_matches_loops(seed, inputs, outputs, rows, cols):
    rng, kind, loud, options = seed
    x = make_int8(rng, (rows, cols, 4 * inputs), loud)
    weights = make_int8(rng, (4 * outputs, 4 * inputs), loud)
    bso   = make_bso(rng, 4 * outputs, kind, options["final_shift"])
    layer = xs3.Conv2d1x1(Integers(weights), Integers(bso), **options)

    assert_equal(run(layer, Integers(x)), naive.conv2d_1x1(x, weights, bso, **options))
    assert_same_shape(layer, Integers(x))


@pytest.mark.parametrize(("kind", "loops", "channels"), [
    (xs3.Conv2dDeep, naive.conv2d_deep, [4, 28, 32, 36, 68]),
    (xs3.Conv2dShallowin, naive.conv2d_shallowin, [4, 8, 16, 32]),
    (xs3.Conv2dDepthwise, naive.conv2d_depthwise, range(4, 41, 4))])
@SETTINGS
@given(st.data(), seeds())
def test_conv2d_with_windows_matches_loops(kind, loops, channels, data, seed):
    rng, output, loud, options = seed
    inputs  = outputs = data.draw(st.sampled_from(channels))
    kernel, sizes = (data.draw(st.tuples(*[st.integers(1, most)] * 2)) for most in (3, 4))
    if kind is xs3.Conv2dShallowin:
        kernel = kernel[0], 32 // inputs
    shape, columns = (*kernel, inputs), {}
    if kind is not xs3.Conv2dDepthwise:
        outputs = 4 * data.draw(st.integers(1, 5))
        shape   = outputs, *shape
    window = windows(data.draw, kernel, sizes)
    x, weights = make_int8(rng, (*sizes, inputs), loud), make_int8(rng, shape, loud)
    if kind is xs3.Conv2dShallowin:
        columns["columns"] = data.draw(st.integers(1, kernel[1]))
        weights[:, :, columns["columns"]:] = 0
    bso   = make_bso(rng, outputs, output, options["final_shift"])
    zero  = data.draw(st.sampled_from([-128, -1, 0, 127]))
    layer = kind(Integers(weights), Integers(bso), window, zero, **options, **columns)

    assert_equal(run(layer, Integers(x)), loops(x, weights, bso, window, zero, **options))
    assert_same_shape(layer, Integers(x))


@SETTINGS
@given(st.data(), seeds(), st.integers(1, 9))
def test_pooling_matches_loops(data, seed, channels):
    rng, _, loud, options = seed
    kernel = data.draw(st.tuples(*[st.integers(1, 5)] * 2))
    sizes  = tuple(size + data.draw(st.integers(0, 4)) for size in kernel)
    window = windows(data.draw, kernel, sizes, inside=True)
    x      = make_int8(rng, (*sizes, 4 * channels), loud)
    largest, average = xs3.MaxPool2d(kernel, window), xs3.AvgPool2d(kernel, window, options["low"])

    assert_equal(run(largest, Integers(x)), naive.pool(x, kernel, window, max))
    assert_equal(run(average, Integers(x)), naive.pool(
        x, kernel, window, lambda values: naive.mean(values, options["low"])))
    assert_same_shape(average, Integers(x))


@SETTINGS
@given(st.data(), seeds(), st.sampled_from(KINDS))
def test_global_mean_matches_loops(data, seed, kind):
    rng, _, loud, options = seed
    x = make_int8(rng, (data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6)),
                        4 * data.draw(st.integers(1, 9))), loud)
    bias  = {"random": int(rng.integers(-1 << 20, 1 << 20)), "high": TOP, "low": -TOP - 1}[kind]
    layer = xs3.AvgPool2dGlobal(bias, data.draw(st.integers(-128, 127)),
                               data.draw(st.integers(0, 31)), options["low"])

    assert_equal(run(layer, Integers(x)),
                 naive.global_mean(x, layer.bias, layer.scale, layer.shift, layer.low))
    assert_same_shape(layer, Integers(x))


@SETTINGS
@given(st.data(), seeds(), st.integers(1, 40))
def test_add_elementwise_matches_loops(data, seed, count):
    rng, kind, loud, options = seed
    a, b   = make_int8(rng, count, loud), make_int8(rng, count, loud)
    bias   = {"random": int(rng.integers(-TOP - 1, TOP + 1)), "high": TOP, "low": -TOP - 1}[kind]
    shifts = data.draw(st.tuples(*[st.integers(-31, 31)] * 2))
    scales = tuple(rng.integers(-1 << 15, 1 << 15, 2).tolist())
    layer  = xs3.AddElementwise(shifts, scales, bias, data.draw(st.integers(1, 31)), options["low"])

    assert_equal(run(layer, Integers(a), Integers(b)), naive.add_elementwise(
        a, b, shifts, scales, bias, layer.shift, layer.low))
    assert_same_shape(layer, Integers(a), Integers(b))


@SETTINGS
@given(st.data(), seeds(), st.integers(1, 40))
def test_mul_elementwise_matches_loops(data, seed, count):
    rng, _, loud, _ = seed
    a, b  = make_int8(rng, count, loud), make_int8(rng, count, loud)
    scale, bias = rng.integers(-1 << 15, 1 << 15, 2).tolist()
    layer = xs3.MulElementwise(tuple(rng.integers(-128, 128, 2).tolist()), scale, bias,
                               data.draw(st.integers(-31, 31)))

    assert_equal(run(layer, Integers(a), Integers(b)), naive.mul_elementwise(
        a, b, layer.zeros, scale, bias, layer.shift))
    assert_same_shape(layer, Integers(a), Integers(b))


@SETTINGS
@given(st.data(), seeds(), st.integers(1, 50), st.booleans(), st.booleans())
def test_output_transform_matches_loops(data, seed, channels, channelwise, padded):
    rng, _, _, options = seed
    kinds  = 3 if channelwise else 2
    acc    = rng.integers(-TOP - 1, TOP + 1, (2, -(-channels // 16) * 16 if padded else channels))
    acc    = (acc >> rng.integers(0, 32, acc.shape)).astype(np.int32)
    params = rng.integers(-1 << 15, 1 << 15, channels * kinds).astype(np.int16)
    if channelwise:
        for start in range(0, channels, 16):
            held = min(16, channels - start)
            params[start * kinds:][:held] = rng.integers(0, 32, held)
    first = None if channelwise else data.draw(st.integers(-31, 31))
    layer = xs3.OutputTransform(Integers(params), channels, data.draw(st.integers(-31, 31)), first,
                               options["low"])

    assert_equal(run(layer, Integers(acc)), [naive.output_transform(
        row, params, channels, layer.final_shr, first, layer.low) for row in acc])
    assert_same_shape(layer, Integers(acc))


@pytest.mark.parametrize("low", [-128, -127])
def test_requantize_of_every_value(low):
    x = np.arange(-1 << 15, 1 << 15, dtype=np.int16)

    expected = [max(low, min(naive.rsh(value, 8), 127)) for value in x.tolist()]
    assert_equal(run(xs3.Requantize16To8(low), Integers(x)), expected)


def test_lookup_takes_bytes_without_a_sign():
    table = random_of(3).permutation(256).astype(np.uint8)
    x     = np.arange(256, dtype=np.uint8)

    for dtype in (np.uint8, np.int8):
        for held in (np.uint8, np.int8):
            assert_equal(run(xs3.Lookup8(Integers(table.view(held))), Integers(x.view(dtype))),
                         table.view(held), held)


def test_argmax_takes_the_first():
    x = np.array([-32768, 5, 7, 7, -1], np.int16)
    assert_equal(run(xs3.Argmax16(), Integers(x)), [2], np.int32)


def test_a_final_shift_rounds_twice():
    """1020 / 2048 is 0.498 and becomes 0; 1020 / 8 becomes 128, and that / 256 is a half."""
    columns = np.array([0, 1020, 0, 1, 0, 0, 0])
    for final_shift, shift2, expected in ((False, 11, 0), (True, 3, 1)):
        columns[6] = shift2
        bso   = Integers(np.tile(columns[:, np.newaxis], (1, 1, 16)).astype(np.uint16))
        layer = xs3.FullyConnected(Integers(np.zeros((1, 4), np.int8)), bso,
                                  final_shift=final_shift)
        assert_equal(run(layer, Integers(np.zeros(4, np.int8))), [expected])


@pytest.mark.parametrize(("count", "expected"), [
    (1, (1, 0)), (2, (1, 1)), (3, (85, 8)), (9, (114, 10)), (16, (1, 4)), (25, (82, 11)),
    ((1 << 25) - 1, (64, 31)), (1 << 31, (1, 31))])
def test_mean_factor(count, expected):
    assert mean_factor(count) == expected


def test_bso_may_be_signed():
    rng = random_of(4)
    weights, bso = make_int8(rng, (20, 8), loud=False), make_bso(rng, 20)
    layers = [xs3.FullyConnected(Integers(weights), Integers(bso.view(dtype)))
              for dtype in (np.uint16, np.int16)]
    x = Integers(make_int8(rng, 8, loud=False))
    assert run(layers[0], x) == run(layers[1], x)
