# SPDX-License-Identifier: Apache-2.0
"""Layers three ways: golden kernels, golden machine and RTL; and what they cost."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.host.lower.linear.test_mli1 import TYPES, convolutions, dense
from tests.support.lowered import noise
from tests.support.rtl_device import assert_counters, assert_predicted
from tests.support.seed import SEED, examples, random_of
from tests.support.sizes import TRIED, between, each_name
from xymac import golden
from xymac.golden.mli1 import Conv2d, DepthwiseConv2d, FullyConnected, Relu, Tensor
from xymac.hdl.config import SIZES
from xymac.hdl.isa import ROUNDINGS
from xymac.host.cycles.model import predict
from xymac.host.device.device import MachineDevice
from xymac.host.plan.plan import Plan
from xymac.host.plan.run import run_layer
from xymac.host.vectors.check import check_cases, open_evaluator
from xymac.host.vectors.files import read_cases

VECTORS = Path(__file__).parents[1] / "vectors"
sizes   = st.sampled_from(TRIED)
SETTINGS = {"derandomize": SEED.is_default, "deadline": None, "database": None}


def assert_three_ways(device, layer, x):
    """Same output and overflow; the RTL's counters add up and are as predicted."""
    expected = golden.run(layer, x)
    with MachineDevice(device.config) as machine:
        middle = run_layer(machine, layer, x)
    actual = run_layer(device, layer, x)

    for run, who in ((middle, "machine"), (actual, "RTL")):
        assert run.output == expected.output, f"{who}: {layer}"
        assert run.overflow == expected.overflow, f"{who}: {layer}"
    assert_counters(actual.result)
    assert_predicted(actual.result, actual.plan.segments, device.config)


@settings(max_examples=examples(150), **SETTINGS)
@given(sizes, convolutions(Conv2d))
def test_conv2d(rtl, size, call):
    assume(call[0].weights.data.nbytes < SIZES[size].y_bytes // 2)
    assert_three_ways(rtl(size), *call)


@settings(max_examples=examples(100), **SETTINGS)
@given(sizes, convolutions(DepthwiseConv2d))
def test_depthwise(rtl, size, call):
    assert_three_ways(rtl(size), *call)


@settings(max_examples=examples(100), **SETTINGS)
@given(sizes, dense())
def test_fully_connected(rtl, size, call):
    assert_three_ways(rtl(size), *call)


EDGES = {
    "fx8 above": ("fx8", [1], [1], 127, 15), "fx8 below": ("fx8", [1], [-1], -128, 16),
    "fx8w16d above": ("fx8w16d", [1], [1], 127, 16),
    "fx8w16d below": ("fx8w16d", [1], [-1], -128, 16),
    "fx16 above": ("fx16", [-32768, -32768, -1, 1], [-32768, -32768, 1, 1], 255, 15.5),
    "fx16 below": ("fx16", [1], [-1], -256, 15.5)}


@each_name
@pytest.mark.parametrize("extra", [0, 1])
@pytest.mark.parametrize("edge", EDGES)
def test_overflow_at_the_edge(rtl, size, edge, extra):
    """The sum is the last one inside, or with its last product the first one outside."""
    kind, x, weights, bias, frac_bits = EDGES[edge]
    data, constants = TYPES[kind]
    w = np.array([weights], constants)
    w[0, -1] *= extra
    layer = FullyConnected(Tensor(w, int(frac_bits)), Tensor(np.array([bias], constants), 0), 40)
    x = Tensor(np.array(x, data), int(2 * frac_bits) - int(frac_bits))

    assert golden.run(layer, x).overflow == bool(extra)
    assert_three_ways(rtl(size), layer, x)


@pytest.mark.parametrize("out_frac", [0, 9, 30, 31, 47, 255])
@pytest.mark.parametrize("rounding", ROUNDINGS)
def test_every_shift_from_huge_to_negative(rtl, out_frac, rounding):
    """Shifts of 60 - 0, and with an output of more fractional bits than the products, -195."""
    rng   = random_of(out_frac)
    layer = FullyConnected(noise(rng, (5, 40), np.int16, 30), noise(rng, 5, np.int16, 29),
                           out_frac, rounding)
    assert_three_ways(rtl("tiny"), layer, noise(rng, (40,), np.int16, 30))


@st.composite
def networks(draw):
    """Convolution, depthwise, pointwise with a stride, dense, of one type; and an input."""
    data, constants = TYPES[draw(st.sampled_from(list(TYPES)))]
    rng = random_of(draw(st.integers(0, 999)))
    side, inputs, middle, outputs = (draw(st.integers(*limits)) for limits in (
        (3, 6), (1, 9), (1, 21), (1, 18)))
    fracs  = [draw(st.integers(0, 9)) for _ in range(5)]
    common = {"relu": draw(st.sampled_from(Relu)), "rounding": draw(st.sampled_from(ROUNDINGS))}

    def layer(kind, shape, index, **options):
        return kind(noise(rng, shape, constants, 7),
                    noise(rng, shape[0], constants, draw(st.integers(0, 7))), fracs[index],
                    **options)

    stride = draw(st.integers(1, 3))
    last   = -(-side // stride)
    layers = [layer(Conv2d, (middle, inputs, 3, 3), 1, pad=(1, 1, 1, 1), **common),
              layer(DepthwiseConv2d, (middle, 1, 3, 2), 2, pad=(1, 1, 1, 0), **common),
              layer(Conv2d, (outputs, middle, 1, 1), 3, stride=(stride, stride), **common),
              layer(FullyConnected, (draw(st.integers(1, 20)), outputs * last * last), 4)]
    return layers, noise(rng, (inputs, side, side), data, fracs[0])


@settings(max_examples=examples(40), **SETTINGS)
@given(sizes, networks(), st.booleans())
def test_networks_in_one_program(rtl, size, network, keep):
    layers, x = network
    device = rtl(size)
    plan   = Plan(device.config, layers, x, keep=keep)
    plan.load(device)
    expected, value = [], x
    for layer in layers:
        expected.append(golden.run(layer, value))
        value = expected[-1].output

    run = plan.run(device, x)

    for index, (output, result) in enumerate(zip(run.outputs, expected, strict=True)):
        assert output == (result.output if keep or index == 3 else None), layers[index]
    assert run.overflows == tuple(result.overflow for result in expected)
    assert_counters(run.result)
    assert_predicted(run.result, plan.segments, device.config)


@pytest.mark.parametrize(("size", "step"), [("tiny", 5), between("small", 1), ("base", 7)])
def test_vendor_vectors(size, step):
    """On small all cases and variants, on the others every fifth and seventh case."""
    lowered = [case for case in read_cases(VECTORS)
               if "conv2d" in case.function or "fully_connected" in case.function]
    cases = lowered[::step]
    with open_evaluator("rtl", SIZES[size]) as evaluate:
        report = check_cases(cases, evaluate)

    assert report.summary == f"{2 * len(cases)} passed, 0 failed, 0 skipped", report.as_json()


@pytest.mark.parametrize("width", [3, 4, 5])
@pytest.mark.parametrize("outputs", [8, 13, 80])
def test_first_outputs_wait_for_the_output_loops(outputs, width, rtl):
    """Outputs of few steps with a bias each: the cycle model knows when they can begin."""
    rng   = random_of(outputs)
    weights, bias, x = (noise(rng, shape, np.int8, 3)
                        for shape in ((outputs, 1, 1, 2), (outputs,), (1, 1, width)))
    layer = Conv2d(weights, bias, 3, stride=(1, 2), pad=(0, 0, width % 2, 0))
    device = rtl("tiny")
    device.harness.reset()
    run = run_layer(device, layer, x)
    assert abs(predict(run.plan.program, device.config).cycles
               - run.result.counters["cycles"]) <= 1
