# SPDX-License-Identifier: Apache-2.0
"""Convolutions and pools of few channels on strips of the image: the same results in all libraries,
never later than pixel by pixel."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden, assert_plan, noise
from tests.support.rtl_device import fill
from tests.support.seed import random_of
from tests.support.sizes import between
from xymac import golden
from xymac.golden import mli1
from xymac.golden.tflm import (
    AveragePool2d,
    Conv2d,
    DepthwiseConv2d,
    MaxPool2d,
    Pad,
    Padding,
    Reshape,
)
from xymac.hdl.config import BASE, SMALL
from xymac.hdl.isa import Op
from xymac.host.cycles.ideal import ideal_cycles
from xymac.host.device.device import MachineDevice
from xymac.host.lower.linear import written
from xymac.host.lower.pool import passes as pool
from xymac.host.memory.strips import StripLayout
from xymac.host.plan.graph import Node
from xymac.host.plan.plan import Plan

from .test_side import DIALECTS, layer_of
from .test_tflm import matrix, predicted, scaled, tensor

SIZES = pytest.mark.parametrize("config", [between(SMALL), BASE],
                                ids=lambda config: config.name)


def plain_cycles(monkeypatch, config, layer, x):
    """Cycles of a layer without strips and without windows of four pixels."""
    with monkeypatch.context() as patch:
        patch.setattr(written, "quad_forms", lambda *_: ())
        patch.setattr(written, "strip_forms", lambda *_: ())
        patch.setattr(pool, "strip_forms", lambda *_: ())
        return predicted(Plan(config, [layer], x))


def strips_of(plan):
    return isinstance(plan.source, StripLayout)


@pytest.mark.parametrize("dialect", DIALECTS)
@SIZES
def test_convolutions_equal_golden_and_are_never_later(config, dialect, monkeypatch):
    rng   = random_of([*dialect.encode()])
    taken = 0
    for _ in range(7):
        channels, outputs = rng.choice([1, 2, 3, 4, 6, 8, 12], 2).tolist()
        outputs = 4 * -(-outputs // 4) if dialect == "xs3" else outputs
        kernel, stride = rng.integers(1, 5, 2).tolist(), rng.integers(1, 3, 2).tolist()
        size     = rng.integers(17, 40), rng.integers(9, 30)
        layer, x = layer_of(dialect, rng, size, channels, outputs, kernel=tuple(kernel),
                            stride=tuple(stride), padding=Padding(int(rng.integers(2))))
        if dialect == "tflm":
            x = replace(x, data=x.data[:1])

        run = assert_equals_golden(config, layer, x)

        taken += strips_of(run.plan)
        assert predicted(run.plan) <= plain_cycles(monkeypatch, config, layer, x) + 10 * len(
            run.plan.program)
    assert taken or config is SMALL


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@SIZES
def test_dilated_and_one_to_one(config, dtype):
    """One channel to one output has a strip for every lane; dilated windows, and int16."""
    rng = random_of(4)
    out = {"out": golden.tflm.Quantisation((0.5,), (0,))} if dtype is np.int16 else {}
    for outputs, channels, kernel, options in (
            (1, 1, (3, 3), {}), (1, 1, (5, 4), {}),
            (6, 4, (3, 3), {"dilation": (2, 1)}), (4, 4, (3, 2), {"dilation": (3, 2)}),
            (4, 4, (2, 3), {"stride": (3, 1)})):
        layer = scaled(rng, Conv2d, (outputs, *kernel, channels), (2.0**-7,),
                       padding=Padding.SAME, **options, **out)
        zero  = 7 if dtype is np.int8 else 0
        plan  = assert_equals_golden(
            config, layer, tensor(rng, (1, 37, 23, channels), dtype, zero=zero)).plan
        # This layer's strips save 138 cycles, and the host writes 161 cycles more for them.
        writes_more = config.ways == 2 and dtype is np.int16 and "stride" in options
        assert strips_of(plan) != writes_more


@pytest.mark.parametrize(("kind", "channels", "outputs", "kernel", "stride", "most"), [
    (Conv2d, 4, 4, 3, 1, 1.1), (Conv2d, 4, 8, 3, 1, 1.1), (Conv2d, 8, 8, 3, 1, 1.1),
    (Conv2d, 8, 12, 3, 1, 1.15), (Conv2d, 16, 8, 1, 1, 1.1), (Conv2d, 8, 4, 3, 2, 1.35),
    (Conv2d, 1, 12, 5, 3, 1.3), (Conv2d, 4, 16, 3, 1, 1.1), (Conv2d, 16, 4, 3, 1, 1.1),
    (DepthwiseConv2d, 1, 1, 3, 1, 1.2), (DepthwiseConv2d, 4, 4, 3, 1, 1.1),
    (MaxPool2d, 1, 1, 2, 2, 2.0), (MaxPool2d, 4, 4, 2, 2, 1.3), (MaxPool2d, 1, 1, 3, 2, 1.9),
    (AveragePool2d, 4, 4, 2, 2, 1.3), (AveragePool2d, 1, 1, 2, 2, 2.0)])
def test_few_channels_use_all_lanes(kind, channels, outputs, kernel, stride, most):
    """Cycles over the ideal ones, on base."""
    rng = random_of((channels, outputs))
    x   = tensor(rng, (1, 48, 48, channels), zero=-9)
    if kind in (MaxPool2d, AveragePool2d):
        layer = kind((kernel,) * 2, x.quantisation, (stride,) * 2)
    else:
        shape = ((outputs, kernel, kernel, channels) if kind is Conv2d
                 else (1, kernel, kernel, channels))
        layer = scaled(rng, kind, shape, (2.0**-7,), stride=(stride,) * 2, padding=Padding.SAME)

    plan = assert_equals_golden(BASE, layer, x).plan

    assert predicted(plan) <= most * ideal_cycles(layer, BASE, x.shape)


@pytest.mark.parametrize("kind", [mli1.MaxPool, mli1.AvePool, MaxPool2d, AveragePool2d])
@SIZES
def test_pools_equal_golden_and_are_never_later(config, kind, monkeypatch):
    rng   = random_of([*kind.__name__.encode()])
    taken = 0
    for _ in range(8):
        channels, kernel, stride = (int(rng.integers(1, most)) for most in (13, 4, 4))
        size = int(rng.integers(17, 40)), int(rng.integers(9, 30))
        if kind in (MaxPool2d, AveragePool2d):
            x     = tensor(rng, (1, *size, channels), zero=-9)
            layer = kind((kernel, 2), x.quantisation, (stride, 2),
                         padding=Padding(int(rng.integers(2))))
        else:
            x     = noise(rng, (*size, channels), np.int16, 7)
            pad   = tuple(rng.integers(0, kernel, 2).tolist())
            layer = kind((kernel, 2), (stride, 2), (*pad, 0, 0), layout=mli1.Layout.HWC)

        run = assert_equals_golden(config, layer, x)

        taken += strips_of(run.plan)
        assert predicted(run.plan) <= plain_cycles(monkeypatch, config, layer, x) + 10 * len(
            run.plan.program)
    assert taken


def test_layers_that_follow_take_strips_as_they_are():
    """A convolution, a pool, a convolution of single pixels, a matrix: no element moves."""
    rng    = random_of(5)
    conv   = scaled(rng, Conv2d, (4, 3, 3, 4), (2.0**-7,), padding=Padding.SAME)
    layers = [conv, MaxPool2d((2, 2), conv.out, (2, 2)),
              scaled(rng, Conv2d, (8, 1, 1, 4), (2.0**-7,)), Reshape((1, 13 * 10 * 8)),
              matrix(rng, 5, 13 * 10 * 8)]

    plan = assert_plan(BASE, layers, tensor(rng, (1, 27, 20, 4), zero=5), keep=True)

    assert strips_of(plan)
    assert all(isinstance(step.target, StripLayout) for step in plan.steps[:3])
    assert not any(step.moved for step in plan.steps)


@pytest.mark.parametrize(("size", "dtype"), [((29, 20), np.int8), ((45, 17), np.int8),
                                             ((22, 20), np.int16)])
def test_strips_become_pixels_where_a_layer_takes_none(size, dtype, monkeypatch):
    """Windows of several rows are not within a strip; a second reader takes pixels as well."""
    rng   = random_of(size)
    zero  = 5 if dtype is np.int8 else 0
    out   = {} if dtype is np.int8 else {"out": golden.tflm.Quantisation((0.5,), (0,))}
    first, second, third = (scaled(rng, Conv2d, (*shape, 4), (2.0**-7,), padding=Padding.SAME,
                                   **out) for shape in ((6, 3, 3), (4, 2, 2), (5, 1, 1)))
    second = replace(second, weights=replace(second.weights, data=rng.integers(
        -127, 128, (4, 2, 2, 6), np.int8)))
    third  = replace(third, weights=replace(third.weights, data=rng.integers(
        -127, 128, (5, 1, 1, 6), np.int8)))
    pool_of = MaxPool2d((2, 2), first.out, (2, 2))
    nodes  = [Node(first, (0,)), Node(pool_of, (1,)), Node(second, (2,)), Node(third, (1,))]
    x      = tensor(rng, (1, *size, 4), dtype, zero=zero)

    plan = assert_plan(BASE, nodes, x, keep=True)

    assert strips_of(plan)
    assert [bool(step.moved) for step in plan.steps] == [False, False, True, False]
    assert predicted(plan) < _without_strips(monkeypatch, nodes, x)


def _without_strips(monkeypatch, nodes, x):
    with monkeypatch.context() as patch:
        patch.setattr(written, "strip_forms", lambda *_: ())
        return predicted(Plan(BASE, nodes, x))


@pytest.mark.parametrize(("channels", "size", "kernels", "zero"), [
    (4, (49, 21), (3, 3), 5), (4, (64, 15), (3, 5), -128), (5, (33, 12), (3, 2), 99),
    (8, (40, 18), (1, 3), -7), (4, (56, 10), (3, 4), 0)])
def test_strips_get_the_rows_of_others(channels, size, kernels, zero):
    """Windows reach beyond strips: rows of others and padding come next to what is there."""
    rng    = random_of((*size, *kernels))
    out    = golden.tflm.Quantisation((0.5,), (zero,))
    layers = [scaled(rng, Conv2d, (4, kernels[0], kernels[0], channels), (2.0**-7,), out,
                     padding=Padding.SAME),
              scaled(rng, Conv2d, (4, kernels[1], 3, 4), (2.0**-7,), out, padding=Padding.SAME),
              scaled(rng, DepthwiseConv2d, (1, 3, 3, 4), (2.0**-7,), out, padding=Padding.SAME,
                     stride=(2, 2)), MaxPool2d((3, 3), out, (1, 1), padding=Padding.SAME)]

    plan = assert_plan(BASE, layers, tensor(rng, (1, *size, channels), zero=5), keep=True)

    assert strips_of(plan)
    assert sum(isinstance(step.target, StripLayout) for step in plan.steps) >= 2
    assert plan.steps[1].moved


def test_no_strips_where_becoming_pixels_takes_longer(monkeypatch):
    rng    = random_of(6)
    first  = scaled(rng, Conv2d, (12, 1, 1, 8), (2.0**-7,), padding=Padding.SAME)
    layers = [first, Pad(((0, 0), (1, 1), (1, 1), (0, 0)), first.out)]
    x      = tensor(rng, (1, 24, 20, 8), zero=5)

    plan = assert_plan(BASE, layers, x)

    assert not strips_of(plan)
    assert predicted(plan) == _without_strips(monkeypatch, layers, x)


def test_outputs_in_strips_are_those_of_a_driver():
    """Elements of the output lie in strips: a plan that is run again, and in the user's order."""
    rng   = random_of(7)
    layer = scaled(rng, Conv2d, (4, 3, 3, 4), (2.0**-7,), padding=Padding.SAME)
    x     = tensor(rng, (1, 30, 21, 4), zero=5)
    plan  = Plan(BASE, [layer], x)

    with MachineDevice(BASE) as device:
        fill(device, seed=3)
        plan.load(device)
        for _ in range(2):
            assert plan.run(device, x).output == golden.run(layer, x).output

    assert isinstance(plan.target, StripLayout)
    assert any(pass_.accumulate.op is Op.CROSS for pass_ in plan.program)
    assert not isinstance(Plan(BASE, [layer], x, c_order=True).target, StripLayout)
