# SPDX-License-Identifier: Apache-2.0
"""Cores of sizes that have no name: the results of golden, in the cycles of the model."""

import numpy as np
import pytest

from tests.rtl.test_layers import assert_three_ways
from tests.support.seed import random_of
from xymac.golden.mli1 import Conv2d, Tensor


@pytest.mark.long
@pytest.mark.parametrize("size", [
    "ways=2,x_rows=1024,y_rows=1024,passes=64,slots=4",
    "ways=1,x_rows=512,y_rows=3584,passes=2,slots=4",
    "ways=4,x_rows=4096,y_rows=1536,passes=256,slots=2"])
def test_a_convolution(size, rtl):
    rng = random_of(7)
    x, weights, bias = (Tensor(rng.integers(-128, 128, shape, np.int8), 7)
                        for shape in ((5, 9, 7), (11, 5, 3, 3), (11,)))

    assert_three_ways(rtl(size), Conv2d(weights, bias, 5, pad=(1, 1, 1, 1)), x)
