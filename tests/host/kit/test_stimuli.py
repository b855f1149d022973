# SPDX-License-Identifier: Apache-2.0
"""Cases that the kit draws: legal, within limits, and of every kind that there is."""

from dataclasses import replace

import numpy as np
import pytest

from xymac.host.errors import InputError
from xymac.host.kit.case import Case
from xymac.host.kit.device.adapter import Supports
from xymac.host.kit.facts import facts_of
from xymac.host.kit.limits import find_excess
from xymac.host.kit.model import run
from xymac.host.kit.moved import MOVES, RECURRENT
from xymac.host.kit.narrowing import Narrowing
from xymac.host.kit.operations import DIALECTS, OPERATIONS
from xymac.host.kit.report.coverage import cover, list_missed
from xymac.host.kit.requantise import Requantise
from xymac.host.kit.rule import LIBRARY
from xymac.host.kit.stimuli.draw import Draw, NoCaseError
from xymac.host.kit.stimuli.generate import generate
from xymac.host.kit.stimuli.tasks import Task

#: Operations that there are no rules for, drawn by dialect and type.
OTHERS = [(operation, *kind) for kind, operations in (
    (("tflm", "int8"), (*MOVES, "lstm", "svdf")), (("tflm", "int16"), MOVES),
    *((("mli-1", kind), (*MOVES, "lstm", "rnn")) for kind in ("fx8", "fx16")),
    (("mli-1", "fx8w16d"), ("lstm", "rnn")),
    *((("mli-2", kind), ("transpose", "concatenate", "lstm", "gru")) for kind in ("sa8", "fx16")),
    (("mli-2", "fx16_fx8_fx8"), ("lstm", "gru"))) for operation in operations]
#: Every operation that there are cases of, with a type of each dialect.
KINDS = [(operation, dialect, kind)
         for dialect, kind, count in (("tflm", "int8", 13), ("tflm", "int16", 13),
                                      ("mli-1", "fx8", 13), ("mli-1", "fx16", 13),
                                      ("mli-2", "sa8", 13), ("xs3", "int8", 6))
         for operation in list(OPERATIONS)[:count]]


@pytest.mark.parametrize(("operation", "dialect", "kind"), [*KINDS, *OTHERS])
def test_every_choice_comes_and_so_do_the_ends_of_the_output(operation, dialect, kind):
    stimuli = generate(Supports(operation, dialect, kind), 60)

    rare    = {(name, value) for name, hits in stimuli.hits.items()
               for value, count in hits.items() if not count} - {("height", 1), ("width", 1)}
    outputs = np.concatenate([case.expected().ravel() for case in stimuli.cases])
    assert not rare
    assert {case.type for case in stimuli.cases} == {kind}
    assert len(np.unique(outputs)) > 40
    if operation not in ("sigmoid", "tanh", "softmax", "relu", *RECURRENT):
        assert {np.iinfo(outputs.dtype).min, np.iinfo(outputs.dtype).max} <= set(outputs.tolist())


def test_a_seed_gives_the_same_cases_and_another_one_others():
    first, again, other = (
        [case.inputs[0].data.tolist() for case in generate(Supports("conv2d", "tflm"), 8,
                                                           seed).cases] for seed in (3, 3, 4))

    assert first == again
    assert first != other


@pytest.mark.parametrize("dialect", DIALECTS)
def test_limits_hold_and_what_they_leave_out_is_told(dialect):
    limits  = {"kernel_height": (3,), "stride_width": (1, 2), "channels": range(4, 9),
               "height": (6, 7)}
    support = Supports("conv2d", dialect, DIALECTS[dialect][0], limits)

    stimuli = generate(support, 30)

    assert all(facts_of(case)["kernel_height"] == 3 for case in stimuli.cases)
    assert {facts_of(case)["height"] for case in stimuli.cases} == {6, 7}
    assert all(find_excess(support, case) is None for case in stimuli.cases)
    assert stimuli.left_out["stride_width"] == [3]
    assert 16 in stimuli.left_out["channels"]


@pytest.mark.parametrize(("support", "words"), [
    (Supports("conv2d", "tflm", limits={"kernel_height": (5,), "height": (2,), "padding": (0,)}),
     "leave no case"),
    (Supports("softmax", "xs3"), "There are no cases of softmax in xs3"),
    (Supports("conv2d", "xs3", "int16"), "There are no cases of conv2d in xs3 of type int16")])
def test_what_cannot_be_drawn_is_refused(support, words):
    with pytest.raises(InputError, match=words):
        generate(support, 3)


@pytest.mark.parametrize("support", [
    *(Supports("requantise", *kind) for kind in (
        ("tflm", "int8"), ("tflm", "int16"), ("mli-1", "fx8"), ("mli-2", "sa8"), ("xs3", "int8"))),
    Supports("conv2d", "tflm"), Supports("fully_connected", "mli-2", "sa8"),
    Supports("average_pool", "tflm")], ids=lambda support: support.title)
def test_sums_meet_ties_on_both_sides_of_zero(support):
    stimuli  = generate(support, 100)
    coverage = cover(Task(support, "drawn", stimuli.cases, stimuli.hits),
                     [case.expected() for case in stimuli.cases])

    assert not {("sums that are", "tie"), ("sums that are", "tie below 0")} & set(
        list_missed(coverage))


def test_where_a_sum_lies_is_exact():
    sums  = np.array([[3, 6, -3, -4, 5, 200, 1023]], np.int32)  # quarters: a half is 2 of 4
    units = [Requantise("mli-1", (1,), (2,)), Requantise("mli-1", (1,), (1,))]

    names = [[_places_of(unit, int(value)) for value in sums[0]] for unit in units]

    assert names[0] == ["other", "tie", "other", "exact", "other", "exact", "beyond the clip"]
    assert names[1][:3] == ["tie", "exact", "tie below 0"]


def _places_of(unit, value):
    """The only place of one sum."""
    case = Case("requantise", unit.dialect, "one", unit, (np.array([[value]], np.int32),))
    bins = cover(Task(Supports("requantise", "mli-1", "fx8"), "drawn", (case,)),
                 [case.expected()])["sums that are"]
    [name] = [name for name, count in bins.items() if count]
    return name


@pytest.mark.parametrize("support", [
    Supports("conv2d", "tflm", limits={"input": range(-8, 8), "weights": range(-7, 8)}),
    Supports("requantise", "mli-2", "sa8", {"input": range(-1 << 23, 1 << 23)})])
def test_elements_are_within_their_limits_and_reach_them(support):
    operands = [case.operands for case in generate(support, 30).cases]

    for name, limit in support.limits.items():
        name   = "acc" if support.operation == "requantise" else {"input": "x"}.get(name, name)
        values = np.concatenate([each[name].ravel() for each in operands])
        assert (values.min(), values.max()) == (limit[0], limit[-1])


def test_a_draw_goes_where_it_was_least():
    draw = Draw(np.random.default_rng(0))

    values = [draw.pick("size", (1, 2, 3)) for _ in range(6)]

    assert sorted(values) == [1, 1, 2, 2, 3, 3]
    with pytest.raises(NoCaseError, match="of size fits"):
        draw.pick("size", (1, 2, 3), where=lambda value: value > 3)


def test_only_cases_count_as_hits():
    draw = Draw(np.random.default_rng(0), {"size": (1, 2)})
    for counts in (True, False):
        draw.pick("size", (1, 2, 3))
        draw.close(counts=counts)

    assert sum(draw.hits["size"].values()) == 1
    assert draw.left_out == {"size": [3]}


@pytest.mark.parametrize("operation", ["requantise", "conv2d", "depthwise_conv2d", "add", "mul"])
@pytest.mark.parametrize("kind", ["int8", "int16"])
def test_a_device_with_wider_results_is_right(operation, kind, monkeypatch):
    """Results never overflow 32 bits, alone or with a zero point: in C that is undefined."""
    monkeypatch.setattr(Narrowing, "under", lambda narrowing, _: replace(
        narrowing, middle_bits=64, scaled_bits=64, offset_bits=64))

    for case in generate(Supports(operation, "tflm", kind), 100).cases:
        assert (run(LIBRARY, case) == case.expected()).all()
