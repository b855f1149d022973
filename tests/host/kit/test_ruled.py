# SPDX-License-Identifier: Apache-2.0
"""Devices that differ by a rule that they are meant to have."""

import numpy as np
import pytest

from xymac.host.errors import InputError
from xymac.host.kit.case import Case
from xymac.host.kit.device.adapter import Adapter, Supports
from xymac.host.kit.device.answer import take_answer
from xymac.host.kit.explain import explain
from xymac.host.kit.report.outcome import judge
from xymac.host.kit.rounding import Limit, Rounding
from xymac.host.kit.rule import Rule, Zero
from xymac.host.kit.ruled import run, under
from xymac.host.kit.stimuli.generate import generate
from xymac.host.kit.stimuli.tasks import list_tasks

RULE = Rule(last=Rounding.UP, out=Limit.SYMMETRIC)


def test_a_device_that_has_its_rule_is_equal():
    cases   = generate(Supports("requantise", "tflm", "int8"), 40).cases
    results = [run(RULE, case) for case in cases]

    verdict = explain(under(RULE, cases), results)

    assert verdict.equal
    assert not explain(cases, results).equal
    assert verdict.sentence == (
        f"all {verdict.outputs:,} outputs are those of tflite-micro which rounds half up, clips to "
        f"plus or minus the highest output")


def test_another_difference_is_named_beside_it():
    cases   = generate(Supports("requantise", "tflm", "int8"), 40).cases
    results = [run(RULE | Rule(zero=Zero.CLIPPED), case) for case in cases]

    verdict = explain(under(RULE, cases), results)

    assert verdict.rule == RULE | Rule(zero=Zero.CLIPPED)
    assert verdict.wrong < explain(cases, results).wrong


def test_cases_without_a_model_stay_as_they_are():
    case = Case("relu", "tflm", "relu 0", object(), (np.zeros(1),))
    assert under(RULE, [case]) == [case]


class Rounder(Adapter):
    """A requantiser that rounds as it is meant to, or as it is told."""

    supports = (Supports("requantise", "tflm", "int8"),)
    rule     = RULE
    does     = RULE

    def requantise(self, case):
        """What the model gives under a rule."""
        return run(self.does, case)


@pytest.mark.parametrize(("does", "sentence"), [
    (RULE, ""),
    (Rule(last=Rounding.UP), (" % of outputs are 1 below tflite-micro which rounds half up, clips "
                              "to plus or minus the highest output"))])
def test_the_rule_of_an_adapter(does, sentence):
    device = Rounder()
    device.does = does

    tasks    = list_tasks(device, count=20)
    outcomes = [judge(task, [take_answer(case, device.requantise(case)) for case in task.cases])
                for task in tasks]

    assert outcomes
    for outcome in outcomes:
        assert outcome.passed is not sentence.startswith(" %")
        assert outcome.sentence.endswith(sentence)


def test_what_is_no_rule():
    device = Rounder()
    device.rule = "half up"
    with pytest.raises(InputError, match=r"Rounder\.rule must be a Rule, not 'half up'"):
        device.check()
