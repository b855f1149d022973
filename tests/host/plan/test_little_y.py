# SPDX-License-Identifier: Apache-2.0
"""Layers with inputs or results in Y, on cores with little Y: tiles need less of it."""

import numpy as np
import pytest

from tests.support.lowered import assert_plan
from tests.support.seed import random_of
from xymac.golden.tflm import Mul, Quantisation, Softmax, SquaredDifference, Tensor
from xymac.hdl.config import find_size
from xymac.host.plan.graph import Node

CORES = ("tiny,x_rows=3584,y_rows=512,passes=16", "tiny,x_rows=512,y_rows=512",
         "base,x_rows=4096,y_rows=512")


def tensor(shape, dtype):
    limits = np.iinfo(dtype)
    data   = random_of(len(shape)).integers(limits.min, limits.max, shape, dtype)
    return Tensor(data, Quantisation((2.0 ** -6,), (-3 * (dtype is np.int8),)))


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize("layer", [Mul, SquaredDifference])
@pytest.mark.parametrize("size", CORES)
def test_factors_in_y(size, layer, dtype):
    out = Quantisation((0.25,), (5 * (dtype is np.int8),))

    assert_plan(find_size(size), [Node(layer(out), (0, 0))], tensor((1, 36, 33, 16), dtype))


@pytest.mark.parametrize("shape", [(25, 3), (25, 16), (5, 5, 4), (60, 8)])
@pytest.mark.parametrize("size", CORES)
def test_reciprocals_of_rows_in_y(size, shape):
    """The rows of a softmax from 8 to 16 bits, with records that passes write."""
    out = Quantisation((2.0 ** -16,), (-32768,))

    assert_plan(find_size(size), [Softmax(out, 1.0, np.int16)], tensor(shape, np.int8))
