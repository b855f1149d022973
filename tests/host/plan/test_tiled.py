# SPDX-License-Identifier: Apache-2.0
"""Tensors that X cannot hold: plans one after the other, layers in tiles, the same bits."""

import numpy as np
import pytest

from tests.support.c_order import assert_cells_are_arrays
from tests.support.lowered import noise
from tests.support.rtl_device import assert_counters, fill
from tests.support.seed import random_of
from tests.support.sizes import rarely
from xymac import golden
from xymac.golden import mli2
from xymac.golden.kinds import EltwiseOp
from xymac.golden.mli1 import (
    AvePool,
    Conv2d,
    DepthwiseConv2d,
    Eltwise,
    FullyConnected,
    Layout,
    LstmCell,
    MaxPool,
    Padding2d,
    Permute,
    Rectify,
    Relu,
    Softmax,
    Subtensor,
)
from xymac.hdl.config import BASE, TINY
from xymac.host.device.device import MachineDevice
from xymac.host.errors import Refusal
from xymac.host.plan.graph import Node
from xymac.host.plan.run import layer_counters
from xymac.host.plan.tiling.tiled import TiledPlan, make_plan
from xymac.sim.benchmarks.quantised import affine_conv


def tensor(*shape, dtype=np.int8):
    return noise(random_of(len(shape)), shape, dtype, 7)


def assert_exact(device, layers, x):
    """Every output that the plan keeps is golden's, and so are the flags; returns the plan and the
    PlanRun."""
    nodes = layers if isinstance(layers[0], Node) else [
        Node(layer, (index,)) for index, layer in enumerate(layers)]
    plan, values, flags = make_plan(device.config, nodes, x), [x], []
    for node in nodes:
        result = golden.run(node.layer, *(values[number] for number in node.sources))
        values.append(result.output)
        flags.append(result.overflow)
    fill(device, seed=1)
    plan.load(device)
    run = plan.run(device, x)
    assert run.output == values[-1]
    assert all(output in (None, value)
               for output, value in zip(run.outputs, values[1:], strict=True))
    assert run.overflows == tuple(flags)
    assert len(run.result.trace) == len(plan.program)
    return plan, run


def cifar(dtype):
    """The start of the vendor's example: an output of 32 channels that fills X by itself."""
    return [Conv2d(tensor(32, 3, 5, 5, dtype=dtype), tensor(32, dtype=dtype), 5, pad=(2,) * 4,
                   relu=Relu.GEN), MaxPool((3, 3), (2, 2), pad=(0, 1, 0, 1)),
            Conv2d(tensor(16, 32, 5, 5, dtype=dtype), tensor(16, dtype=dtype), 5, pad=(2,) * 4)]


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_cifar_in_rtl(rtl, dtype):
    device = rtl("base")
    device.harness.reset()
    plan, run = assert_exact(device, cifar(dtype), tensor(3, 32, 32, dtype=dtype))
    assert isinstance(plan, TiledPlan) == (dtype is np.int16)
    assert_counters(run.result)
    total = [sum(counters[name] for counters in layer_counters(plan, run.result))
             for name in run.result.counters]
    assert total == list(run.result.counters.values())
    if dtype is np.int16:
        assert "tiles" in plan.steps[0].remarks


LAYERS = {
    "conv CHW": (Conv2d(tensor(9, 4, 3, 3), tensor(9), 5, pad=(1, 1, 1, 1)), (4, 50, 40)),
    "conv HWC": (Conv2d(tensor(9, 3, 2, 4), tensor(9), 5, pad=(2, 1, 1, 0), stride=(2, 1),
                        layout=Layout.HWC), (50, 40, 4)),
    "depthwise": (DepthwiseConv2d(tensor(8, 1, 3, 3), tensor(8), 5, pad=(1, 1, 1, 1)), (8, 50, 40)),
    "maxpool": (MaxPool((3, 3), (1, 1), pad=(1, 1, 1, 1)), (8, 50, 40)),
    "avepool": (AvePool((4, 3), (1, 1), pad=(3, 2, 1, 1), layout=Layout.HWC), (50, 40, 8)),
    "matrix": (FullyConnected(tensor(17000, 8), tensor(17000), 5), (8,)),
    "relu": (Rectify(Relu.RELU6), (50, 900)),
    "single row": (Conv2d(tensor(5, 4, 1, 3), tensor(5), 5), (4, 1, 4000)),
    "single pixel": (MaxPool((1, 1), (1, 1)), (17000, 1, 1)),
    "few inputs": (Conv2d(tensor(2000, 3, 2, 2), tensor(2000), 5), (3, 3, 7)),
    "weights and image": (Conv2d(tensor(90, 60, 3, 3), tensor(90), 5), (60, 15, 20)),
    "permute": (Permute((2, 0, 1)), (9, 50, 90)),
    "padding": (Padding2d((3, 2, 1, 4)), (9, 50, 40)),
    "subtensor": (Subtensor((2, 1), 45), (3, 50, 300)),
}
#: Those whose parts end as the parts of others do.
ALIKE = ("avepool", "permute", "relu", "weights and image")


@pytest.mark.parametrize("name", LAYERS)
def test_layers_in_tiles(name):
    layer, shape = LAYERS[name]
    with MachineDevice(TINY) as device:
        plan, _ = assert_exact(device, [layer], tensor(*shape))
    assert len(plan.parts) > 1


@pytest.mark.parametrize("name", [
    *sorted(LAYERS.keys() - {"matrix", "single pixel", *ALIKE}), *rarely(*ALIKE)])
def test_ends_of_every_part_are_the_users_arrays(name):
    layer, shape = LAYERS[name]
    x        = tensor(*shape)
    expected = golden.run(layer, x).output
    with MachineDevice(TINY) as device:
        plan = make_plan(TINY, [layer], x, c_order=True)
        assert len(plan.parts) > 1
        for part in (*plan.parts[:2], plan.parts[-1]):
            [(_, slices)], [(_, _, target)] = part.sources, part.targets
            assert_cells_are_arrays(device, part.plan, [x.take(slices)],
                                    np.ascontiguousarray(expected.take(target).data))
        assert plan.run(device, x).output == expected


def test_only_the_ends_of_a_network_are_the_users_arrays():
    layers   = [Conv2d(tensor(9, channels, 3, 3), tensor(9), 5, pad=(1, 1, 1, 1))
                for channels in (4, 9, 9)]
    x        = tensor(4, 28, 40)
    expected = x
    for layer in layers:
        expected = golden.run(layer, expected).output
    with MachineDevice(TINY) as device:
        plan = make_plan(TINY, layers, x, c_order=True)
        assert plan.run(device, x).output == expected
    runs = {(part.layers.start, end.inner) for part in plan.parts
            for end in (part.plan.source, part.plan.target)}
    assert runs == {(0, 3), (1, 1), (2, 3)}  # dimensions of a run: all, or the channels


def test_what_no_element_of_the_output_is_made_of_needs_no_room():
    layer, x = Subtensor((1, 30, 299), 1), tensor(3, 50, 300)
    with MachineDevice(TINY) as device:
        plan, _ = assert_exact(device, [layer], x)
    [part] = plan.parts
    assert part.sources == [(0, (slice(1, 2), slice(30, 31), slice(299, 300)))]


def test_quantised_layers_in_tiles():
    layer, x = affine_conv(mli2.Conv2d, (3, 3, 6, 8), (40, 50, 6), random_of(3))
    pool     = mli2.AvePool((2, 2), (1, 1), (1, 0, 0, 1))
    with MachineDevice(TINY) as device:
        plan, _ = assert_exact(device, [layer, pool], x)
    assert len(plan.parts) > 2


def test_branches_cross_the_parts():
    nodes = [Node(Rectify(Relu.GEN), (0,)), Node(Rectify(Relu.RELU6), (0,)),
             Node(MaxPool((1, 1), (1, 1)), (1,)), Node(Eltwise(EltwiseOp.ADD), (3, 2)),
             Node(Eltwise(EltwiseOp.SUB), (4, 0))]
    with MachineDevice(TINY) as device:
        plan, _ = assert_exact(device, nodes, tensor(4, 40, 40))
    assert len(plan.parts) > 1


def test_what_fits_is_one_plan():
    assert not isinstance(make_plan(BASE, cifar(np.int8), tensor(3, 32, 32)), TiledPlan)


def test_what_cannot_be_cut_is_refused():
    with pytest.raises(Refusal, match="bytes of X memory"):
        make_plan(TINY, [Softmax()], tensor(9000, dtype=np.int16))
    with pytest.raises(Refusal, match=r"^Layer 1 \(LstmCell\) needs [0-9]+ bytes of Y "):
        make_plan(TINY, [Rectify(Relu.GEN), LstmCell(*(tensor(*shape) for shape in (
            (4, 60, 260), (4, 60), (60,), (60,))), 7)], tensor(200))


@pytest.mark.parametrize(("label", "title"), [
    ("", r"Layer pad \(Padding2d\)"), ("The pad", "The pad")])
def test_a_refused_tile_is_called_by_its_layer(label, title):
    """A tile of few rows is of another class than its layer."""
    pad = Node(Padding2d((1, 2, 0, 1), Layout.HWC), (0,), "pad", label)
    with pytest.raises(Refusal, match=f"^{title}: its output needs 24000 bytes of X "):
        make_plan(TINY, [pad], tensor(4, 4, 4000))


@pytest.mark.parametrize(("label", "title"), [
    ("", r"Layer sum \(RnnDense\)"), ("The sum", "The sum")])
def test_sums_beyond_32_bits_are_called_by_their_layer(label, title):
    """Passes of recurrent sums are made, and refused, when a plan lays out its values."""
    x       = mli2.QuantTensor(np.zeros((80, 80), np.int16), mli2.Element.FX_16, mli2.Fixed(8))
    weights = mli2.QuantTensor(np.full((6400, 6), 127, np.int8), mli2.Element.FX_8,
                               mli2.Fixed(7))
    bias    = mli2.QuantTensor(np.zeros(6, np.int8), mli2.Element.FX_8, mli2.Fixed(7))
    nodes   = [Node(mli2.Rectify(Relu.GEN), (0,), "first"),
               Node(mli2.RnnDense((weights,), bias, mli2.Fixed(8)), (1,), "sum", label)]
    with pytest.raises(Refusal, match=f"^{title}: .* must stay "):
        make_plan(BASE, nodes, x)
