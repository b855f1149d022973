# SPDX-License-Identifier: Apache-2.0
"""Layers without weights three ways, and graphs: golden kernels, golden machine and RTL."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.host.lower.activation.test_mli1 import activations
from tests.host.lower.binary.test_mli1 import eltwises
from tests.host.lower.pool.test_mli1 import pools
from tests.host.lower.recurrent.test_mli1 import cells
from tests.host.lower.softmax.test_mli1 import softmaxes
from tests.host.lower.test_move import moves
from tests.host.plan.test_graph import golden_results, graphs
from tests.support.lowered import assert_equals_golden, noise, tensors
from tests.support.rtl_device import assert_counters, assert_predicted
from tests.support.seed import SEED, examples, random_of
from tests.support.sizes import TRIED, between
from xymac.golden.mli1 import BasicRnnCell, LeakyRelu, LstmCell, Tensor
from xymac.hdl.config import SIZES
from xymac.host.plan.plan import Plan
from xymac.host.plan.run import run_layer
from xymac.host.vectors.check import check_cases, open_evaluator
from xymac.host.vectors.files import read_cases

sizes    = st.sampled_from(TRIED)
SETTINGS = {"derandomize": SEED.is_default, "deadline": None, "database": None}


def assert_equal(device, layer, *inputs):
    """Same output, overflow and new state three ways; the RTL's counters add up. Returns the run in
    RTL."""
    expected = assert_equals_golden(device.config, layer, *inputs)
    actual   = run_layer(device, layer, *inputs)

    assert actual.output == expected.output, layer
    assert actual.overflow == expected.overflow, layer
    assert actual.cell == expected.cell, layer
    assert_counters(actual.result)
    return actual


def assert_three_ways(device, layer, *inputs):
    """The same, and the RTL's counters are as predicted."""
    actual = assert_equal(device, layer, *inputs)
    assert_predicted(actual.result, actual.plan.segments, device.config)


@settings(max_examples=examples(150), **SETTINGS)
@given(sizes, st.one_of(activations(), eltwises()))
def test_elementwise(rtl, size, call):
    assert_three_ways(rtl(size), *call)


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize("documented", [False, True])
def test_leaky_relu_with_15_fractional_bits(dtype, documented, rtl):
    x     = noise(random_of(2), (40,), dtype, 9)
    slope = Tensor(np.array([np.iinfo(dtype).max // 3], dtype), 15)

    assert_three_ways(rtl("tiny"), LeakyRelu(slope, documented), x)


@settings(max_examples=examples(100), **SETTINGS)
@given(sizes, softmaxes, tensors())
def test_softmax(rtl, size, layer, x):
    assert_three_ways(rtl(size), layer, x)


@settings(max_examples=examples(100), **SETTINGS)
@given(sizes, pools(kernel_max=3))
def test_pools(rtl, size, call):
    assert_three_ways(rtl(size), *call)


@settings(max_examples=examples(100), **SETTINGS)
@given(sizes, moves)
def test_moves(rtl, size, call):
    assert_three_ways(rtl(size), *call)


@settings(max_examples=examples(100), **SETTINGS)
@given(sizes, st.sampled_from([BasicRnnCell, LstmCell]), st.data())
def test_recurrent_cells(rtl, size, kind, data):
    fracs = data.draw(st.sampled_from([st.integers(0, 16), st.integers(0, 60)]))
    assert_equal(rtl(size), *data.draw(cells(kind, st.integers(1, 20), fracs)))


@settings(max_examples=examples(30), **SETTINGS)
@given(st.sampled_from([*TRIED[1:]]), graphs(), st.booleans())
def test_graphs_in_one_program(rtl, size, graph, keep):
    nodes, x = graph
    device   = rtl(size)
    plan     = Plan(device.config, nodes, x, keep=keep)
    plan.load(device)

    run = plan.run(device, x)

    for output, result, node in zip(run.outputs, golden_results(nodes, x), nodes, strict=True):
        assert output == (result.output if keep or node is nodes[-1] else None), node
    assert_counters(run.result)
    assert_predicted(run.result, plan.segments, device.config)


@pytest.mark.parametrize(("size", "step"), [("tiny", 11), between("small", 5), ("base", 13)])
def test_vendor_vectors(size, step):
    """Every fifth case on small, of the others fewer; convolutions and matrices have their own."""
    lowered = [case for case in read_cases(Path(__file__).parents[1] / "vectors")
               if case.dialect == "mli-1" and not any(name in case.function for name in (
                   "conv2d", "fully_connected"))]
    with open_evaluator("rtl", SIZES[size]) as evaluate:
        report = check_cases(lowered[::step], evaluate)

    assert report.failed == report.skipped == 0, report.as_json()
    assert report.passed >= len(lowered) // step
