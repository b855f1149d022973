"""Operators of TensorFlow Lite three ways: golden, golden machine and RTL."""

import numpy as np
import pytest

from golden.tflm import Activation, AveragePool2d, MaxPool2d, Padding, Softmax
from tests.host.lower.pool.test_tflm import noise as image
from tests.host.lower.softmax.test_tflm import OUT
from tests.host.lower.softmax.test_tflm import noise as logits
from tests.rtl.test_lowered import assert_three_ways

BOTH = pytest.mark.parametrize("size", ["tiny", "base"])


@BOTH
@pytest.mark.parametrize("shape", [(1, 2), (1, 10), (3, 12), (1, 70), (19, 5)])
def test_softmax(rtl, size, shape):
    assert_three_ways(rtl(size), Softmax(OUT), logits(5, shape, 0.1))


@BOTH
@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_pools(rtl, size, dtype):
    x = image(1, (2, 5, 6, 5), dtype)
    for kind in (AveragePool2d, MaxPool2d):
        assert_three_ways(rtl(size), kind((3, 2), x.quantisation, (2, 1), Padding.SAME,
                                          Activation.RELU), x)
