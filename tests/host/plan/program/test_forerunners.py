# SPDX-License-Identifier: Apache-2.0
"""Matrices behind one another begin before a wait would end, and their results stay golden's."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from tests.host.lower.linear.test_tflm import matrix, predicted, scaled, tensor
from tests.support.lowered import assert_plan
from tests.support.rtl_device import fill
from tests.support.seed import random_of
from tests.support.sizes import between
from xymac import golden
from xymac.golden.tflm import Conv2d
from xymac.hdl.config import BASE, SMALL, TINY
from xymac.hdl.isa import AccumulatorRange
from xymac.host.plan import assembly
from xymac.host.plan.plan import Plan
from xymac.host.plan.program.forerunners import insert_forerunners

WIDTHS = (64, 128, 128, 24, 96, 48, 48, 130, 7)  #: Elements between the layers of a chain.


def chain(rng, widths):
    """Matrices one behind the other, and an input."""
    layers = [matrix(rng, outputs, inputs)
              for inputs, outputs in pairwise(widths)]
    return layers, tensor(rng, (1, widths[0]), zero=-4)


def without(monkeypatch, *arguments):
    """The Plan of the same layers without forerunners."""
    with monkeypatch.context() as patch:
        patch.setattr(assembly, "insert_forerunners", lambda parts, config: parts)
        return Plan(*arguments)


def runners_of(plan):
    return [pass_ for pass_ in plan.program
            if pass_.accumulate.acc_range is AccumulatorRange.SYMMETRIC32]


@pytest.mark.parametrize("config", [TINY, between(SMALL), BASE], ids=lambda config: config.name)
def test_chains_equal_golden_and_are_never_later(config, monkeypatch):
    rng = random_of(1)
    for _ in range(6):
        layers, x = chain(rng, rng.choice(WIDTHS, 6).tolist())

        plan = assert_plan(config, layers, x)

        assert predicted(plan) <= predicted(without(monkeypatch, config, layers, x))


def test_a_matrix_behind_another_begins_sooner(monkeypatch):
    """Each takes at least 10 cycles less than a wait."""
    layers, x = chain(random_of(2), (128, 128, 128, 128))

    plan = assert_plan(BASE, layers, x)

    plain = without(monkeypatch, BASE, layers, x)
    assert len(runners_of(plan)) == 2
    assert [pass_.control.wait for pass_ in plain.program] == [False, True, True]
    assert not any(pass_.control.wait for pass_ in plan.program)
    assert predicted(plan) <= predicted(plain) - 20
    assert [len(step.passes) for step in plan.steps] == [1, 2, 2]


def test_a_forerunner_reads_a_narrow_input(monkeypatch):
    """Its only vector is less than its results; 12 cycles less than a wait."""
    layers, x = chain(random_of(2), (128, 8, 128, 128))

    plan = assert_plan(BASE, layers, x)

    plain = without(monkeypatch, BASE, layers, x)
    assert [len(step.passes) for step in plan.steps] == [1, 1, 2]
    assert predicted(plan) == predicted(plain) - 12


def test_large_biases_do_not_count_as_overflows():
    """Those of a forerunner are added to what its matrix never adds."""
    rng = random_of(3)
    layers, x = chain(rng, (128, 128, 128))
    bias   = tensor(rng, (128,), np.int32, 2.0**-11)
    layers = [replace(layer, bias=replace(bias, data=np.full(128, sign * ((1 << 31) - 1000000),
                                                             np.int32)))
              for layer, sign in zip(layers, (1, -1), strict=True)]

    assert runners_of(Plan(BASE, layers, x))
    assert_plan(BASE, layers, x)


def test_rtl_equals_golden(rtl):
    rng, device, count = random_of(4), rtl("base"), 0
    for _ in range(4):
        layers, x = chain(rng, rng.choice(WIDTHS, 7).tolist())
        layers.insert(0, scaled(rng, Conv2d, (int(x.shape[1]), 1, 1, 16), (2.0**-7,)))
        plan   = Plan(BASE, layers, tensor(rng, (1, 1, 1, 16)))
        values = [tensor(rng, (1, 1, 1, 16))]
        for layer in layers:
            values.append(golden.run(layer, values[-1]).output)
        fill(device, 5)
        plan.load(device)

        run = plan.run(device, values[0])

        count += len(runners_of(plan))
        assert run.output == values[-1]
        assert run.result.counters["cycles"] == predicted(plan)
    assert count > 4


def test_loops_and_full_programs_stay(monkeypatch):
    layers, x = chain(random_of(5), (128, 128, 128))
    passes    = [replace(pass_, wait=False, last=False)
                 for pass_ in without(monkeypatch, BASE, layers, x).program]
    looped    = [passes[0], replace(passes[1], repeat=3)]

    assert len(insert_forerunners([passes], BASE)[0]) == 3
    assert insert_forerunners([looped], BASE) == [looped]
    assert insert_forerunners([passes * 64], BASE) == [passes * 64]
    assert insert_forerunners([passes[:1], passes[1:]], BASE)[1][1:] == passes[1:]
