# SPDX-License-Identifier: Apache-2.0
"""PAD as the border of the layer that reads it: no passes, and the same bits."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.lowered import assert_plan
from tests.support.seed import random_of
from tests.support.sizes import each_size
from xymac.golden.tflm import (
    Activation,
    Add,
    AveragePool2d,
    Conv2d,
    DepthwiseConv2d,
    MaxPool2d,
    Pad,
    Padding,
    PadV2,
    Quantisation,
    Tensor,
    TransposeConv,
)
from xymac.hdl.config import BASE, COMPACT, TINY
from xymac.host.plan.graph import Node
from xymac.host.plan.tiling.tiled import TiledPlan

KIND = Quantisation((2.0**-4,), (-5,))


def tensor(rng, shape, dtype=np.int8, kind=KIND):
    limits = np.iinfo(dtype)
    return Tensor(rng.integers(limits.min, limits.max, shape, dtype, endpoint=True), kind)


def weights(rng, shape):
    return Tensor(rng.integers(-127, 128, shape, np.int8), Quantisation((2.0**-8,), (0,)))


def pad(top, bottom, left, right, before=0, behind=0, out=KIND):
    return Pad(((0, 0), (top, bottom), (left, right), (before, behind)), out)


def reader(kind, rng, channels, **options):
    """A layer for images of so many channels."""
    kernels = {"conv": (6, 3, 2, channels), "grouped": (4, 3, 3, channels // 2),
               "depthwise": (1, 3, 3, channels)}
    if kind in ("maxima", "means"):
        return {"maxima": MaxPool2d, "means": AveragePool2d}[kind]((3, 3), KIND, **options)
    make = DepthwiseConv2d if kind == "depthwise" else Conv2d
    return make(weights(rng, kernels[kind]), None, KIND, **options)


def folds(plan, count=1):
    """Whether the first ``count`` layers are borders, which no pass makes."""
    assert all(step.folded == (not step.passes) for step in plan.steps)
    return [step.folded for step in plan.steps[:count]] == [True] * count


@each_size
@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize("kind", ["conv", "grouped", "depthwise"])
def test_sums_take_the_padding_as_their_border(config, kind, dtype):
    """Of any width, less than the kernel; the layer has a border of its own, or strides."""
    rng  = random_of(3)
    zero = Quantisation((2.0**-4,), (-5 if dtype is np.int8 else 0,))
    x    = tensor(rng, (2, 5, 4, 4), dtype, zero)
    for sides, options in (((1, 1, 1, 1), {}), ((0, 2, 1, 0), {"stride": (2, 2)}),
                           ((1, 0, 0, 0), {"padding": Padding.SAME}),
                           ((1, 2, 1, 1), {"dilation": (1, 2)})):
        layer = replace(reader(kind, rng, 4, **options), out=zero)

        assert folds(assert_plan(config, [pad(*sides, out=zero), layer], x))


@each_size
@pytest.mark.parametrize(("value", "activation", "folded"), [
    (-128, Activation.NONE, True), (-127, Activation.NONE, False), (-5, Activation.RELU, True),
    (-4, Activation.RELU, False), (-40, Activation.RELU6, True)])
def test_maxima_take_what_no_output_is_less_than(config, value, activation, folded):
    layer = replace(reader("maxima", random_of(1), 5), stride=(2, 1), activation=activation)
    x     = tensor(random_of(2), (1, 6, 5, 5))

    plan = assert_plan(config, [PadV2(pad(1, 0, 2, 1).pads, KIND, value), layer], x)

    assert folds(plan) == folded


@each_size
@pytest.mark.parametrize("value", [-128, -5, 0, 3, 127])
def test_means_count_the_padding(config, value):
    """Whatever its value, halves on both sides of zero; the pool may have padding of its own."""
    rng = random_of(8)
    for sides, kernel, options in (
            ((1, 1, 1, 1), (3, 3), {}), ((0, 2, 1, 0), (4, 2), {"stride": (2, 2)}),
            ((1, 0, 0, 1), (2, 2), {"padding": Padding.SAME, "stride": (3, 2)}),
            ((1, 1, 2, 2), (5, 5), {"padding": Padding.SAME})):
        layer = AveragePool2d(kernel, KIND, **options)
        for channels in (1, 5):
            x = tensor(rng, (2, 6, 5, channels))
            x = replace(x, data=x.data // (1 if channels > 1 else 40))

            assert folds(assert_plan(config, [PadV2(pad(*sides).pads, KIND, value), layer], x))


@each_size
@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_transposed_convolutions_begin_earlier(config, dtype):
    """Some outputs meet nothing but the padding: they are the bias."""
    rng  = random_of(9)
    zero = Quantisation((2.0**-4,), (-5 if dtype is np.int8 else 0,))
    bias = Tensor(rng.integers(-99, 99, 3, np.int32 if dtype is np.int8 else np.int64))
    for sides, stride, sizes, padding in (
            ((1, 1, 1, 1), (2, 2), (14, 12), Padding.SAME), ((3, 0, 0, 2), (1, 3), (8, 19), 1),
            ((2, 1, 1, 0), (3, 1), (24, 7), Padding.VALID)):
        layer = TransposeConv(weights(rng, (3, 3, 2, 6)), bias, zero, stride=stride,
                              padding=Padding(padding), sizes=sizes)

        plan = assert_plan(config, [pad(*sides, 1, 2, out=zero), layer],
                           tensor(rng, (1, 4, 5, 3), dtype, zero))

        assert folds(plan)


@each_size
def test_padded_channels_have_no_weights(config):
    """Those of a convolution; a depthwise one makes something of each."""
    rng = random_of(4)
    for kind, folded in (("conv", True), ("grouped", False), ("depthwise", False)):
        plan = assert_plan(config, [pad(1, 1, 0, 1, 3, 2), reader(kind, rng, 10)],
                           tensor(rng, (1, 4, 5, 5)))

        assert plan.steps[0].folded == folded


@pytest.mark.parametrize(("layers", "count"), [
    ([pad(3, 0, 0, 0), "conv"], 0),                       # a window lies on it alone
    ([PadV2(pad(1, 1, 1, 1).pads, KIND, -4), "conv"], 0),  # not what stands for 0
    ([Pad(((1, 0), (1, 1), (0, 0), (0, 0)), KIND), "conv"], 0),
    ([pad(1, 1, 1, 1), AveragePool2d((2, 2), KIND)], 1),  # it counts
    ([pad(1, 1, 1, 1), AveragePool2d((1, 1), KIND)], 0),  # a window lies on it alone
    ([PadV2(pad(1, 1, 1, 1).pads, KIND, 3), pad(0, 0, 1, 0), AveragePool2d((3, 3), KIND)], -1),
    ([pad(1, 1, 1, 1), Add(KIND)], 0),
    ([pad(1, 0, 0, 0), pad(0, 1, 0, 1), "conv"], 2),
    ([PadV2(pad(1, 0, 0, 0).pads, KIND, 3), pad(0, 1, 0, 1), "conv"], -1)])
def test_what_is_a_border(layers, count):
    """The elements in front are those of the last one: a PAD of PADs is one, too."""
    rng    = random_of(5)
    layers = [reader(layer, rng, 4) if isinstance(layer, str) else layer for layer in layers]
    nodes  = [Node(layer, (index,) * (layer.inputs or 1)) for index, layer in enumerate(layers)]

    plan = assert_plan(TINY, nodes, tensor(rng, (1, 5, 4, 4)))

    if count < 0:
        assert [step.folded for step in plan.steps] == [False, True, False]
    else:
        assert folds(plan, count)
        assert not any(step.folded for step in plan.steps[count:])


def test_a_padding_stays_for_those_who_need_it():
    """Each reader that can has it as its border; scale and zero point are those of PAD's output."""
    rng   = random_of(6)
    other = Quantisation((2.0**-5,), (-5,))
    conv  = reader("conv", rng, 4)
    nodes = [Node(pad(1, 1, 1, 1, out=other), (0,)), Node(conv, (1,)), Node(Add(KIND), (1, 1)),
             Node(conv, (1,))]
    x     = tensor(rng, (1, 5, 4, 4))

    assert not assert_plan(BASE, nodes, x).steps[0].folded
    plan = assert_plan(BASE, [nodes[0], nodes[1], nodes[3]], x)
    assert [len(step.passes) for step in plan.steps] == [0, 1, 1]
    assert not assert_plan(BASE, nodes[:2], x, keep=True).steps[0].folded
    assert not assert_plan(BASE, nodes[:2], x, keep=frozenset({0})).steps[0].folded


@pytest.mark.parametrize("kind", ["conv", "depthwise", "maxima", "means"])
def test_borders_of_images_that_are_cut(kind):
    """The layer is cut into bands with what is padding of each, and parts may begin with a PAD."""
    rng   = random_of(7)
    out   = Quantisation((2.0**-4,), (-128,))
    layer = replace(reader(kind, rng, 8, stride=(2, 2)), out=out)
    more  = replace(reader(kind, rng, layer.output_shape((1, 65, 61, 8))[3]), out=out)
    nodes = [pad(0, 1, 1, 0, out=out), layer, pad(1, 1, 0, 1, out=out), more]

    plan = assert_plan(TINY, nodes, tensor(rng, (1, 64, 60, 8), kind=out))

    assert isinstance(plan, TiledPlan)
    assert [step.folded for step in plan.steps] == [True, False, True, False]


@pytest.mark.parametrize("kind", [AveragePool2d, MaxPool2d])
def test_pools_with_padding_are_cut_into_rows(kind):
    layer = kind((3, 3), KIND, (2, 1), Padding.SAME)

    plan = assert_plan(TINY, [layer], tensor(random_of(8), (1, 70, 60, 12)))

    assert plan.steps[0].tiles > 3


def test_compact():
    rng  = random_of(10)
    plan = assert_plan(COMPACT, [pad(1, 1, 1, 0), reader("conv", rng, 4)],
                       tensor(rng, (1, 5, 4, 4)))

    assert folds(plan)
