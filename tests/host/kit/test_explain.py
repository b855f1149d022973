# SPDX-License-Identifier: Apache-2.0
"""Devices that differ by a rule: it is named, with the first element and how it came about."""

import numpy as np
import pytest

from tests.support.seed import SEED, random_of
from xymac.golden import tflm
from xymac.golden.mli1 import FullyConnected, Tensor
from xymac.host.kit.apart import tell_apart
from xymac.host.kit.candidates import DIMENSIONS, singles
from xymac.host.kit.case import Case
from xymac.host.kit.device.adapter import Supports
from xymac.host.kit.explain import explain
from xymac.host.kit.groups import gather
from xymac.host.kit.model import run
from xymac.host.kit.requantise import Requantise
from xymac.host.kit.rounding import Limit, Rounding
from xymac.host.kit.rule import LIBRARY, Rule, When, Zero
from xymac.host.kit.stimuli.generate import generate

OPERATIONS = [("requantise", "tflm", "int8"), ("conv2d", "mli-1", "fx16"),
              ("fully_connected", "mli-2", "sa8"), ("depthwise_conv2d", "xs3", "int8"),
              ("conv2d", "tflm", "int8"), ("average_pool", "tflm", "int8"),
              ("add", "tflm", "int8"), ("sub", "mli-2", "sa8")]


def cases_of(operation, dialect, kind, count=40 if SEED.thorough else 20):
    return list(generate(Supports(operation, dialect, kind), count, seed=1).cases)


def explained(rule, cases):
    """Verdict on a device that differs by ``rule``."""
    return explain(cases, [run(rule, case) for case in cases])


@pytest.mark.parametrize(("rule", "sentence"), [
    (Rule(last=Rounding.FLOOR), "cuts the second shift without rounding"),
    (Rule(last=Rounding.UP), "rounds the second shift half up"),
    (Rule(first=Rounding.FLOOR), "cuts the first shift without rounding"),
    (Rule(once=True, last=Rounding.AWAY), "rounds once, half away from zero, after one shift"),
    (Rule(once=True, last=Rounding.CONVERGENT), "rounds once, half to even, after one shift"),
    (Rule(zero=Zero.CLIPPED), "saturates before it adds the zero point"),
    (Rule(zero=Zero.UNROUNDED), "adds the zero point before it rounds"),
    (Rule(multiplier_bits=16, multiplier_rounding=Rounding.FLOOR),
     "cuts the multiplier to 16 bits"),
    (Rule(multiplier_bits=16, multiplier_rounding=Rounding.UP),
     "rounds the multiplier to 16 bits"),
    (Rule(acc_bits=24, acc_limit=Limit.WRAP), "wraps the sum at 24 bits"),
    (Rule(out=Limit.WRAP), "wraps the output"),
    (Rule(out=Limit.SYMMETRIC), "clips to plus or minus the highest output"),
    (Rule(last=Rounding.FLOOR, zero=Zero.CLIPPED),
     "cuts the second shift without rounding, saturates before it adds the zero point"),
    (Rule(last=Rounding.UP, zero=Zero.CLIPPED, acc_bits=24, acc_limit=Limit.WRAP),
     ("rounds the second shift half up, wraps the sum at 24 bits, saturates before it adds the "
      "zero point"))])
def test_a_requantiser_is_named(rule, sentence):
    cases   = cases_of("requantise", "tflm", "int8", 150 if SEED.thorough else 60)
    verdict = explained(rule, cases)

    assert verdict.rule == verdict.best == rule
    assert verdict.share == 1
    assert verdict.unexplained is None
    assert verdict.sentence.startswith(f"{sentence}; ")
    assert "tflite-micro" in verdict.sentence


@pytest.mark.parametrize("operation", OPERATIONS, ids=" ".join)
def test_every_single_difference_is_explained_by_one_as_simple(operation):
    cases  = cases_of(*operation, 20 if SEED.thorough else 8)
    wanted = [case.expected() for case in cases]
    step   = 20 if SEED.thorough else 60  # every kind of difference has names of its own above
    for rule in singles()[int(random_of(911).integers(20))::step]:
        results = [run(rule, case) for case in cases]
        if all(map(np.array_equal, wanted, results)):
            continue
        verdict = explain(cases, results)
        assert verdict.rule is not None, rule
        assert len(verdict.rule.clauses()) <= len(rule.clauses()), (rule, verdict.rule)
        assert all(np.array_equal(run(verdict.rule, case), result)
                   for case, result in zip(cases, results, strict=True)), (rule, verdict.rule)


def test_the_share_of_outputs_is_told():
    unit = Requantise("mli-1", (1,), (2,))
    case = Case("requantise", "mli-1", "sums", unit, (np.arange(1, 17, dtype=np.int32)[:, None],))

    verdict = explained(Rule(last=Rounding.AWAY), [case])

    assert verdict.sentence == (
        'rounds half up; 12 % of outputs are 1 above embARC MLI 1.x; these stimuli do not '
        'distinguish it from "rounds half away from zero", a sum of -2 would: 0 here, -1 there')


def test_a_stimulus_that_tells_rules_apart_does():
    unit = Requantise("tflm", (1518500250,), (-7,), zero_point=5)
    case = Case("requantise", "tflm", "sums", unit, (np.arange(900, dtype=np.int32)[:, None],))

    verdict = explained(Rule(last=Rounding.FLOOR), [case])

    stimulus, rule = verdict.stimulus, verdict.rule
    other = next(rule for rule, share in verdict.candidates[1:] if share == 1)
    acc   = np.full_like(case.inputs[0], stimulus.value)
    again = Case("requantise", "tflm", "once more", unit, (acc,))
    assert run(rule, again).flat[stimulus.index] == stimulus.first
    assert run(other, again).flat[stimulus.index] == stimulus.second
    assert stimulus.first != stimulus.second


def test_a_stimulus_of_a_sum_of_tensors_is_what_the_inputs_add_up_to():
    [case, *_] = cases_of("add", "tflm", "int8")
    rules  = Rule(last=Rounding.UP), Rule(last=Rounding.AWAY)
    groups = gather({0: case}, [case.expected()], [case.expected()])

    stimulus = tell_apart(groups, *rules)

    [_, _, (multiplier, exponent)] = case.layer.factors(*case.inputs)
    unit = Requantise("tflm", (multiplier,), (exponent,), case.operands["out_zero"],
                      case.operands["low"], case.operands["high"])
    acc  = np.array([[stimulus.value]], np.int32)
    one  = Case("requantise", "tflm", "one", unit, (acc,))
    assert [int(run(rule, one)[0, 0]) for rule in rules] == [stimulus.first, stimulus.second]
    assert stimulus.first != stimulus.second


def test_a_bias_of_16_bits_and_the_sums_that_led_there():
    weights = Tensor(np.array([[1, 2, 3], [127, 127, 127]], np.int8), 7)
    bias    = Tensor(np.array([10, 0], np.int8), 2)
    layer   = FullyConnected(weights, bias, 4)
    case    = Case("fully_connected", "mli-1", "small", layer,
                   (Tensor(np.array([127, 126, 125], np.int8), 7),))

    verdict = explained(Rule(bias_bits=16, bias_limit=Limit.WRAP), [case])

    first = verdict.first
    assert verdict.sentence.startswith("wraps the bias at 16 bits; 50 % of outputs ")
    assert (first.case, first.number, first.index) == ("small", 0, (0,))
    assert first.operands == [(127, 1), (126, 2), (125, 3)]
    assert first.sums == [40960, 41087, 41339, 41714]
    assert first.library == {"bias": 40960, "sum": 41714, "rounded": 41, "output": 41}
    assert first.explained == {"bias": -24576, "sum": -23822, "rounded": -23, "output": -23}
    assert first.lines() == [
        "small [0]: expected 41, got -23", "products    127 * 1, 126 * 2, 125 * 3",
        "sums        40960, 41087, 41339, 41714",
        "parameters  bias 40960, shift 10, lowest -128, highest 127",
        "library     bias 40960, sum 41714, rounded 41, output 41",
        "this rule   bias -24576, sum -23822, rounded -23, output -23"]


def test_a_mean_that_is_divided_as_in_c_is_named():
    verdict = explained(Rule(last=Rounding.ZERO), cases_of("average_pool", "tflm", "int8"))
    assert verdict.rule == Rule(last=Rounding.ZERO)
    assert verdict.sentence.startswith("rounds towards zero; ")
    assert "divisor" in verdict.first.parameters


@pytest.mark.parametrize(("kind", "rule", "sentence"), [
    (("average_pool", "tflm", "int8"), Rule(counted=True), "counts padding in the mean"),
    (("average_pool", "tflm", "int8"), Rule(counted=True, padding=True),
     "pads with 0 instead of the zero point, counts padding in the mean"),
    (("average_pool", "mli-1", "fx8"), Rule(counted=True), "counts padding in the mean"),
    (("average_pool", "mli-2", "sa8"), Rule(counted=True), "counts padding in the mean"),
    (("add", "tflm", "int8"), Rule(apart=True),
     "rounds each input to the output before it adds them"),
    (("sub", "tflm", "int8"), Rule(inputs=Rounding.FLOOR), "cuts each input without rounding"),
    (("add", "tflm", "int16"), Rule(last=Rounding.UP), "rounds the second shift half up"),
    (("add", "tflm", "int8"), Rule(last=Rounding.FLOOR), "cuts the second shift without rounding"),
    (("add", "tflm", "int8"), Rule(zero=Zero.CLIPPED), "saturates before it adds the zero point"),
    (("add", "mli-2", "sa8"), Rule(inputs=Rounding.FLOOR), "cuts each input without rounding"),
    (("add", "mli-2", "fx16"), Rule(out=Limit.WRAP), "wraps the output"),
    (("sub", "mli-1", "fx8"), Rule(out=Limit.WRAP), "wraps the output")])
def test_means_and_sums_of_tensors_are_named(kind, rule, sentence):
    cases   = cases_of(*kind)
    verdict = explained(rule, cases)

    assert verdict.rule is not None
    assert verdict.sentence.startswith(f"{sentence}; "), verdict.sentence
    assert verdict.first.operands


def test_padding_of_0_is_named():
    cases   = [case for case in cases_of("conv2d", "tflm", "int8")
               if case.inputs[0].quantisation.zero_point]
    verdict = explained(Rule(padding=True), cases)
    assert verdict.rule == Rule(padding=True)


def test_what_no_rule_explains_is_shown():
    cases   = cases_of("requantise", "tflm", "int8", 40 if SEED.thorough else 12)
    results = [run(Rule(last=Rounding.FLOOR), case) for case in cases]
    results[3].flat[5] ^= 64

    verdict = explain(cases, results)

    assert not verdict.equal
    assert verdict.rule is None
    assert verdict.best == Rule(last=Rounding.FLOOR)
    assert verdict.share == 1 - 1 / verdict.outputs
    assert (verdict.unexplained.number, verdict.unexplained.got) == (3, results[3].flat[5])
    assert '; no rule explains all; "cuts the second shift without rounding" explains most' \
        in verdict.sentence


def test_rules_that_one_output_of_many_shows():
    acc  = np.arange(20_000, dtype=np.int32)[:, None] % 1000
    acc[12_345] = (1 << 24) + 300
    case = Case("requantise", "tflm", "sums", Requantise("tflm", (1518500250,), (-4,)), (acc,))
    rule = Rule(last=Rounding.FLOOR, acc_bits=24, acc_limit=Limit.WRAP)

    verdict = explained(rule, [case])

    assert verdict.rule is not None
    assert set(verdict.sentence.split("; ")[0].split(", ")) == {
        "cuts the second shift without rounding", "wraps the sum at 24 bits"}


def test_a_fault_is_no_rule():
    cases   = cases_of("conv2d", "tflm", "int8", 10 if SEED.thorough else 3)  # slow
    results = [case.expected().copy() for case in cases]
    results[2].flat[0] ^= 5

    verdict = explain(cases, results)

    assert (verdict.rule, verdict.best, verdict.wrong) == (None, LIBRARY, 1)
    assert verdict.first.number == verdict.unexplained.number == 2
    assert verdict.sentence.endswith("no known rule explains more than the library")


def test_equal_results():
    cases   = cases_of("requantise", "xs3", "int8", 5)
    verdict = explain(cases, [case.expected() for case in cases])
    assert verdict.equal
    assert verdict.rule == LIBRARY
    assert verdict.sentence == f"all {verdict.outputs} outputs are those of lib_nn"


def test_operations_without_rules_are_said_to_have_none():
    kind  = tflm.Quantisation((2.0 ** -8,), (-128,))
    x     = tflm.Tensor(np.array([[1, 2, 3]], np.int8), tflm.Quantisation((0.25,), (3,)))
    cases = [*cases_of("requantise", "tflm", "int8"),
             Case("softmax", "tflm", "softmax 0", tflm.Softmax(kind), (x,))]
    results     = [run(Rule(last=Rounding.UP), case) for case in cases[:-1]]
    wrong       = cases[-1].expected().copy()
    wrong[0, 1] += 1

    verdict = explain(cases, [*results, wrong])

    assert verdict.rule is None
    assert verdict.best == Rule(last=Rounding.UP)
    assert (verdict.unexplained.case, verdict.unexplained.index) == ("softmax 0", (0, 1))
    assert verdict.unexplained.lines() == [
        f"softmax 0 [0, 1]: expected {wrong[0, 1] - 1}, got {wrong[0, 1]}"]
    assert "there are no rules for softmax" in verdict.sentence


def test_large_layers_are_sampled_and_verified():
    rng     = random_of(912)
    weights = Tensor(rng.integers(-128, 128, (64, 2100)).astype(np.int8), 7)
    layer   = FullyConnected(weights, Tensor(np.zeros(64, np.int8), 7), 0)
    cases   = [Case("fully_connected", "mli-1", f"large {number}", layer,
                    (Tensor(rng.integers(-128, 128, 2100).astype(np.int8), 7),))
               for number in range(64)]
    verdict = explained(Rule(last=Rounding.FLOOR), cases)
    assert verdict.rule == Rule(last=Rounding.FLOOR)


@pytest.mark.parametrize(("results", "message"), [
    ([], "There must be a result for each of 1 case, not 0"),
    ([np.zeros((2, 3))], r"Result of one must have shape \(1, 2\), not \(2, 3\)")])
def test_results_that_do_not_fit(results, message):
    unit = Requantise("mli-1", (1,), (2,))
    case = Case("requantise", "mli-1", "one", unit, (np.zeros((1, 2), np.int32),))
    with pytest.raises(ValueError, match=message):
        explain([case], results)


@pytest.mark.parametrize(("fields", "error", "message"), [
    ({"last": "up"}, TypeError, "last must be a Rounding or None, not 'up'"),
    ({"acc_bits": 0}, ValueError, "acc_bits must be between 1 and 64, not 0"),
    ({"block": True}, TypeError, "block must be a int or None, not True")])
def test_rules_that_make_no_sense(fields, error, message):
    with pytest.raises(error, match=message):
        Rule(**fields)


def test_every_candidate_has_words_of_its_own():
    rules = singles()
    words = [rule.describe(shifts=2) for rule in rules]
    assert all(words)
    assert len(set(words)) == len(words)
    assert len(rules) == sum(map(len, DIMENSIONS))
    assert Rule(when=When.BIAS, acc_bits=8).describe() == (
        "limits the sum at 8 bits when the bias is added")
