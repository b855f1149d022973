# SPDX-License-Identifier: Apache-2.0
"""Convolutions of groups of channels as passes: against the golden kernel, how fast, and how much
they store."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden
from tests.support.seed import random_of
from tests.support.sizes import each_size
from xymac import golden
from xymac.golden import mli2, tflm
from xymac.golden.mli2 import Affine, Element, Fixed, QuantTensor
from xymac.golden.tflm import Padding, Quantisation
from xymac.hdl.config import BASE, SIZES, SMALL
from xymac.hdl.isa import Op
from xymac.host.cycles.ideal import ideal_cycles
from xymac.host.cycles.model import predict
from xymac.host.device.device import MachineDevice
from xymac.host.plan.plan import Plan
from xymac.host.plan.run import run_layer
from xymac.sim.benchmarks.quantised import affine_conv

from .test_tflm import scaled, tensor


def assert_in_order(config, layer, x):
    """The same as ``assert_equals_golden`` with the output in the order of the user's array."""
    with MachineDevice(config) as device:
        run = run_layer(device, layer, x, c_order=True)
    assert run.output == golden.run(layer, x).output
    return run


def group_conv(kernel, held, outputs, groups, seed=0, size=(5, 6), **options):
    """A convolution in so many ``groups`` of ``held`` channels and ``outputs``, and its input."""
    layer, x = affine_conv(mli2.GroupConv2d, (*kernel, held, outputs * groups),
                           (*size, held * groups), random_of(seed))
    return replace(layer, **{"pad": (0,) * 4} | options), x


@pytest.mark.parametrize(("held", "outputs"), [*product([1, 2, 3, 5, 8], [1, 2, 3, 4, 20])])
def test_any_groups_equal_golden(held, outputs):
    """Of few groups and many, on every size; odd ones lie across groups of elements."""
    for groups, (seed, config) in product((2, 5), enumerate(SIZES.values())):
        assert_equals_golden(config, *group_conv((2, 1), held, outputs, groups, seed))


@pytest.mark.parametrize("options", [
    {"pad": (2, 1, 1, 0)}, {"stride": (2, 1), "pad": (0, 2, 1, 1)},
    {"pad": (3, 2, 1, 2), "dilation": (2, 2)}, {"relu": mli2.Relu.GEN}])
@pytest.mark.parametrize("held", [4, 6, 8])
def test_windows_equal_golden(held, options):
    for seed, config in enumerate(SIZES.values()):
        assert_equals_golden(config, *group_conv((3, 3), held, held, 4, seed, **options))


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("held", [3, 8])
def test_fixed_point_equals_golden(bits, held):
    rng = random_of(bits)
    limit, kind = 1 << bits - 1, {8: Element.FX_8, 16: Element.FX_16}[bits]
    weights, bias, x = (QuantTensor(rng.integers(-peak, peak, shape, f"int{width}"), element,
                                    Fixed(width - 1)) for peak, shape, width, element in (
        (limit, (3, 2, held, 4 * held), bits, kind), (limit, (4 * held,), bits, kind),
        (1 << 15, (5, 4, 4 * held), 16, Element.FX_16)))
    layer = mli2.GroupConv2d(weights, bias, Fixed(13), pad=(1, 1, 0, 1))
    for config in SIZES.values():
        assert_equals_golden(config, layer, x)


@pytest.mark.parametrize(("config", "held", "bound"), [
    (BASE, 4, 1.03), (BASE, 8, 1.02), (BASE, 16, 1.01), (BASE, 32, 1.02),
    (SMALL, 2, 1.03), (SMALL, 4, 1.01), (SMALL, 8, 1.01)])
def test_all_lanes_work_on_inputs_of_their_own(config, held, bound):
    layer, x = affine_conv(mli2.GroupConv2d, (3, 3, held, 64), (16, 16, 64), random_of(held))
    plan     = Plan(config, [layer], x)
    crossed  = any(pass_.accumulate.op is Op.CROSS for pass_ in plan.program)

    assert predict(plan.program, config).cycles <= bound * ideal_cycles(layer, config, x.shape)
    assert crossed == (held < config.lanes)


def test_weights_are_stored_once_and_nothing_else():
    """All of the kernel, and no zero of another group: as many bytes, each as often."""
    layer, x = affine_conv(mli2.GroupConv2d, (3, 3, 8, 64), (16, 16, 64), random_of(1))
    [step]   = Plan(BASE, [layer], x).steps
    stored   = step.values.weights.view(np.int8)

    assert np.array_equal(np.sort(stored), np.sort(layer.weights.data.ravel()))


def test_zero_points_at_the_ends():
    layer, x = group_conv((3, 2), 8, 8, 2, pad=(1, 1, 1, 0))
    for zero in (-128, 127):
        kind = replace(layer.weights.format, zero_point=(zero,) * 16)
        assert_equals_golden(BASE, replace(layer, weights=replace(layer.weights, format=kind)),
                             replace(x, format=Affine(zero, 1 << 14, 14)))


@each_size
@pytest.mark.parametrize("each", [2, 3, 5])
def test_several_outputs_a_channel(config, each):
    """Turn by turn; in the order of the user's array each bank takes the channels of its outputs
    out of a group of its own."""
    for seed, (channels, size, options) in enumerate((
            (16, (7, 7), {"padding": Padding.SAME}), (11, (9, 6), {"stride": (2, 1)}),
            (24, (8, 8), {"padding": Padding.SAME, "dilation": (2, 1)}), (5, (4, 9), {}))):
        rng   = random_of((seed, each))
        dtype = np.int16 if seed == 2 else np.int8
        out   = Quantisation((0.5,), (0 if seed == 2 else -3,))
        layer = scaled(rng, tflm.DepthwiseConv2d, (1, 3, 3, channels * each), (2.0**-7,), out,
                       **options)

        x = tensor(rng, (1 + (seed == 3), *size, channels), dtype, zero=-9 * (seed != 2))
        assert_equals_golden(config, layer, x)
        run = assert_in_order(config, layer, x)

        if seed == 0 and each == 2:
            ops = {pass_.accumulate.op for pass_ in run.plan.program}
            assert (Op.CROSS in ops) == (config.ways > 1)


def test_two_outputs_a_channel_take_a_step_each():
    """A step a tap for all lanes, and four cycles a pixel to move sixteen channels."""
    rng   = random_of(5)
    layer = scaled(rng, tflm.DepthwiseConv2d, (1, 3, 3, 64), (2.0**-7,), padding=Padding.SAME)
    x     = tensor(rng, (1, 12, 12, 32), zero=3)

    plan    = assert_in_order(BASE, layer, x).plan
    crossed = [index for index, pass_ in enumerate(plan.program)
               if pass_.accumulate.op is Op.CROSS]

    # From before the move on; other passes put bytes into the order of a bus.
    ends = predict(plan.program, BASE).passes
    assert 4 * 34**2 < ends[crossed[-1]] - ends[crossed[0] - 2] < 4 * 34**2 + 144 * 8 + 150
