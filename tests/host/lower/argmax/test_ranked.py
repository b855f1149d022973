# SPDX-License-Identifier: Apache-2.0
"""Places of the largest elements from the heap of the core as passes against the golden kernel."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden, assert_plan
from tests.support.seed import random_of
from tests.support.sizes import each_size, rarely
from xymac.golden.mli2 import (
    Affine,
    ArgMax,
    ConvertTensor,
    Element,
    Fixed,
    FullyConnected,
    Permute,
    QuantTensor,
)
from xymac.hdl.config import BASE, COMPACT, SMALL
from xymac.host.cycles.model import predict
from xymac.host.errors import accept
from xymac.host.ir.places import Ranking
from xymac.host.lower.argmax.largest import LargestLowering
from xymac.host.lower.argmax.ranked import RankedLowering
from xymac.host.lower.argmax.ranking import RankingLowering
from xymac.host.lower.registry import find_lowering
from xymac.host.memory.layout import TensorLayout
from xymac.host.plan.graph import Node
from xymac.host.plan.plan import Plan

FORMATS = {Element.FX_16: Fixed(7), Element.SA_8: Affine(5, 20000, 14)}


def tensor(data, element=Element.FX_16):
    return QuantTensor(np.array(data, element.dtype), element, FORMATS[element])


@each_size
@pytest.mark.parametrize("topk", [2, 3, 7, 16, *rarely(*range(4, 7), *range(8, 16))])
def test_equals_golden(config, topk):
    """As many elements as places, some more in all columns; many equal, in order, and ends."""
    rng = random_of(topk)
    for count in (topk, topk + 1, topk + 2, topk + 3, topk + 4, 35):
        x = rng.integers(-2, 2, count)
        for data in (x, np.sort(x), np.sort(x)[::-1], np.zeros(count), x * 16384):
            assert_equals_golden(config, ArgMax(topk), tensor(data))
        x = rng.integers(-128, 128, count)
        assert_equals_golden(config, ArgMax(topk), tensor(x, Element.SA_8))


@pytest.mark.parametrize("data", [np.arange(-300, 300), np.arange(300, -300, -1)])
def test_elements_in_order(data):
    for topk in (2, 7, 16):
        assert_equals_golden(BASE, ArgMax(topk), tensor(data))


def test_places_of_16_bits():
    data = np.full(50000, -128)
    data[[3, 32767, 32768, 49999]] = 127, 4, 4, -127
    run = assert_equals_golden(BASE, ArgMax(4), tensor(data, Element.SA_8))
    assert sorted(run.output.data.ravel()) == [3, 32767, 32768, 49999]


def test_which_lowering_has_it():
    x = tensor(np.zeros((40, 2)))
    kinds = {call: type(find_lowering(ArgMax(*call), [x], 4))
             for call in ((1, -1), (2, -1), (16, -1), (17, -1), (2, 0), (2, 1))}
    assert kinds == {(1, -1): LargestLowering, (2, -1): RankedLowering, (16, -1): RankedLowering,
                     (17, -1): RankingLowering, (2, 0): RankingLowering, (2, 1): RankingLowering}
    assert isinstance(find_lowering(ArgMax(2), [x], 1, core=COMPACT.capabilities), RankingLowering)
    assert not RankedLowering.takes(Ranking(2), [tensor(np.zeros(65537), Element.SA_8)])
    assert RankedLowering.takes(Ranking(2, 0), [tensor(np.zeros((1, 65536)), Element.SA_8)])


def test_the_compact_core_does_without():
    assert_equals_golden(COMPACT, ArgMax(3), tensor([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5]))


def test_cycles():
    plan = Plan(BASE, [ArgMax(5)], tensor(np.zeros(1000)))
    assert predict(plan.program, BASE).cycles == 3331


def test_places_go_on_to_a_conversion():
    layers = [ArgMax(2), ConvertTensor(Element.SA_8, Affine(3, 1, 0))]
    assert_plan(SMALL, layers, tensor([3, 9, 9, 1]), keep=True)


@each_size
@pytest.mark.parametrize("topk", [1, 2])
@pytest.mark.parametrize("order", [(1, 0, 2), (2, 0, 1), (1, 2, 0)])
def test_positions_count_in_the_order_of_the_input(config, topk, order):
    """Although the transposed tensor lies as the vector that another layer takes."""
    x = tensor(random_of(topk).permutation(60).reshape(5, 3, 4))
    weights, bias = (QuantTensor(np.ones(shape, np.int16), Element.FX_16, Fixed(15))
                     for shape in ((60, 5), 5))
    nodes = [Node(FullyConnected(weights, bias, Fixed(3)), (0,)), Node(Permute(order), (0,)),
             Node(ArgMax(topk), (2,))]
    assert_plan(config, nodes, x)


def test_inputs_in_parts_are_refused():
    x = tensor(np.zeros(9))
    layout = replace(TensorLayout.flat(x, 4), parts=(4, 5))
    with pytest.raises(ValueError, match=r"^The input must be contiguous, not in pieces \(4, 5\)$"):
        accept(find_lowering(ArgMax(2), [x], 4).find_target([layout]))
