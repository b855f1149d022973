# SPDX-License-Identifier: Apache-2.0
"""Operators of TensorFlow Lite three ways: golden, golden machine and RTL."""

import numpy as np
import pytest

from tests.host.lower.linear.test_side import DIALECTS, layer_of
from tests.host.lower.linear.test_tflm import bias_of, matrix, tensor
from tests.host.lower.pool.test_tflm import noise as image
from tests.host.lower.softmax.test_tflm import OUT
from tests.host.lower.softmax.test_tflm import noise as logits
from tests.rtl.test_lowered import assert_three_ways
from tests.support.seed import random_of
from xymac.golden.tflm import (
    Activation,
    ArgMax,
    AveragePool2d,
    LogSoftmax,
    MaxPool2d,
    Padding,
    Quantisation,
    Softmax,
)

BOTH = pytest.mark.parametrize("size", ["tiny", "base"])


@BOTH
@pytest.mark.parametrize("shape", [(1, 2), (1, 10), (3, 12), (1, 70), (19, 5)])
def test_softmax(rtl, size, shape):
    assert_three_ways(rtl(size), Softmax(OUT), logits(5, shape, 0.1))


@pytest.mark.parametrize("shape", [(3, 10), (2, 35), (1, 70)])
def test_logarithms_of_shares(rtl, shape):
    """Rows of one block of lanes and of several, in a loop."""
    out = Quantisation((2.0 ** -4,), (127,))
    assert_three_ways(rtl("base"), LogSoftmax(out), logits(5, shape, 0.1))


@BOTH
@pytest.mark.parametrize(("shape", "axis"), [((300, 5), 0), ((3, 40), 1)])
def test_indices_of_largest_elements(rtl, size, shape, axis):
    assert_three_ways(rtl(size), ArgMax(axis), logits(5, shape, 0.1))


@BOTH
@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_pools(rtl, size, dtype):
    x = image(1, (2, 5, 6, 5), dtype)
    for kind in (AveragePool2d, MaxPool2d):
        assert_three_ways(rtl(size), kind((3, 2), x.quantisation, (2, 1), Padding.SAME,
                                          Activation.RELU), x)


@BOTH
@pytest.mark.parametrize("dialect", DIALECTS)
def test_pixels_side_by_side(rtl, size, dialect):
    """Of inputs that lie as windows, too; of TensorFlow Lite two images one after the other."""
    for channels, options in ((1, {"stride": (2, 2)}), (4, {}), (8, {"kernel": (2, 3)})):
        layer, x = layer_of(dialect, random_of(channels), (7, 9), channels, 4, **options)
        assert_three_ways(rtl(size), layer, x)


@BOTH
def test_matrices(rtl, size):
    """Parameters once for all outputs, and sums that wrap."""
    rng = random_of(2)
    for top in (1 << 10, (1 << 31) - 1):
        layer = matrix(rng, 35, 20, bias=bias_of(*rng.integers(-top, top, 34), top))
        assert_three_ways(rtl(size), layer, tensor(rng, (3, 20), zero=-5))
