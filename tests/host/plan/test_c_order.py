# SPDX-License-Identifier: Apache-2.0
"""Inputs and outputs in the order of the user's arrays: the cells have their bytes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.c_order import assert_cells_are_arrays
from tests.support.seed import SEED, examples, random_of
from tests.support.sizes import each_core
from xymac import golden
from xymac.golden import mli1, mli2, xs3
from xymac.golden.kinds import Relu
from xymac.golden.mli2 import Affine, Build, Element, Fixed, QuantTensor
from xymac.golden.xs3 import Integers
from xymac.hdl.config import CORES
from xymac.host.device.device import MachineDevice
from xymac.host.errors import accept
from xymac.host.lower.move.bus.pairs import JoinLowering
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.pairs import PairLayout
from xymac.host.plan.graph import Node
from xymac.host.plan.plan import Plan

SETTINGS = {"derandomize": SEED.is_default, "deadline": None, "database": None}
SIZES    = st.sampled_from([*CORES.values()])
SHAPES   = st.lists(st.sampled_from([1, 2, 3, 5, 8]), min_size=1, max_size=3).map(tuple)
KINDS    = {Element.SA_8: Affine(-7, 9000, 6), Element.FX_16: Fixed(3),
            Element.SA_32: Affine(5, 12000, 22)}


def tensor(rng, element, shape):
    """A QuantTensor whose elements have all magnitudes, both ends among them."""
    bits = element.bits
    data = rng.integers(-1 << bits - 1, 1 << bits - 1, shape) >> rng.integers(0, bits - 1, shape)
    data.flat[:2] = [-1 << bits - 1, (1 << bits - 1) - 1][:data.size]
    return QuantTensor(data.astype(f"int{bits}"), element, KINDS[element])


@pytest.mark.parametrize("shape", [(4, 4, 6), (1,), (3, 33, 5)], ids=str)
@each_core
def test_bytes_of_a_layer_that_moves_nothing(config, shape):
    """They go from one place to another, as they are."""
    order = tuple(range(len(shape)))
    x     = mli1.Tensor(np.arange(np.prod(shape)).astype(np.int8).reshape(shape), 7)
    plan  = Plan(config, [mli1.Permute(order)], x, c_order=True)
    with MachineDevice(config) as device:
        assert_cells_are_arrays(device, plan, [x], x.data)
        assert plan.source.cells(x.data).tobytes()[:x.data.nbytes] == x.data.tobytes()
        assert plan.run(device, x).output == x


@settings(max_examples=examples(50), **SETTINGS)
@given(SIZES, SHAPES, st.sampled_from([*KINDS]),
       st.sampled_from([*KINDS]), st.integers(0, 999))
def test_elements_of_every_type(config, shape, first, last, seed):
    x     = tensor(random_of(seed), first, shape)
    layer = mli2.ConvertTensor(last, KINDS[last], Build.UP_FULL)
    with MachineDevice(config) as device:
        plan = Plan(config, [layer], x, c_order=True)

        assert_cells_are_arrays(device, plan, [x], golden.run(layer, x).output.data)
        assert plan.run(device, x).output == golden.run(layer, x).output


@settings(max_examples=25, **SETTINGS)
@given(SIZES, SHAPES, st.integers(0, 3), st.integers(1, 3), st.integers(0, 999))
def test_places_of_the_largest(config, shape, axis, topk, seed):
    x     = tensor(random_of(seed), Element.SA_8, shape)
    axis  = min(axis, len(shape)) - 1  # -1 is all of them
    layer = mli2.ArgMax(min(topk, x.data.size // (1 if axis < 0 else shape[axis])), axis)
    with MachineDevice(config) as device:
        plan = Plan(config, [layer], x, c_order=True)

        assert_cells_are_arrays(device, plan, [x], golden.run(layer, x).output.data)


@each_core
@pytest.mark.parametrize("place", [0, 1, 299])
def test_an_index_of_16_bits_has_32(config, place):
    x = Integers((np.arange(300) == place).astype(np.int16))
    with MachineDevice(config) as device:
        plan = Plan(config, [xs3.Argmax16()], x, c_order=True)

        assert_cells_are_arrays(device, plan, [x], np.array([place], np.int32))


@each_core
def test_accumulators_that_are_read_by_pixels(config):
    rng   = random_of(8)
    layer = xs3.OutputTransform(Integers(rng.integers(-99, 99, 40).astype(np.int16)), 20, 1, 2)
    x     = Integers(rng.integers(-1 << 31, 1 << 31, (3, 5, 32)).astype(np.int32))
    with MachineDevice(config) as device:
        plan = Plan(config, [layer], x, c_order=True)

        assert_cells_are_arrays(device, plan, [x], golden.run(layer, x).output.data)


@each_core
def test_an_input_of_several_layers_is_split_once(config):
    """The second layer that reads it comes behind others; the last one's output has 32 bits."""
    rng    = random_of(9)
    x      = tensor(rng, Element.SA_32, (4, 5, 3))
    small  = mli2.ConvertTensor(Element.FX_16, KINDS[Element.FX_16], Build.UP_FULL)
    wide   = mli2.ConvertTensor(Element.SA_32, KINDS[Element.SA_32], Build.UP_FULL)
    nodes  = [Node(small, (0,)), Node(mli2.Rectify(Relu.RELU1), (1,)), Node(small, (0,)),
              Node(mli2.Eltwise(golden.kinds.EltwiseOp.ADD, KINDS[Element.FX_16]), (2, 3)),
              Node(mli2.Permute((2, 0, 1)), (4,)), Node(wide, (5,))]
    values = [x]
    for node in nodes:
        values.append(golden.run(node.layer, *(values[at] for at in node.sources)).output)
    with MachineDevice(config) as device:
        plan = Plan(config, nodes, x, c_order=True)

        assert_cells_are_arrays(device, plan, [x], values[-1].data)
        assert list(plan.run(device, x).outputs) == values[1:]
    assert [step.moved for step in plan.steps[:4]] == [60, 0, 0, 0]


def test_only_elements_in_order_are_joined():
    x = tensor(random_of(2), Element.SA_32, (2, 3))
    lowering = JoinLowering(x, 4)
    with pytest.raises(ValueError, match=r"^The input must lie as \(\(2, 3\), \(0, 1\), 2, \(6,\), "
                                         r"0\), not as \(\(3, 2\), \(1, 0\), 1, \(2,\), 0\)$"):
        accept(lowering.find_target([TensorLayout.of(x, (1, 0), 4)]))
    [layout] = lowering.source_layouts(None)
    assert isinstance(lowering.target_layout([layout]), PairLayout)


def test_plans_in_any_order_have_no_pairs():
    x     = tensor(random_of(1), Element.SA_32, (6,))
    layer = mli2.ConvertTensor(Element.SA_32, KINDS[Element.SA_32], Build.UP_FULL)
    plan  = Plan(CORES["base"], [layer], x)
    assert {type(layout) for layout in (plan.source, plan.target)} == {TensorLayout}
    plan  = Plan(CORES["base"], [layer], x, c_order=True)
    assert {type(layout) for layout in (plan.source, plan.target)} == {PairLayout}
