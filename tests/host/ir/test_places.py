# SPDX-License-Identifier: Apache-2.0
"""Positions of extremes: forms against golden layers and against their passes."""

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac import golden
from xymac.golden import tflm
from xymac.golden.mli2 import ArgMax, Element, Fixed, QuantTensor
from xymac.golden.tflm import Quantisation
from xymac.hdl.config import BASE
from xymac.hdl.isa import Op
from xymac.host.device.device import MachineDevice
from xymac.host.ir.operation import Operation
from xymac.host.ir.places import FirstExtreme, Ranking
from xymac.host.plan.run import run_layer


def few_values(*shape, dtype=np.int16):
    """Elements among which many are equal."""
    return random_of(7).integers(-3, 4, shape).astype(dtype)


@pytest.mark.parametrize(("count", "axis"), [(1, None), (5, None), (4, 0), (3, 1)])
def test_ranking_orders_equal_elements_as_the_library(count, axis):
    data = few_values(6, 9)
    x    = QuantTensor(data, Element.FX_16, Fixed(3))

    expected = golden.run(ArgMax(count, -1 if axis is None else axis), x).output

    np.testing.assert_array_equal(Ranking(count, axis).evaluate(32, data), expected.data)


def test_heap_order():
    data = few_values(40)
    form = Ranking(6, is_sorted=False)
    x    = QuantTensor(data, Element.FX_16, Fixed(3))
    like = QuantTensor(np.zeros((1, 6), np.int32), Element.SA_32,
                       golden.run(ArgMax(6), x).output.format)

    with MachineDevice(BASE) as device:
        made = run_layer(device, Operation(form, (1, 6), like), x).output.data

    np.testing.assert_array_equal(made, form.evaluate(32, data))
    heap = data[made[0]]
    assert all(heap[(place - 1) // 2] <= heap[place] for place in range(1, 6))


@pytest.mark.parametrize(("op", "kind"), [(Op.MAX, tflm.ArgMax), (Op.MIN, tflm.ArgMin)])
def test_parts_of_a_search_are_the_search(op, kind):
    data = few_values(5, 7, 4, dtype=np.int8)
    form = FirstExtreme(op, 1)
    x    = tflm.Tensor(data, Quantisation((0.5,), (0,)))

    parts = []
    for first, end in ((0, 1), (1, 4)):
        part, [taken] = form.split(1, first, end, data.shape)
        parts.append(part.evaluate(32, data[taken]))

    np.testing.assert_array_equal(np.concatenate(parts, 1),
                                  golden.run(kind(1), x).output.data)
