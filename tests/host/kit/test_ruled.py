"""Devices that differ by a rule that they are meant to have."""

import numpy as np

from host.kit.case import Case
from host.kit.device.adapter import Supports
from host.kit.explain import explain
from host.kit.model import run
from host.kit.rounding import Limit, Rounding
from host.kit.rule import Rule, Zero
from host.kit.ruled import under
from host.kit.stimuli.generate import generate

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
