# SPDX-License-Identifier: Apache-2.0
"""Pools of TensorFlow Lite against plain loops over Python ints."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.naive.tflm import away, clamped, limits, wrapped
from tests.support.seed import SEED, examples, random_of
from xymac.golden import run
from xymac.golden.tflm import Activation, AveragePool2d, MaxPool2d, Padding, Quantisation, Tensor

FUSED = [Activation.NONE, Activation.RELU, Activation.RELU_N1_TO_1, Activation.RELU6]


def naive_window(layer, x, place):
    """Elements of the window of one output."""
    n, row, col, channel = place
    starts = []
    for axis, index in enumerate((row, col)):
        size, span, step = x.shape[1 + axis], layer.kernel[axis], layer.stride[axis]
        total = (size + step - 1) // step * step - step + span - size
        before = max(total, 0) // 2 if layer.padding is Padding.SAME else 0
        starts.append(index * step - before)
    return [int(x.data[n, down, right, channel])
            for down in range(starts[0], starts[0] + layer.kernel[0])
            for right in range(starts[1], starts[1] + layer.kernel[1])
            if 0 <= down < x.shape[1] and 0 <= right < x.shape[2]]


def naive_output(layer, x, window):
    value = (max(window) if isinstance(layer, MaxPool2d)
             else away(Fraction(wrapped(sum(window)), len(window))))
    return clamped(value, *limits(layer.activation, layer.out, x.bits))


@st.composite
def calls(draw, kind):
    """A legal pool of ``kind`` and its input."""
    bits    = draw(st.sampled_from([8, 16]))
    top     = 2 ** (bits - 1) - 1
    rng     = random_of(draw(st.integers(0, 2 ** 32 - 1)))
    kernel  = draw(st.tuples(*[st.integers(1, 4)] * 2))
    padding = draw(st.sampled_from(Padding))
    shape   = (draw(st.integers(1, 2)),
               *(draw(st.integers(1 if padding is Padding.SAME else size, 7)) for size in kernel),
               draw(st.integers(1, 3)))
    zero    = draw(st.sampled_from([-top - 1, 0, 3, top]))
    scale   = float(np.float32(2 ** rng.uniform(-8, 3)))
    data    = (rng.choice([-top - 1, top], shape) if draw(st.integers(0, 3)) == 0
               else rng.integers(-top - 1, top, shape, endpoint=True))
    out     = Quantisation((scale,), (zero,))
    return (kind(kernel, out, draw(st.tuples(*[st.integers(1, 3)] * 2)), padding,
                 draw(st.sampled_from(FUSED))), Tensor(data.astype(f"int{bits}"), out))


@pytest.mark.parametrize("kind", [AveragePool2d, MaxPool2d])
def test_pools_match_loops(kind):
    @settings(derandomize=SEED.is_default, deadline=None, max_examples=examples(80))
    @given(calls(kind))
    def check(call):
        layer, x = call

        result = run(layer, x)

        windows = [naive_window(layer, x, place)
                   for place in np.ndindex(*layer.output_shape(x.shape))]
        assert result.output.data.reshape(-1).tolist() == [
            naive_output(layer, x, window) for window in windows]
        assert result.output.data.dtype == x.data.dtype
        assert result.output.quantisation == layer.out
        assert not result.overflow
        assert layer.work(x.shape) == sum(map(len, windows))

    check()


ONE = Quantisation((1.0,), (7,))


@pytest.mark.parametrize(("values", "expected"), [
    ([1, 2], 2), ([-1, -2], -2), ([0, -1], -1), ([1, 0, 0], 0), ([127, 127, 127], 127)])
def test_halves_of_means_go_away_from_zero_whatever_the_zero_point(values, expected):
    x = Tensor(np.array(values, np.int8).reshape(1, 1, -1, 1), ONE)

    assert run(AveragePool2d((1, len(values)), ONE), x).output.data.item() == expected


def test_sums_of_means_wrap():
    x = Tensor(np.full((1, 257, 257, 1), 32767, np.int16), ONE)

    result = run(AveragePool2d((257, 257), ONE), x)

    assert result.overflow
    assert result.output.data.item() == away(Fraction(wrapped(257 * 257 * 32767), 257 * 257))
