# SPDX-License-Identifier: Apache-2.0
"""Faults at places: the sentence says where the wrong outputs lie."""

from functools import lru_cache

import numpy as np
import pytest

from tests.support.seed import SEED
from xymac.host.kit.device.adapter import Supports
from xymac.host.kit.explain import explain
from xymac.host.kit.model import run
from xymac.host.kit.rounding import Rounding
from xymac.host.kit.rule import Rule
from xymac.host.kit.stimuli.generate import generate
from xymac.host.kit.where.locate import locate
from xymac.host.kit.where.period import find_period
from xymac.host.kit.where.stump import separate

CONV, DENSE = ("conv2d", "tflm", "int8"), ("fully_connected", "tflm", "int8")


@lru_cache(maxsize=4)
def cases_of(operation, dialect, kind, count=100):
    return list(generate(Supports(operation, dialect, kind), count, SEED.value).cases)


def changed(change, cases):
    """Results of a device with a fault: ``change`` of a Case and its expected output, in place or
    returned.
    """
    results = []
    for case in cases:
        output = case.expected()
        other  = change(case, output)
        results.append(output if other is None else np.asarray(other, output.dtype).reshape(
            output.shape))
    return results


def sentence_of(change, kind=CONV):
    cases = cases_of(*kind)
    return locate(cases, [case.expected() for case in cases], changed(change, cases)).sentence


def _flip(output, where, bits=1):
    output[where] ^= bits


def _cases_with(condition):
    def change(case, output):
        if condition(case):
            output ^= 1
    return change


def _width(case):
    return case.inputs[0].shape[2]


def _third(case, output):
    _flip(output, np.s_[..., 3:4])


def _last_of_odd(case, output):
    if _width(case) % 2:
        _flip(output, np.s_[:, :, -1])


def _border(case, output):
    inner = output.copy()
    output ^= 2
    output[:, 1:-1, 1:-1] = inner[:, 1:-1, 1:-1]


def _first_of_padded(case, output):
    if max(case.operands["pad"]):
        _flip(output, np.s_[:, 0])


def _late(case, output):
    return np.concatenate([[0], output.reshape(-1)[:-1]])


def _early(case, output):
    return np.concatenate([output.reshape(-1)[1:], [0]])


def _lane(size, place):
    def change(case, output):
        _flip(output, np.s_[..., place::size])
    return change


def _words(case, output):
    flat  = output.reshape(-1)
    whole = flat.size // 4 * 4
    flat[:whole] = flat[:whole].reshape(-1, 4)[:, ::-1].reshape(-1).copy()


@pytest.mark.parametrize(("change", "sentence"), [
    (_third, "all wrong outputs lie in channel 3"),
    (_last_of_odd, "all wrong outputs lie in the last column, in cases with odd widths"),
    (_border, "all wrong outputs lie at the border of the image"),
    (_first_of_padded,
     "all wrong outputs lie in row 0, in cases with padding other than 0"),
    (_lane(4, 2), "all wrong outputs lie in channels 2 modulo 4"),
    (_lane(8, 5), "all wrong outputs lie in channels 5 modulo 8"),
    (_late, "the results are the expected outputs one element late"),
    (_early, "the results are the expected outputs one element early"),
    (_words, "every 4 elements are in reversed order"),
    (lambda case, output: output.transpose(0, 2, 1, 3), "height and width are swapped"),
    (lambda case, output: output.transpose(0, 3, 1, 2),
     "channels are first in place of last in memory"),
    (lambda case, output: output[..., ::-1], "the channel order is reversed"),
    (lambda case, output: output[:, ::-1], "the order of the rows is reversed"),
    (lambda case, output: output[:, :, ::-1], "the order of the columns is reversed"),
    (lambda case, output: output ^ -128, "the highest bit of every element is inverted"),
    (lambda case, output: output * 0, "every element is 0"),
    (_cases_with(lambda case: case.inputs[0].shape[3] == 256),
     "all wrong outputs lie in cases with channels of 256"),
    (_cases_with(lambda case: case.inputs[0].shape[3] >= 256),
     "all wrong outputs lie in cases with channels of 256 and more"),
    (_cases_with(lambda case: case.operands["x_zero"] == -128),
     "all wrong outputs lie in cases with input zero of -128"),
    (_cases_with(lambda case: case.operands["stride"][0] > 1),
     "all wrong outputs lie in cases with stride height other than 1"),
    (_cases_with(lambda case: case.operands["stride"][0] != case.operands["stride"][1]),
     "all wrong outputs lie in cases with different stride height and stride width"),
    (_cases_with(lambda case: case.operands["kernel"] == (1, 1)),
     "all wrong outputs lie in cases with kernel elements of 1"),
    (_cases_with(lambda case: case.layer.bias is None),
     "all wrong outputs lie in cases with bias none")])
def test_what_is_wrong_is_said_in_words(change, sentence):
    assert sentence in sentence_of(change)


@pytest.mark.parametrize("distance", [7, 100, 1000])
def test_every_so_many_results(distance):
    count = [0]

    def change(case, output):
        flat = output.reshape(-1)
        for place in range(flat.size):
            count[0] += 1
            flat[place] ^= count[0] % distance == 0

    assert sentence_of(change) == (
        f"every {distance:,}th output is wrong, counted over all cases")


def test_every_fifth_case():
    numbers = iter(range(1000))

    assert sentence_of(_cases_with(lambda case: next(numbers) % 5 == 4)) == (
        "every 5th case is wrong")


def test_results_of_the_case_before():
    cases  = cases_of(*DENSE)
    wanted = [case.expected() for case in cases]
    stale  = [np.resize(before, want.shape) if before.size >= want.size else want
              for before, want in zip([wanted[0], *wanted], wanted, strict=False)]

    located = locate(cases, wanted, stale)

    assert "the results are the outputs of the case before" in located.sentence


def test_a_single_wrong_case_tells_nothing_about_cases():
    assert "cases with" not in sentence_of(_cases_with(lambda case: case.name == "conv2d 41"))


def test_noise_is_in_no_place():
    rng   = np.random.default_rng(5)
    cases = cases_of(*DENSE)

    located = locate(cases, [case.expected() for case in cases], changed(
        lambda case, output: output ^ (rng.random(output.shape) < 0.3).astype(np.int8), cases))

    assert located.sentence == ""
    assert located.share == 0


def test_a_rule_comes_before_a_place_if_it_explains_more():
    cases   = cases_of(*CONV, 30)
    rule    = Rule(last=Rounding.FLOOR)
    verdict = explain(cases, [run(rule, case) for case in cases])
    placed  = explain(cases, changed(_third, cases))

    assert verdict.sentence.startswith("cuts the second shift without rounding; ")
    assert verdict.where == ""
    assert placed.where == (
        "all wrong outputs lie in channel 3; there bit 0 of the output is inverted")
    assert placed.sentence.startswith(f"{placed.where}; ")
    assert "explains most" not in placed.sentence


def test_questions_are_as_few_as_possible():
    place = np.arange(40)
    tests = [("even", place % 2 == 0), ("low", place < 20), ("four", place % 4 == 0)]

    found = separate(tests, place % 4 == 0, np.ones(40))

    assert (found.words, found.precision, found.missed, found.false) == (["four"], 1, 0, 0)
    assert separate(tests[:2], place < 9, np.ones(40)).words == ["low"]
    assert separate(tests, place == 3, np.ones(40)) is None


@pytest.mark.parametrize(("places", "found"), [
    ([999, 1999, 2999], (1000, 999)), ([3, 10, 17, 24], None), ([0, 1, 2], None), ([4, 9], None),
    ([999, 2999], None)])
def test_periods(places, found):
    assert find_period(places, 3000) == found
