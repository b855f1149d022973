# SPDX-License-Identifier: Apache-2.0
"""What the kit makes of the answers of a device: what differs, where, and what was covered."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

import xymac
from xymac.host.files.html import SORT_SCRIPT
from xymac.host.kit.device.adapter import Adapter, Supports
from xymac.host.kit.device.answer import Answer, take_answer
from xymac.host.kit.report.outcome import judge
from xymac.host.kit.report.page import page_of
from xymac.host.kit.report.report import Report, never_hit, report_table, summary_lines
from xymac.host.kit.stimuli.recorded import SHIPPED, find_recorded
from xymac.host.kit.stimuli.tasks import list_tasks

DENSE   = Supports("fully_connected", "tflm")
NETWORK = Supports("network", "tflm")


def tasks_of(*supports, **options):
    """Tasks of a device with ``supports``."""
    kind = type("Device", (Adapter,), {"supports": supports})
    return list_tasks(kind(), **{"count": 12} | options)


def answers_of(task, change):
    """Answers to a task: what golden computes, as ``change`` of the number and the array has it."""
    return [take_answer(case, change(number, case.expected().astype(int)))
            for number, case in enumerate(task.cases)]


def test_right_answers_pass():
    drawn, recorded = tasks_of(DENSE)

    outcomes = [judge(task, answers_of(task, lambda number, values: values))
                for task in (drawn, recorded)]

    assert all(outcome.passed and not outcome.lines for outcome in outcomes)
    assert [outcome.equal for outcome in outcomes] == [12, len(recorded.cases)]


def test_a_difference_is_explained_and_shown():
    [task, _] = tasks_of(DENSE, count=40)

    outcome = judge(task, answers_of(task, lambda number, values: np.maximum(values, -127)))

    assert not outcome.passed
    assert outcome.equal + outcome.different == 40
    assert "clips to plus or minus the highest output" in outcome.sentence
    assert outcome.rules[0][1] == 1
    assert "expected -128, got -127" in outcome.details[0]
    assert any(line.startswith("sums") for line in outcome.details)


def test_failures_of_one_kind_are_one_sentence():
    [task, _] = tasks_of(DENSE)
    answers   = answers_of(task, lambda number, values: values if number else values[:0])
    answers[1:3] = [Answer(None, f"{case.name}: no power") for case in task.cases[1:3]]

    outcome = judge(task, answers)

    assert (outcome.equal, outcome.failed) == (9, 3)
    assert len(outcome.failures) == 2
    assert outcome.failures[1] == "fully_connected 1: no power (and 1 more case)"


@pytest.mark.parametrize(("change", "words"), [
    (lambda values: values - 300, " is no int8 (and 11 more cases)"),
    (lambda values: values[..., :-1], "(and 11 more cases)")])
def test_failures_that_differ_in_numbers_are_one_sentence(change, words):
    [task, _] = tasks_of(DENSE)

    outcome = judge(task, answers_of(task, lambda number, values: change(values)))

    [sentence] = outcome.failures
    assert sentence.endswith(words)


@pytest.mark.parametrize("shape", ["list", "dict"])
def test_the_first_layer_of_a_network_that_differs_is_named(shape):
    [task] = tasks_of(NETWORK)
    case   = task.cases[0]
    names  = case.layer.names

    outcome = judge(task, [_answer_layers(each, shape, wrong=each is case)
                           for each in task.cases])

    assert outcome.different == 1
    assert outcome.sentence.startswith("digits_cnn 0, layer conv2 is the first layer that differs")
    assert [row[3] for row in outcome.layers] == [int(name == "conv2") for name in names]
    assert any(line.startswith("sums") for line in outcome.details)


def _answer_layers(case, shape, *, wrong):
    """Outputs of all layers; of conv2 one is off if ``wrong``."""
    run     = xymac.Session(case.layer).run(*case.inputs)
    outputs = {name: run[name].data.copy() for name in case.layer.names}
    outputs["conv2"].flat[5] ^= wrong
    return take_answer(case, outputs if shape == "dict" else list(outputs.values()))


def test_a_network_without_its_layers_is_compared_at_its_end():
    [task] = tasks_of(NETWORK)

    outcome = judge(task, answers_of(task, lambda number, values: values + (number == 0)))

    assert (outcome.different, outcome.layers) == (1, [])
    assert "digits_cnn 0" in outcome.details[0]


def test_recorded_cases_are_those_of_the_library_within_the_limits():
    every, none_left = find_recorded(Supports("conv2d", "mli-1", "fx8"), SHIPPED)
    some, left_out   = find_recorded(Supports("conv2d", "mli-1", "fx8", {
        "layout": ("CHW",), "rounding": ("up",)}), SHIPPED)

    assert not none_left
    assert 0 < len(some) < len(every)
    assert len(some) + sum(left_out.values()) == len(every)
    assert all(np.array_equal(case.expected(), super(type(case), case).expected())
               for case in every)


def test_a_relation_leaves_out_combinations():
    limits = {"input_zero": lambda input_zero, output_zero: input_zero == output_zero}
    drawn, recorded = tasks_of(Supports("add", "tflm", limits=limits))

    drawn, recorded = (judge(task, answers_of(task, lambda number, values: values))
                       for task in (drawn, recorded))

    assert list(drawn.left_out) == ["combinations of input_zero and output_zero, with input_zero"]
    assert recorded.left_out == {"input_zero and output_zero": 3}


def report_of():
    """A Report with a task that passes and one that does not."""
    tasks   = tasks_of(DENSE, Supports("relu", "tflm", limits={"channels": (3,)}))
    changes = [lambda number, values: np.maximum(values, -127)] + [
        lambda number, values: values] * 3
    return Report("Device", 7, tuple(judge(task, answers_of(task, change), 0.5) for task, change
                                     in zip(tasks, changes, strict=True)))


def test_a_report_survives_json():
    report  = report_of()
    content = json.loads(report.as_json())

    assert Report.read_json(report.as_json()) == report
    assert (content["passed"], report.exit_code) == (False, 1)
    assert content["cases"] == content["equal"] + content["different"]
    assert [entry["passed"] for entry in content["outcomes"]] == [False, True, True, True]


def test_the_page_needs_nothing_else_and_escapes_what_it_shows():
    report = report_of()
    report.outcomes[0].details.append("<b>")
    report.outcomes[0].failures.append("it says \x1b[31m\x00")
    report.outcomes[0].layers.append(["<b>conv", "conv2d", 1024, 3])

    page = page_of(report, [("date", "today"), ("host", "<i>")], "pytest <i>")

    assert "<tr><td>date</td><td>today</td></tr>" in page
    assert "<td>&lt;i&gt;</td>" in page
    assert page.count("<div class=wide><table") == page.count("<table") > 2
    assert page.count("<table class=sortable><tr><th>") == page.count("<tr><th>") > 1
    assert SORT_SCRIPT in page
    assert "<pre>pytest &lt;i&gt;</pre>" in page
    assert "&lt;b&gt;" in page
    assert ("<tr><td>&lt;b&gt;conv</td><td>conv2d</td><td class=number>1,024</td>"
            "<td class=number>3</td></tr>" in page)
    assert "<b>" not in page
    assert r"<p class=no>it says \x1b[31m\x00</p>" in page
    assert all(char.isprintable() or char == "\n" for char in page)
    assert report.outcomes[0].rules[0][0] in page
    assert "http" not in page
    assert "src=" not in page
    for outcome in report.outcomes:
        assert f"id='{outcome.name.replace(' ', '-')}'" in page
        assert all(name in page for _, names in never_hit(outcome) for name in names)


def test_table_and_lines_say_what_was_left_out_and_never_hit():
    report = report_of()
    table, lines = report_table(report), list(summary_lines(report))

    assert table.row_count == 4
    assert "relu tflm int8 drawn: left out channels 1, 8, 17, 64" in lines
    assert any(line.startswith("relu tflm int8 recorded: left out") for line in lines)
    assert any("never hit" in line for line in lines)


def test_a_task_without_cases_fails_with_its_sentence():
    [task] = tasks_of(Supports("softmax", "xs3"))

    outcome = judge(task, [])

    assert not outcome.passed
    [sentence] = outcome.failures
    assert sentence.startswith("There are no cases of softmax in xs3, only of requantise, conv2d,")


def test_coverage_counts_every_case():
    support = Supports("requantise", "tflm")
    task    = next(task for task in tasks_of(support) if task.source == "drawn")

    coverage = judge(task, answers_of(task, lambda number, values: values)).coverage

    assert sum(coverage["scales"].values()) == 12
    assert coverage["sums that are"].keys() >= {"tie", "tie below 0"}


def test_a_ratio_that_is_never_hit_is_said_in_words():
    outcome = SimpleNamespace(coverage={"ratio": {"1": 3, "1.49e-08": 0}})

    assert never_hit(outcome) == [
        ("scale of the second input, with 1 for the scale of the first input,", ["1.49e-08"])]
