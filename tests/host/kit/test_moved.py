# SPDX-License-Identifier: Apache-2.0
"""What moves elements and what remembers: operands that are enough, cases of the libraries, and a
first element that differs, without a rule."""

import numpy as np
import pytest

from tests.support.sizes import between
from xymac.golden.table import Table
from xymac.host.kit.device.adapter import Adapter, Supports
from xymac.host.kit.device.answer import take_answer
from xymac.host.kit.moved import MOVES, RECURRENT
from xymac.host.kit.report.outcome import judge
from xymac.host.kit.stimuli.generate import generate
from xymac.host.kit.stimuli.recorded import SHIPPED, find_recorded
from xymac.host.kit.stimuli.tasks import list_tasks

#: Dialects and types of each operation.
KINDS = {**dict.fromkeys(("pad", "slice"), (("tflm", "int8"), ("mli-1", "fx16"))),
         **dict.fromkeys(("transpose", "concatenate"),
                         (("tflm", "int16"), ("mli-1", "fx8"), ("mli-2", "sa8"))),
         "lstm": (("tflm", "int8"), ("mli-1", "fx8w16d"), ("mli-2", "sa8")),
         "rnn": (("mli-1", "fx8"),), "gru": (("mli-2", "fx16"),), "svdf": (("tflm", "int8"),)}

#: What the library has no function of its own for: its callers use parts of tensors.
WITHOUT = (Supports("slice", "mli-1", "fx16"), Supports("concatenate", "mli-2", "sa8"))

#: The cell whose rules take longest to try; lstm of tflm is tried the same way.
SLOW = Supports("lstm", "mli-2", "sa8")


def kinds_of(operations):
    return [Supports(operation, *kind) for operation in operations for kind in KINDS[operation]]


def pad(given):
    sides = list(zip(given["before"], given["behind"], strict=True))
    return np.pad(given["x"], sides, constant_values=given["value"])


def cut(given):
    columns = zip(given["begin"].tolist(), given["size"].tolist(), given["step"].tolist(),
                  strict=True)
    return given["x"][np.ix_(*(begin + step * np.arange(size) for begin, size, step in columns))]


def join(given):
    names = ["x", "z", *(f"x{number}" for number in range(2, 10))]
    return np.concatenate([given[name] for name in names if name in given], given["axis"])


MOVED = {"pad": pad, "slice": cut, "concatenate": join,
         "transpose": lambda given: given["x"].transpose(given["order"])}


@pytest.mark.parametrize("support", kinds_of(MOVES), ids=lambda support: support.title)
def test_operands_of_moves_are_enough(support):
    cases = [*generate(support, 40).cases, *find_recorded(support, SHIPPED)[0]]

    for case in cases:
        result = MOVED[support.operation](case.operands)
        assert np.array_equal(result.reshape(case.shape), case.expected()), case.name


@pytest.mark.parametrize("support", kinds_of(RECURRENT), ids=lambda support: support.title)
def test_operands_of_what_remembers_hold_every_constant(support):
    for case in generate(support, 10).cases:
        operands = case.operands
        for name, value in vars(case.layer).items():
            parts = value if isinstance(value, tuple) else (value,)
            if hasattr(parts[0], "data") and not isinstance(parts[0], Table):
                held = operands["bias" if name == "biases" else name]
                assert np.array_equal(held.ravel(), np.concatenate(
                    [part.data.ravel() for part in parts])), name


def test_steps_are_a_limit():
    for support in kinds_of(("lstm", "rnn", "gru")):
        limited = Supports(support.operation, support.dialect, support.type, {"steps": (2,)})
        cases   = generate(limited, 6).cases
        assert {case.operands["steps"] for case in cases} == {2}
        for case in generate(Supports(*support.title.split()), 12).cases:
            axis = 0 if getattr(case.layer, "time_major", True) else 1
            if len(case.shape) > 1 and case.inputs[0].data.ndim > 1:
                assert case.operands["steps"] == case.inputs[0].shape[axis]


@pytest.mark.parametrize("support", [between(support) if support == SLOW else support
                                     for support in kinds_of(KINDS)],
                         ids=lambda support: support.title)
def test_the_first_element_is_shown_and_that_no_rule_explains_it(support):
    device = type("Device", (Adapter,), {"supports": (support,)})()
    drawn, *recorded = list_tasks(device, count=8)
    number = next(number for number, case in enumerate(drawn.cases) if case.expected().size > 2)
    wrong  = drawn.cases[number].expected().copy()
    wrong.flat[2] ^= 1

    outcome = judge(drawn, [take_answer(case, wrong if place == number else case.expected())
                            for place, case in enumerate(drawn.cases)])

    assert [task.source for task in recorded] == ([] if support in WITHOUT else ["recorded"])
    assert (outcome.different, outcome.equal) == (1, 7)
    assert outcome.sentence.endswith(
        "; no known rule explains more than the library" if support.operation in RECURRENT
        else f"; there are no rules for {support.operation}")
    place = ", ".join(map(str, np.unravel_index(2, wrong.shape)))
    right = drawn.cases[number].expected().flat[2]
    assert outcome.details == [
        f"{drawn.cases[number].name} [{place}]: expected {right}, got {wrong.flat[2]}"]
