# SPDX-License-Identifier: Apache-2.0
"""The place of the last of the largest elements of a tensor as passes against the golden kernel."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden, assert_plan
from tests.support.seed import random_of
from tests.support.sizes import each_size, rarely
from xymac.golden.mli2 import Affine, ArgMax, ConvertTensor, Element, Fixed, QuantTensor
from xymac.hdl.config import BASE, SMALL, TINY
from xymac.host.cycles.model import predict
from xymac.host.errors import accept
from xymac.host.lower.argmax.largest import LargestLowering
from xymac.host.lower.registry import find_lowering
from xymac.host.memory.layout import TensorLayout
from xymac.host.plan.plan import Plan

FORMATS = {Element.FX_16: Fixed(7), Element.SA_8: Affine(5, 20000, 14)}


def tensor(data, element=Element.FX_16):
    return QuantTensor(np.array(data, element.dtype), element, FORMATS[element])


@each_size
@pytest.mark.parametrize("count", [1, 3, 4, 5, 16, 17, 66, 255,
                                   *rarely(2, 7, 8, 15, 31, 33)])
def test_equals_golden(config, count):
    rng = random_of(count)
    for top in (1 << 15, 2, 1):  # elements of one value, too
        x = rng.integers(-top, top, count)
        for data in (x, np.minimum(x, -1), np.maximum(x, 32767), np.minimum(x, -32768)):
            assert_equals_golden(config, ArgMax(1), tensor(data))
        assert_equals_golden(config, ArgMax(1), tensor(np.clip(x, -128, 127), Element.SA_8))


def test_shapes_with_one_slice():
    x = random_of(1).integers(-2, 2, (3, 5, 2))
    assert isinstance(find_lowering(ArgMax(1), [tensor(x)], 4), LargestLowering)
    assert_equals_golden(BASE, ArgMax(1), tensor(x))
    assert_equals_golden(SMALL, ArgMax(1, 1), tensor(x.reshape(6, 1, 5)))
    assert not isinstance(find_lowering(ArgMax(1, 0), [tensor(x)], 4), LargestLowering)


#: Around a block of 256 rows, several, and a last row that is full, nearly so, or has one element.
BLOCKS = [(TINY, 1024), (TINY, 1025), (TINY, 1028), (TINY, 2051), (SMALL, 2049), (SMALL, 9000),
          (BASE, 4096), (BASE, 4097), (BASE, 8209), (BASE, 12289), (BASE, 56001)]


@pytest.mark.parametrize(("config", "count"), BLOCKS,
                         ids=[f"{config.name}-{count}" for config, count in BLOCKS])
def test_blocks(config, count):
    block = 256 * config.lanes
    for place in {0, block - 1, min(block, count - 1), count // 2, count - 2, count - 1}:
        for low in (-128, 126):
            x = np.full(count, low)
            x[[place // 2, place]] = low + 1
            run = assert_equals_golden(config, ArgMax(1), tensor(x, Element.SA_8))
            assert run.output.data == place


def test_cycles():
    plan = Plan(BASE, [ArgMax(1)], tensor(np.zeros(1000)))
    assert predict(plan.program, BASE).cycles <= 1.5 * 1000


def test_a_place_goes_on_to_a_conversion():
    layers = [ArgMax(1), ConvertTensor(Element.SA_8, Affine(3, 1, 0))]
    assert_plan(SMALL, layers, tensor([3, 9, 9, 1]), keep=True)


def test_inputs_in_parts_are_refused():
    x = tensor(np.zeros(9))
    layout = replace(TensorLayout.flat(x, 4), parts=(4, 5))
    with pytest.raises(ValueError, match=r"^The input must be contiguous, not in pieces \(4, 5\)$"):
        accept(find_lowering(ArgMax(1), [x], 4).find_target([layout]))
