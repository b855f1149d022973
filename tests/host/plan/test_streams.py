# SPDX-License-Identifier: Apache-2.0
"""Weights that Y, and inputs that X cannot hold at once: written part by part, the same bits."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden, noise
from tests.support.rtl_device import assert_counters, fill
from tests.support.seed import random_of
from xymac import golden
from xymac.golden import mli1, mli2, xs3
from xymac.golden.mli2 import Affine, Element, Fixed, QuantTensor
from xymac.golden.xs3 import Integers
from xymac.hdl.config import CORES, SMALL, TINY
from xymac.host.device.device import MachineDevice
from xymac.host.plan.pieces import PassGroup, RowsTogether
from xymac.host.plan.plan import Plan
from xymac.host.plan.run import run_layer
from xymac.sim.benchmarks.quantised import affine_conv, deep_conv


def tensor(*shape, dtype=np.int8):
    return noise(random_of(len(shape)), shape, dtype, 7 if dtype is np.int8 else 11)


def matrix(outputs, inputs, dtype=np.int8):
    """A matrix of MLI 1.x whose outputs do not all saturate, and its input."""
    layer = mli1.FullyConnected(tensor(outputs, inputs, dtype=dtype), tensor(outputs, dtype=dtype),
                                0)
    return layer, tensor(inputs, dtype=dtype)


def affine_matrix(inputs):
    """A matrix of MLI 2.0 with scales, and its input."""
    shape, kind = (inputs, 6), Affine(3, 20003, 14)
    layer = mli2.FullyConnected(
        QuantTensor(tensor(*shape).data, Element.SA_8, Affine(1, 20003, 19)),
        QuantTensor(np.arange(6, dtype=np.int32), Element.SA_32, Affine(0, 1, 0)),
        Affine(-4, 23456, 5))
    return layer, QuantTensor(tensor(inputs).data, Element.SA_8, kind)


def wrapping_matrix(inputs):
    """A matrix of MLI 2.0 whose sums wrap at 32 bits, and its input."""
    layer = mli2.FullyConnected(QuantTensor(tensor(inputs, 6).data, Element.FX_8, Fixed(7)),
                                QuantTensor(tensor(6).data, Element.FX_8, Fixed(3)), Fixed(-1))
    return layer, QuantTensor(tensor(inputs, dtype=np.int16).data, Element.FX_16, Fixed(7))


def block_matrix(outputs, inputs, bias):
    """A matrix of the XS3 library whose sums can saturate if they begin with a large ``bias``, and
    its input."""
    conv, _ = deep_conv((outputs, 1, 1, inputs), (1, 1, 1), random_of(4))
    blocks  = conv.bso.data.copy()
    blocks[:, 0] = bias
    return (xs3.FullyConnected(Integers(tensor(outputs, inputs).data), Integers(blocks)),
            Integers(tensor(inputs).data))


def deepin(inputs, out_bits):
    blocks = [Integers(np.full(16, value, np.int16)) for value in (8, 1 << 13)]
    return (xs3.FcDeepin(Integers(tensor(5, inputs).data), Integers(np.arange(5, dtype=np.int32)),
                         *blocks, out_bits), Integers(tensor(inputs).data))


def image(*shape):
    """A convolution of MLI 1.x of ``shape``, padded by 1, and an image of 2 x 3 pixels."""
    layer = mli1.Conv2d(tensor(*shape, dtype=np.int16), tensor(shape[0], dtype=np.int16), 0,
                        pad=(1,) * 4)
    return layer, tensor(shape[1], 2, 3, dtype=np.int16)


CALLS = {
    "fx8": matrix(37, 9000), "fx16": matrix(21, 5000, np.int16),
    "more outputs than lanes hold": matrix(90, 9000), "sa8": affine_matrix(15000),
    "wraps": wrapping_matrix(7000), "saturates": block_matrix(20, 9001, 32767),
    "xs3": block_matrix(20, 13000, 1), "deepin 8": deepin(12000, 8), "deepin 16": deepin(12000, 16),
    "conv sa8": affine_conv(mli2.Conv2d, (3, 3, 1000, 5), (3, 4, 1000), random_of(1)),
    "conv xs3": deep_conv((20, 3, 3, 1000), (3, 4, 1000), random_of(2)),
    "conv fx16": image(9, 500, 3, 3), "outputs alone": image(90, 60, 3, 3),
    "beyond x": matrix(5, 20001), "sa8 beyond x": affine_matrix(17500),
    "wraps beyond x": wrapping_matrix(17000), "saturates beyond x": block_matrix(3, 40000, 29000),
    "more than 65,535 inputs": block_matrix(3, 70000, 1),
    "conv beyond x": deep_conv((8, 3, 3, 3000), (2, 3, 3000), random_of(3)),
    "conv fx16 beyond x": image(5, 1500, 3, 3),
}


@pytest.mark.parametrize("name", CALLS)
def test_sums_of_parts(name):
    run = assert_equals_golden(TINY, *CALLS[name])

    plans = [part.plan for part in run.plan.parts] if "beyond x" in name else [run.plan]
    assert all(len(plan.loads) > 1 for plan in plans if isinstance(plan, Plan))
    assert len(np.unique(run.output.data)) > 1 or "saturates" in name


FULL = {"fx8": matrix(5, TINY.x_bytes), "fx16": matrix(5, TINY.x_bytes // 2 - 2, np.int16),
        "sa8": affine_matrix(TINY.x_bytes - 3), "wraps": wrapping_matrix(TINY.x_bytes // 2 - 1)}


@pytest.mark.parametrize("name", FULL)
def test_an_input_that_leaves_no_room_for_an_output(name):
    run = assert_equals_golden(TINY, *FULL[name])
    assert "programs loaded" in run.plan.steps[0].remarks


@pytest.mark.parametrize("name", CORES)
def test_every_size(name):
    config = CORES[name]
    run    = assert_equals_golden(config, *matrix(37, config.y_rows * config.ways * 2 + 500))
    assert len(run.plan.loads) > 1


def test_weights_of_windows_are_written_once():
    """Windows at the border and within read the same weights, which are more than Y holds."""
    layer, x = affine_conv(mli2.Conv2d, (3, 3, 60, 90), (5, 4, 60), random_of(5))
    layer    = replace(layer, dilation=(2, 1), pad=(2, 2, 1, 1))
    run      = assert_equals_golden(TINY, layer, x)
    assert len(run.plan.program) > len(run.plan.loads)
    assert run.plan.steps[0].loaded < 1.2 * (layer.weights.data.size + 90 * 24)


def test_a_network_goes_on_after_a_long_sum():
    layers = [mli1.FullyConnected(tensor(40, 9000), tensor(40), 0),
              mli1.FullyConnected(tensor(300, 40), tensor(300), 3), mli1.Softmax()]
    value  = x = tensor(9000)
    plan   = Plan(TINY, layers, x)
    with MachineDevice(TINY) as device:
        fill(device, seed=2)
        plan.load(device)
        run = plan.run(device, x)
    for layer, output in zip(layers, run.outputs, strict=True):
        value = golden.run(layer, value).output
        assert output in (None, value)
    assert run.output == value


def test_an_input_that_fits_is_written_once():
    plan = Plan(TINY, [matrix(3, 9000)[0]], tensor(9000))
    assert plan.source.row < TINY.x_rows
    assert not any(load.inputs for load in plan.loads)


@pytest.mark.parametrize("name", ["sa8 beyond x", "saturates"])
def test_parts_in_rtl(name, rtl):
    layer, x = CALLS[name]
    expected = golden.run(layer, x)
    device   = rtl("tiny")
    device.harness.reset()
    fill(device, seed=3)

    run = run_layer(device, layer, x)

    assert (run.output, run.overflow) == (expected.output, expected.overflow)
    assert_counters(run.result)


def test_more_outputs_than_sums_that_a_lane_holds():
    assert_equals_golden(SMALL, *affine_conv(mli2.Conv2d, (3, 3, 1000, 11), (4, 5, 1000),
                                             random_of(6)))


def test_rows_are_written_once():
    pieces = [PassGroup((), ((0, 9), (20, 30)), (((50, 51), (7, 8)),), ()),
              PassGroup((), ((2, 4), (30, 32)), (((50, 51), (7, 8)),), ((5, 6),))]
    rows   = RowsTogether(pieces)
    assert rows.spans == [(50, 51), (7, 8), (0, 9), (20, 32)]
    assert (rows.count, rows.inputs) == (23, [(5, 6)])
