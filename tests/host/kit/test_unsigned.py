# SPDX-License-Identifier: Apache-2.0
"""uint8: the arithmetic of int8 with 128 added to what the device sees."""

import numpy as np
import pytest

from xymac.golden.tflm.arithmetic import multiply_quantized
from xymac.host.errors import InputError
from xymac.host.kit.device.adapter import Adapter, Supports
from xymac.host.kit.device.functions import ask_functions
from xymac.host.kit.explain import explain
from xymac.host.kit.facts import facts_of
from xymac.host.kit.libraries import sums_of
from xymac.host.kit.model import run, total
from xymac.host.kit.operations import UNSIGNED
from xymac.host.kit.report.outcome import judge
from xymac.host.kit.rounding import Rounding
from xymac.host.kit.rule import Rule
from xymac.host.kit.stimuli.generate import generate
from xymac.host.kit.stimuli.tasks import list_tasks


def drawn(operation, limits=None, count=30):
    return generate(Supports(operation, "tflm", "uint8", limits or {}), count)


@pytest.mark.parametrize("operation", UNSIGNED)
def test_cases_are_of_the_type(operation):
    cases = drawn(operation).cases

    assert {case.type for case in cases} == {"uint8"}
    assert {case.dtype for case in cases} == {np.dtype(np.uint8)}
    assert {case.expected().dtype for case in cases} == {np.dtype(np.uint8)}
    assert max(int(case.expected().max()) for case in cases) > 200


class Dense(Adapter):
    """Fully connected of TensorFlow Lite before int8, from its formula."""

    supports = (Supports("fully_connected", "tflm", "uint8"),)

    def fully_connected(self, case):
        """Offsets are subtracted, products summed, the sum scaled, its offset added."""
        given = case.operands
        x     = given["x"].astype(np.int64).reshape(-1) - given["x_zero"]
        sums  = (given["weights"].astype(np.int64) - given["weights_zero"]) @ x
        sums  = sums + given.get("bias", 0)
        [multiplier], [shift] = given["multiplier"], given["shift"]
        values = multiply_quantized(sums, multiplier, shift) + given["out_zero"]
        return np.clip(values, given["low"], given["high"]).reshape(case.shape)


def test_a_device_of_the_formula_passes():
    device = Dense()
    [task] = list_tasks(device, 100)

    outcome = judge(task, ask_functions(device, task.cases))

    assert outcome.lines == []
    assert outcome.equal == 100


def test_a_rule_is_named():
    cases   = list(drawn("requantise", count=60).cases)
    verdict = explain(cases, [run(Rule(last=Rounding.FLOOR), case) for case in cases])

    assert verdict.sentence.startswith("cuts the second shift without rounding; ")
    assert verdict.sentence.endswith(
        "all numbers in this sentence are 128 below the device's")


@pytest.mark.parametrize(("rule", "sentence"), [
    (Rule(raw_inputs=True), "ignores the zero point of the inputs; "),
    (Rule(raw_weights=True), "ignores the zero point of the weights; ")])
@pytest.mark.parametrize("operation", ["fully_connected", "depthwise_conv2d"])
def test_zero_points_that_are_ignored(operation, rule, sentence):
    cases   = list(drawn(operation, count=30).cases)
    verdict = explain(cases, [run(rule, case) for case in cases])

    assert verdict.sentence.startswith(sentence)


def test_stored_weights_have_no_zero_point():
    [case]  = drawn("fully_connected", {"channels": (1,), "outputs": (1,), "input": (255,),
                                        "weights": (200,), "bias": ("none",)}, 1).cases
    numbers = sums_of(case, np.array([0]))
    ruled   = numbers.narrowing.under(Rule(raw_weights=True))

    assert (total(ruled, numbers) - total(numbers.narrowing, numbers)
            == 128 * (255 - case.operands["x_zero"])).all()


def test_an_intended_rule_is_expected():
    kind = {"supports": Dense.supports, "rule": Rule(last=Rounding.FLOOR)}
    task = list_tasks(type("Floor", (Adapter,), kind)(), 20)[0]

    assert {case.dtype for case in task.cases} == {np.dtype(np.uint8)}
    assert any((case.expected() != plain.expected()).any() for case, plain in zip(
        task.cases, drawn("fully_connected", count=20).cases, strict=True))


def test_limits_are_in_numbers_of_the_device():
    limits  = {"output_zero": (128, 3), "input_zero": range(100, 140)}
    stimuli = drawn("conv2d", limits)
    facts   = [facts_of(case) for case in stimuli.cases]

    assert {each["output_zero"] for each in facts} == {128, 3}
    assert all(100 <= each["input_zero"] < 140 for each in facts)
    assert 255 in stimuli.left_out["output_zero"]
    assert stimuli.hits["output_zero"].keys() == {128, 3}


def test_other_operations_have_no_uint8():
    with pytest.raises(InputError, match="no cases of softmax in tflm of type uint8"):
        drawn("softmax")


@pytest.mark.parametrize("kind", ["int8", "uint8"])
def test_sums_fit_32_bits_with_the_zero_point_of_the_device(kind):
    cases = generate(Supports("requantise", "tflm", kind, {"shift": (3,)}), 200).cases

    for case in cases:
        given = case.operands
        left  = given["acc"].astype(np.int64) << 3
        assert left.min() + min(given["out_zero"], 0) >= -1 << 31
        assert left.max() + max(given["out_zero"], 0) < 1 << 31
