# SPDX-License-Identifier: Apache-2.0
"""Convolutions and matrices of TensorFlow Lite as passes, against the golden operators."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.lowered import assert_equals_golden
from tests.support.seed import random_of
from tests.support.sizes import each_core, each_size
from tests.support.tflite.lowered import assert_model
from tests.support.tflite.wild import ALL, wild_of
from xymac import golden
from xymac.golden.tflm import (
    Activation,
    Conv2d,
    DepthwiseConv2d,
    FullyConnected,
    Padding,
    Quantisation,
    Tensor,
    TransposeConv,
)
from xymac.hdl.config import BASE, COMPACT, TINY
from xymac.hdl.isa import Memory, RoundMode
from xymac.host.cycles.model import predict
from xymac.host.device.device import MachineDevice
from xymac.host.errors import InputError, Refusal
from xymac.host.lower.linear import written
from xymac.host.lower.registry import find_lowering
from xymac.host.memory.layout import TensorLayout
from xymac.host.plan.plan import Plan
from xymac.host.plan.program.waits import set_waits

NAMES = ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV"]
OUT   = Quantisation((0.5,), (-7,))


def tensor(rng, shape, dtype=np.int8, scale=2.0**-4, zero=0):
    """Random Tensor of the whole range of a type."""
    limits = np.iinfo(dtype)
    data   = rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    return Tensor(data, Quantisation((scale,), (zero,)))


def bias_of(*values, dtype=np.int32, scale=2.0**-11):
    return Tensor(np.array(values, dtype), Quantisation((scale,), (0,)))


def matrix(rng, outputs, inputs, *, bias=None, out=OUT, scale=2.0**-7, **options):
    """A FullyConnected with the weights of a Generator."""
    weights = Tensor(rng.integers(-127, 128, (outputs, inputs), np.int8),
                     Quantisation((scale,), (0,)))
    return FullyConnected(weights, bias, out, **options)


def scaled(rng, kind, shape, scales, out=OUT, **options):
    """A convolution without a bias, with one scale or one an output."""
    axis = -1 if len(scales) == 1 else 3 if kind is DepthwiseConv2d else 0
    return kind(Tensor(rng.integers(-127, 128, shape, np.int8),
                       Quantisation(scales, (0,) * len(scales), axis)), None, out, **options)


def predicted(plan):
    return predict(plan.program, plan.config).cycles


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("config", [TINY, BASE, COMPACT], ids=lambda config: config.name)
def test_random_operators(config, name):
    for key in range(6):
        check_model(config, name, key, ALL[name](random_of((key, *name.encode()))))


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
@each_core
def test_many_operators(config, name):
    for key in range(300):
        check_model(config, name, key, ALL[name](random_of((key, *name.encode()))))
        check_model(config, name, key, wild_of(name, key))


def check_model(config, name, key, model):
    """A Model gives golden's output, unless no layer or no passes take it."""
    try:
        assert_model(config, model, *random_inputs(model, key))
    except Refusal as error:
        reason = str(error)
    except InputError as error:
        reason = f"{error} by golden, whose sums may be anything"
    else:
        return
    assert "ums" in reason, (name, key)


def test_a_shape_that_is_an_input_is_not_read():
    """The shape of the output of a transposed convolution may come at run time: no layer takes it.
    """
    model   = ALL["TRANSPOSE_CONV"](random_of(1))
    tensors = (replace(model.tensors[0], data=None), *model.tensors[1:])
    model   = replace(model, tensors=tensors, inputs=(0, *model.inputs))

    assert_model(BASE, model, *random_inputs(model, 1))


@each_size
@pytest.mark.parametrize("exponent", [*range(-31, 4, 5), -1, 0, 1])
def test_every_shift(config, exponent):
    """Ties of both roundings, of either sign: sums are small or far apart."""
    rng   = random_of(exponent + 31)
    shift = 2.0**-11 / 2.0**exponent
    layer = matrix(rng, 7, 6, bias=bias_of(*(rng.integers(-1 << 18, 1 << 18, 6)), -1 << 30),
                   out=Quantisation((float(np.float32(shift * 0.8)),), (3,)))
    x     = tensor(rng, (9, 6), zero=127)
    if exponent > 0:
        layer = replace(layer, bias=bias_of(*rng.integers(-1 << 18, 1 << 18, 7)))
    assert_equals_golden(config, layer, x)


@each_size
@pytest.mark.parametrize("exponent", [1, 2, 3, 7])
@pytest.mark.parametrize("activation", [Activation.NONE, Activation.RELU6])
def test_sums_that_wrap_behind_a_shift_show_both_ends(config, exponent, activation):
    """Some sums of each channel are shifted beyond 32 bits, others not; weights are of any size."""
    rng   = random_of(exponent)
    scale = 2.0**-11 / 2.0**exponent
    turns = [1 << 31 - exponent, -(1 << 31 - exponent), 3 << 31 - exponent]
    bias  = [turn + int(rng.integers(-999, 999)) for turn in turns
             if abs(turn) < (1 << 31) - (1 << 20)]
    layer = matrix(rng, len(bias) + 4, 6, bias=bias_of(*bias, *rng.integers(-1 << 18, 1 << 18, 4)),
                   out=Quantisation((float(np.float32(scale / 0.8)),), (3,)), activation=activation)
    x     = tensor(rng, (30, 6), zero=-9)
    y     = golden.run(layer, x).output.data
    low, high = y.min(), y.max()
    assert {low, high} == set(y[:, 0]) == set(y[:, 1])
    assert_equals_golden(config, layer, x)


@each_size
@pytest.mark.parametrize("zero", [-128, 127])
@pytest.mark.parametrize("activation", [Activation.NONE, Activation.RELU, Activation.RELU6])
def test_zero_points_at_the_ends(config, zero, activation):
    rng = random_of(zero + 128)
    for padding in Padding:
        layer = scaled(rng, Conv2d, (5, 3, 2, 3), (2.0**-7, 2.0**-20, 0.0, 2.0**-8, 2.0**-6),
                       Quantisation((0.25,), (zero,)), stride=(2, 1), padding=padding,
                       activation=activation)
        assert_equals_golden(config, layer, tensor(rng, (1, 5, 4, 3), zero=zero))


@each_size
@pytest.mark.parametrize(("kind", "shape", "options"), [
    (Conv2d, (6, 1, 1, 5), {}), (Conv2d, (6, 3, 2, 5), {"padding": Padding.SAME}),
    (Conv2d, (5, 2, 2, 5), {"dilation": (2, 2), "padding": Padding.SAME}),
    (DepthwiseConv2d, (1, 3, 3, 5), {"stride": (2, 2), "padding": Padding.SAME}),
    (DepthwiseConv2d, (1, 2, 3, 15), {}), (TransposeConv, (6, 2, 3, 5), {"sizes": (9, 8),
                                                                        "stride": (2, 2)})])
def test_batches_take_the_passes_of_one_image(config, kind, shape, options, monkeypatch):
    """Apart from strips, which take single images alone."""
    rng    = random_of(10)
    layer  = scaled(rng, kind, shape, (2.0**-7,), **options)
    whole, one = (tensor(rng, (count, 4, 4, 5), zero=-9) for count in (3, 1))

    plan = assert_equals_golden(config, layer, whole).plan

    monkeypatch.setattr(written, "strip_forms", lambda *_: ())
    assert len(plan.program) == len(Plan(config, [layer], one).program)


@pytest.mark.parametrize("times", [2, 3, 4, 8])
@each_size
def test_depth_multipliers(config, times):
    """Several outputs of every channel are a convolution of groups; of one channel a plain one."""
    rng = random_of(times)
    for channels in (1, 3, 4):
        layer = scaled(rng, DepthwiseConv2d, (1, 3, 2, times * channels),
                       tuple(2.0**-float(n) for n in rng.integers(5, 9, times * channels)))
        assert_equals_golden(config, layer, tensor(rng, (1, 5, 4, channels), zero=3))


def test_one_channel_is_as_fast_as_a_convolution():
    rng = random_of(11)
    x   = tensor(rng, (1, 20, 20, 1))
    depthwise = scaled(rng, DepthwiseConv2d, (1, 8, 10, 8), (2.0**-7,) * 8)
    conv      = scaled(rng, Conv2d, (8, 8, 10, 1), (2.0**-7,) * 8)

    assert predicted(Plan(BASE, [depthwise], x)) == predicted(Plan(BASE, [conv], x))


@each_size
def test_parameters_of_a_whole_tensor_stand_once(config):
    rng   = random_of(12)
    bias  = bias_of(*rng.integers(-1 << 10, 1 << 10, 70))
    layer = matrix(rng, 70, 9, bias=bias)
    x     = tensor(rng, (1, 9))

    plan  = assert_equals_golden(config, layer, x).plan
    other = Plan(config, [replace(layer, weights=replace(layer.weights, quantisation=Quantisation(
        tuple(2.0**-7 + 2.0**-20 * n for n in range(70)), (0,) * 70, 0)))], x)

    assert plan.program[0].epilogue.once
    assert plan.program[0].epilogue.rounding is RoundMode.TWICE
    assert not other.program[0].epilogue.once
    assert predicted(plan) < predicted(other)


def test_parameters_once_of_channels_in_parts():
    """A lane without a channel among the first ones has one among the next."""
    rng   = random_of(15)
    layer = scaled(rng, DepthwiseConv2d, (1, 2, 2, 30), (2.0**-7,))
    x     = tensor(rng, (1, 3, 4, 30), zero=3)
    lowering  = find_lowering(layer, (x,), BASE.ways)
    source    = TensorLayout.of(x, (0, 1, 2, 3), BASE.ways, parts=(3, 26, 1))
    target    = lowering.target_layout((source,)).at(source.rows)
    constants = lowering.constants((source,))
    program   = set_waits(lowering.passes((source,), target, constants), BASE)

    with MachineDevice(BASE) as device:
        device.write_cells(Memory.X, 0, source.cells(x.data))
        device.write_cells(Memory.Y, 0, constants.cells)
        device.load_program(program)
        device.run().check()
        cells = device.read_cells(Memory.X, target.row * target.row_cells,
                                  target.rows * target.row_cells)

    assert all(pass_.epilogue.once for pass_ in program)
    np.testing.assert_array_equal(target.data(cells), golden.run(layer, x).output.data)


def test_an_autoencoder_is_fast():
    """The sizes of that of MLPerf Tiny: 264,192 products, 4,128 cycles of a full array."""
    rng, sizes = random_of(13), [640, *[128] * 4, 8, *[128] * 4, 640]
    layers = [matrix(rng, outputs, inputs, bias=bias_of(*[5] * outputs), out=Quantisation(
        (2.0**-4,), (-128,)), activation=Activation.RELU)
        for inputs, outputs in pairwise(sizes)]

    assert predicted(Plan(BASE, layers, tensor(rng, (1, 640)))) < 5050
