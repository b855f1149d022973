# SPDX-License-Identifier: Apache-2.0
"""A core without heap, window and comparison: what it refuses, and the passes that do without."""

from dataclasses import replace

import numpy as np
import pytest

from tests.rtl.test_faults import GOOD
from tests.rtl.test_layers import assert_three_ways
from tests.support.seed import random_of
from xymac.golden.mli1 import DepthwiseConv2d, Tensor
from xymac.hdl.isa import BANKS, Axis, Op, Reduce, Shape, State, Status

SIZE = "ways=2,x_rows=512,y_rows=512,passes=8,heap=0,window=0,comparison=0"

pytestmark = pytest.mark.long


@pytest.mark.parametrize("fields", [
    {"op": Op.MAX}, {"op": Op.MIN},
    {"op": Op.SLIDE, "x_shape": Shape.LANES, "taps": (1, 1, 1), "cols": Axis(step=1, size=4)},
    {"reduce": Reduce.RANK, "beats": 1}, {"reduce": Reduce.POP, "beats": 1},
    {"reduce": Reduce.RANGE, "x_shape": Shape.LANES, "beats": BANKS}], ids=str)
def test_what_it_refuses(rtl, fields):
    device = rtl(SIZE)
    device.load_program([replace(GOOD, **fields)])

    result = device.run()

    assert (result.state, result.status) == (State.FAULT, Status.OPCODE)


def test_a_depthwise_kernel(rtl):
    """One that slides on a core with a window."""
    rng = random_of(8)
    x, weights, bias = (Tensor(rng.integers(-128, 128, shape, np.int8), 7)
                        for shape in ((8, 9, 10), (8, 1, 3, 2), (8,)))

    assert_three_ways(rtl(SIZE), DepthwiseConv2d(weights, bias, 7), x)
