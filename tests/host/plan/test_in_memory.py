# SPDX-License-Identifier: Apache-2.0
"""Layers between memories of a caller, whose tensors lie there with gaps."""

import numpy as np
import pytest

from tests.support.calls.in_memory import KERNELS, check_call
from tests.support.seed import random_of
from tests.support.sizes import each_name
from xymac import golden
from xymac.golden.kinds import Relu
from xymac.golden.mli2 import (
    Affine,
    Build,
    ConvertTensor,
    Element,
    Fixed,
    MaxPool,
    QuantTensor,
    Rectify,
)
from xymac.golden.views import PutView, Stored, TakeView, ZeroPad, span_of
from xymac.hdl.config import SIZES
from xymac.hdl.isa import Memory
from xymac.host.device.device import MachineDevice
from xymac.host.lower.registry import find_lowering
from xymac.host.plan.plan import Plan
from xymac.host.plan.views import run_in_memory, view_nodes

FORMATS = {np.int8: (Element.SA_8, Affine(3, 20000, 14)), np.int16: (Element.FX_16, Fixed(11))}


def random(count, dtype, rng):
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, count, dtype, endpoint=True)


def view(memory, shape, strides):
    return np.lib.stride_tricks.as_strided(
        memory, shape, tuple(step * memory.itemsize for step in strides))


@pytest.mark.parametrize(("name", "size"), [(name, list(SIZES)[number % 3])
                                            for number, name in enumerate(KERNELS)])
def test_a_kernel_of_every_family(name, size):
    with MachineDevice(SIZES[size]) as device:
        assert any([check_call(device, name, number) for number in range(20, 22)])


@pytest.mark.long
@each_name
@pytest.mark.parametrize("name", KERNELS)
def test_many_calls_of_every_family(name, size):
    with MachineDevice(SIZES[size]) as device:
        assert sum(check_call(device, name, number) for number in range(30, 46)) > 8


def test_a_plan_in_parts_has_constants_of_its_own():
    """The plan of all at once, which X cannot hold, wants the elements that it takes elsewhere."""
    source = view(random(23, np.int16, random_of(1)), (3, 1, 3, 2), (4, 4, 1, 12))
    target = view(random(23410, np.int16, random_of(2)), (5, 1, 3, 4), (5832, 648, 36, 3))
    pads   = ((2, 0), (0, 0), (0, 0), (2, 0))
    with MachineDevice(SIZES["base"]) as device:
        run_in_memory(device, ZeroPad(pads), Stored(source), view=target)
    np.testing.assert_array_equal(target, np.pad(source, pads))


def test_only_tensors_with_gaps_are_taken_and_put():
    whole = QuantTensor(np.zeros((4, 6), np.int16), *FORMATS[np.int16])
    part  = QuantTensor(np.zeros((4, 9), np.int16)[:, 2:8], *FORMATS[np.int16])
    out   = np.zeros((4, 7), np.int16)[:, :6]
    layer = Rectify(Relu.NONE)

    assert [node.layer for node in view_nodes(layer, [whole])[0]] == [layer]
    [take, kernel, put], [memory, before] = view_nodes(layer, [part], out)
    assert (type(take.layer), take.layer.strides, take.sources) == (TakeView, (9, 1), (0,))
    assert (kernel.layer, kernel.sources) == (layer, (2,))
    assert (type(put.layer), put.layer.strides, put.sources) == (PutView, (7, 1), (3, 1))
    assert (memory.shape, before.shape) == ((33,), (27,))


@pytest.mark.parametrize("dtype", FORMATS)
@pytest.mark.parametrize(("shape", "strides"), [((30, 20, 8), (400, 20, 2)),
                                                ((40, 10, 8), (170, 16, 1)),
                                                ((1, 20, 10, 8), (9999, 600, 30, 2))])
def test_memory_larger_than_x_is_cut(shape, strides, dtype):
    rng    = random_of(3)
    source = random(span_of(shape, strides), dtype, rng)
    target = random(source.size, dtype, rng)
    wanted = target.copy()
    layer  = Rectify(Relu.RELU1)
    x      = QuantTensor(view(source, shape, strides), *FORMATS[dtype])
    view(wanted, shape, strides)[...] = golden.run(layer, x).output.data
    with MachineDevice(SIZES["tiny"]) as device:
        run = run_in_memory(device, layer, x, view=view(target, shape, strides))

    np.testing.assert_array_equal(target, wanted)
    assert "tiles" in run.plan.steps[-1].remarks


@pytest.mark.parametrize("gaps", [False, True])
@each_name
def test_elements_of_32_bits_lie_as_in_memory(size, gaps):
    """Without gaps, too; a range of the input that is smaller than 16 bits, and all bits."""
    rng    = random_of(5)
    wide   = random((6, 5, 4), np.int32, rng)
    wide[0] >>= 20
    target = np.full((6, 5, 4), 77, np.int32)
    part   = np.s_[::2, 1:4, ::3] if gaps else np.s_[...]
    kinds  = (Element.SA_8, Affine(-7, 9000, 13)), (Element.SA_32, Affine(5, 12000, 22))
    x      = QuantTensor(wide[part], *kinds[1])
    there  = ConvertTensor(*kinds[0], Build.UP_FULL)
    back   = ConvertTensor(*kinds[1], Build.UP_FULL)
    narrow = golden.run(there, x).output
    wanted = target.copy()
    wanted[part] = golden.run(back, narrow).output.data
    with MachineDevice(SIZES[size]) as device:
        assert run_in_memory(device, there, x).output == narrow
        run = run_in_memory(device, back, narrow, view=target[part])

    np.testing.assert_array_equal(target, wanted)
    assert run.plan.target.bits == 16


def test_dimensions_that_reach_beyond_one_another_are_not_cut():
    x = QuantTensor(np.zeros((3, 4), np.int8), *FORMATS[np.int8])
    memory = Stored(np.zeros(99, np.int8))

    assert find_lowering(TakeView(x, (4, 3)), [memory], 1).cut(2) is None
    assert len(find_lowering(TakeView(x, (12, 3)), [memory], 1).cut(2)) == 2


def test_the_host_moves_whole_memories_only():
    """What a device is given and asked for are the cells of memories from end to end."""
    rng   = random_of(4)
    array = random((6, 5, 9), np.int8, rng)
    x     = QuantTensor(array[..., 2:6], *FORMATS[np.int8])
    out   = random((6, 5, 11), np.int8, rng)[..., 3:7]
    nodes, values = view_nodes(MaxPool((2, 2), (1, 1), (0, 1, 0, 1)), [x], out)
    plan  = Plan(SIZES["base"], nodes, *values)

    for layout, size in zip((*plan.sources, plan.target), (265, 323, 323), strict=True):
        assert (layout.memory, layout.shape, layout.inner) == (Memory.X, (size,), 1)
