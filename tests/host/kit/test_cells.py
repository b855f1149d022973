# SPDX-License-Identifier: Apache-2.0
"""Recurrent cells under rules: the library's own is golden, others are sums in Python's ints."""

from dataclasses import replace

import numpy as np
import pytest

from tests.host.kit.test_reach import CELLS
from tests.support.layers import CALLS
from tests.support.seed import random_of
from xymac.golden.tflm.arithmetic import multiply_quantized
from xymac.host.kit.case import Case
from xymac.host.kit.cells import is_cell, run_cell
from xymac.host.kit.device.adapter import Supports
from xymac.host.kit.explain import explain
from xymac.host.kit.rounding import Limit, Rounding
from xymac.host.kit.rule import Rule
from xymac.host.kit.ruled import run, under
from xymac.host.kit.stimuli.generate import generate

SAME = Rule(activation=True)  #: As the library, but computed by the kit.


@pytest.mark.parametrize("kind", [kind[:3] for kind in CELLS], ids=" ".join)
def test_a_cell_as_the_library_is_golden(kind):
    cases = generate(Supports(*kind), 40, seed=int(random_of(911).integers(1 << 16))).cases

    assert all(map(is_cell, cases))
    assert [case.name for case in cases
            if not np.array_equal(run_cell(SAME, case), case.expected())] == []


def test_cells_of_the_libraries():
    cells = [case for wing, calls in CALLS.items() for layer, *inputs in calls
             if is_cell(case := Case("call", wing, type(layer).__name__, layer, tuple(inputs)))]

    assert len(cells) >= 6
    assert all(np.array_equal(run_cell(SAME, case), case.expected()) for case in cells)


def _filters(case, bits):
    """An SVDF whose sums to the state wrap, and the state they give, element by element."""
    layer, [x] = case.layer, case.inputs
    factor = layer.factors(x)[0]
    half   = 1 << bits - 1
    for batch in x.centred.tolist():
        for row in layer.weights_feature.data.tolist():
            total = sum(one * other for one, other in zip(batch, row, strict=True))
            total = (total + half) % (2 * half) - half
            new   = int(multiply_quantized(np.int64(total), *factor))
            limit = 1 << layer.state.bits - 1
            new   = max(-limit, min(limit - 1, new)) + layer.state.scaling.zero_point
            yield (new + limit) % (2 * limit) - limit


@pytest.mark.parametrize("bits", [12, 16])
def test_sums_of_filters_that_wrap(bits):
    cases = generate(Supports("svdf", "tflm", "int8", {"channels": range(1, 40)}), 30).cases
    moved = 0
    for case in cases:
        layer  = case.layer
        wanted = np.array(list(_filters(case, bits))).reshape(len(case.inputs[0].data), -1)
        # A time weight of 1 for the newest state, with 1 as the scale, shows that state.
        memory = np.zeros_like(layer.weights_time.data)
        memory[:, -1] = 1
        shown  = replace(case, layer=replace(
            layer, weights_time=replace(layer.weights_time, data=memory), rank=1,
            bias=replace(layer.bias, data=np.zeros(len(memory), np.int32)),
            out=replace(layer.out, scales=(layer.state.scaling.scale
                                           * layer.weights_time.scaling.scale,),
                        zero_points=(0,))))
        expected = np.clip(wanted - layer.state.scaling.zero_point, -128, 127)
        assert np.array_equal(run_cell(Rule(acc_bits=bits, acc_limit=Limit.WRAP), shown), expected)
        moved += not np.array_equal(shown.expected(), expected)
    assert moved


def test_a_cell_has_the_rule_that_it_is_meant_to_have():
    rule    = Rule(last=Rounding.UP)
    cases   = generate(Supports("rnn", "mli-1", "fx8"), 100).cases
    results = [run(rule, case) for case in cases]

    assert explain(under(rule, cases), results).equal
    verdict = explain(cases, results)
    assert verdict.rule == rule
    assert "rounds half up" in verdict.sentence


def test_a_cell_that_no_rule_explains():
    cases   = generate(Supports("lstm", "mli-1", "fx8"), 8).cases
    rng     = np.random.default_rng(5)
    results = [case.expected() ^ rng.integers(0, 2, case.shape).astype(np.int8) for case in cases]

    verdict = explain(cases, results)

    assert verdict.rule is None
    assert "there are no rules for" not in verdict.sentence
