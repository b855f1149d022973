# SPDX-License-Identifier: Apache-2.0
"""Layers of TensorFlow Lite that keep a state in RTL: call after call."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.sizes import between
from tests.support.tflite.kept import (
    assert_calls,
    input_of,
    random_lstm,
    random_svdf,
    reversed_input,
)
from xymac.golden.tflm.tensor import Quantisation
from xymac.hdl.config import SIZES

SIZE = pytest.mark.parametrize("size", ["base", between("small"), between("tiny")])


@SIZE
@pytest.mark.parametrize(("dtype", "peak"), [(np.int8, 127), (np.int16, 32767)])
def test_filters(size, dtype, peak, rtl):
    layer, x = random_svdf(1, 2, 9, 17, 3, dtype=dtype, peak=peak), input_of(1, 2, 9)
    assert_calls(SIZES[size], layer, x, reversed_input(x), device=rtl(size))


@SIZE
def test_a_state_that_wraps_when_its_zero_point_is_added(size, rtl):
    layer, x = random_svdf(2, units=9), input_of(2, 1, 5)
    state    = replace(layer.state, quantisation=Quantisation((2.0 ** -12,), (127,)))
    layer    = replace(layer, state=state)
    assert_calls(SIZES[size], layer, x, reversed_input(x), device=rtl(size))


@SIZE
@pytest.mark.parametrize("time_major", [False, True])
def test_sequences(size, time_major, rtl):
    layer = random_lstm(3, 2, 9, 21, time_major=time_major, cell_clip=3.0)
    x     = input_of(3, *((4, 2) if time_major else (2, 4)), 9)
    assert_calls(SIZES[size], layer, x, reversed_input(x), device=rtl(size))
