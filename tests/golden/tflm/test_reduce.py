# SPDX-License-Identifier: Apache-2.0
"""Means along dimensions of TensorFlow Lite against plain Python ints."""

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.naive.tflm import clamped, multiplied, quantised, wrapped
from tests.support.seed import SEED, examples, random_of
from xymac.golden import run
from xymac.golden.tflm import Mean, Quantisation, Tensor


def naive_mean(layer, x, total, count):
    """One output of a sum of ``count`` elements, and whether the sum overflows."""
    multiplier, exponent = quantised(x.quantisation.scale / layer.out.scale)
    shift = 0
    while shift < 32 and 2 ** (shift + 1) <= count and exponent - shift > -31:
        shift += 1
    centred = wrapped(total - count * x.quantisation.zero_point)
    value   = multiplied(centred, multiplier * 2 ** shift // count, exponent - shift)
    top     = 2 ** (x.bits - 1) - 1
    return (clamped(wrapped(value + layer.out.zero_point), -top - 1, top), wrapped(total) != total)


def float32(value):
    return float(np.float32(value))


@st.composite
def calls(draw):
    """A legal mean and its input."""
    bits  = draw(st.sampled_from([8, 16]))
    top   = 2 ** (bits - 1) - 1
    rng   = random_of(draw(st.integers(0, 2 ** 32 - 1)))
    shape = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    axes  = draw(st.lists(st.integers(-len(shape), len(shape) - 1), max_size=4))
    zeros = st.sampled_from([-top - 1, 0, 3, top])
    scale = float32(2 ** rng.uniform(-8, 3))
    out   = draw(st.sampled_from([scale, float32(scale * 2.0 ** draw(st.sampled_from(
        [-29, -3, 4, 20, 29, 30, 31, 34]))), float32(2 ** rng.uniform(-8, 3))]))
    data  = (rng.choice([-top - 1, top], shape) if draw(st.integers(0, 3)) == 0
             else rng.integers(-top - 1, top, shape, endpoint=True))
    return (Mean(tuple(axes), Quantisation((out,), (draw(zeros),)), draw(st.booleans())),
            Tensor(data.astype(f"int{bits}"), Quantisation((scale,), (draw(zeros),))))


@settings(derandomize=SEED.is_default, deadline=None, max_examples=examples(150))
@given(calls())
def test_means_match_ints(call):
    layer, x = call

    result = run(layer, x)

    gone   = {axis % x.data.ndim for axis in layer.axes}
    totals = {}
    for place in np.ndindex(*x.shape):
        key = tuple(0 if axis in gone else index for axis, index in enumerate(place))
        totals[key] = totals.get(key, 0) + int(x.data[place])
    count = prod(size for axis, size in enumerate(x.shape) if axis in gone)
    assert result.output.data.reshape(-1).tolist() == [
        naive_mean(layer, x, total, count)[0] for total in totals.values()]
    assert result.output.shape == tuple(
        1 if axis in gone else size for axis, size in enumerate(x.shape)
        if layer.keep_dims or axis not in gone)
    assert result.output.quantisation == layer.out
    assert not result.overflow


@pytest.mark.parametrize(("value", "zero"), [(32767, 0), (-32768, 0), (32767, 32767), (5, -32768)])
def test_sums_wrap(value, zero):
    layer = Mean((0,), Quantisation((1.0,), (zero,)))
    x     = Tensor(np.full((70000,), value, np.int16), Quantisation((1.0,), (zero,)))

    result = run(layer, x)

    expected = naive_mean(layer, x, 70000 * value, 70000)
    assert (result.output.data.item(), result.overflow) == expected
    assert result.overflow is (value != 5)


@pytest.mark.parametrize(("values", "scale", "expected"), [
    # A half of a sum is rounded once, halves up; a quarter a second time, away from zero.
    ([1, 2], 1.0, 2), ([-1, -2], 1.0, -1), ([2, 4], 0.5, 2), ([-2, -4], 0.5, -2),
    ([1, 0, 0], 1.0, 0), ([1, 1, 0], 1.0, 1), ([127] * 7, 1.0, 127), ([-128] * 7, 1.0, -128)])
def test_means_by_hand(values, scale, expected):
    x = Tensor(np.array(values, np.int8), Quantisation((scale,), (0,)))

    assert run(Mean((0,), Quantisation((1.0,), (0,))), x).output.data.item() == expected
