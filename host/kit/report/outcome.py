# SPDX-License-Identifier: Apache-2.0
"""A task's outcome: equal, or the differing rule, its position, and other failures."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.host.kit.explain import explain
from xymac.host.kit.libraries import has_sums, sums_of
from xymac.host.kit.limits import describe_excess
from xymac.host.kit.stimuli.networks import layer_cases
from xymac.host.plural import plural

from .coverage import cover

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.host.kit.case import Case
    from xymac.host.kit.device.answer import Answer
    from xymac.host.kit.stimuli.tasks import Task

__all__ = ["Outcome", "count_cases", "find_failing", "judge"]

_NUMBER = re.compile(r"-?\d+(, ?-?\d+)*")  #: A number or a list of numbers, such as a shape.
_SHOWN = 10  #: Sentences on cases without a result.


@dataclass
class Outcome:
    """A Task's outcome; all fields are JSON values.

    Parameters
    ----------
    name, operation, dialect, type, source : str, from the task
    cases, equal, different, failed : int, case counts; failed cases have no result
    sentence : str, the difference's description; "" if there is none
    details : list of str, the first difference: operands, sums, intermediate values
    rules : list of [str, float], rules and the output fraction they explain
    layers : list of [layer, kernel, outputs, differing outputs] for the first differing network
    failures : list of str, a sentence each
    waves : str, a sentence on the waves of the first case that failed; "" if there are none
    left_out : dict, cases or values outside the limits by quantity
    coverage : {quantity: {bin: case count}}
    seconds : float, device time
    """

    name:      str
    operation: str
    dialect:   str
    type:      str
    source:    str
    cases:     int = 0
    equal:     int = 0
    different: int = 0
    failed:    int = 0
    sentence:  str = ""
    details:   list = field(default_factory=list)
    rules:     list = field(default_factory=list)
    layers:    list = field(default_factory=list)
    failures:  list = field(default_factory=list)
    waves:     str = ""
    left_out:  dict = field(default_factory=dict)
    coverage:  dict = field(default_factory=dict)
    seconds:   float = 0.0

    @property
    def passed(self) -> bool:
        """Whether every case has the right result."""
        return not self.different and not self.failures

    @property
    def is_tried(self) -> bool:
        """Whether there was a case or a failure; limits may leave out all recorded cases."""
        return bool(self.cases or self.failures)

    @property
    def lines(self) -> list[str]:
        """Lines for a person about all failures."""
        head = [f"{self.name}: {self.sentence}"] if self.sentence else []
        return [*head, *(f"  {line}" for line in self.details),
                *_layer_lines(self.layers), *self.failures, *([self.waves] if self.waves else [])]

    def then(self, later: Outcome, title: str) -> Outcome:
        """Outcome of this round and a ``later`` one with a ``title``, whose sentences it has."""
        counts = {name: getattr(self, name) + getattr(later, name) for name in (
            "cases", "equal", "different", "failed", "seconds")}
        coverage = {quantity: dict(hits) for quantity, hits in self.coverage.items()}
        for quantity, hits in later.coverage.items():
            held = coverage.setdefault(quantity, {})
            held |= {name: held.get(name, 0) + count for name, count in hits.items()}
        words = {"sentence": f"{title}: {later.sentence}"} if later.sentence else {}
        return replace(later, **counts, coverage=coverage, **words)

    def as_json(self) -> dict[str, Any]:
        """All fields as plain values."""
        return asdict(self)


def judge(task: Task, answers: Sequence[Answer], seconds: float = 0.0) -> Outcome:
    """A Task's Outcome from the Answers to its cases, in order."""
    support  = task.support
    expected = [case.expected() for case in task.cases]
    outcome  = Outcome(
        task.name, support.operation, support.dialect, support.type, task.source,
        len(task.cases), seconds=seconds, coverage=_plain(cover(task, expected)),
        left_out={describe_excess(support, name, are_cases=isinstance(values, int)): (
            values if isinstance(values, int) else list(map(str, values)))
            for name, values in task.left_out.items()})
    outcome.failed   = sum(answer.values is None for answer in answers)
    outcome.failures = ([task.problem] if task.problem else []) + _gather(task.cases, answers)
    given = [(case, answer.values, want) for case, answer, want
             in zip(task.cases, answers, expected, strict=True) if answer.values is not None]
    wrong = [not _is_equal(case, values, want) for case, values, want in given]
    outcome.different = sum(wrong)
    outcome.equal     = len(given) - outcome.different
    if outcome.different:
        _explain(outcome, given, wrong)
    return outcome


def count_cases(count: int, kind: str = "") -> str:
    """Count with its noun, such as "1 case"; ``kind`` precedes the noun."""
    return plural(count, f"{kind}case")


def find_failing(cases: Sequence[Case], answers: Sequence[Answer]) -> int | None:
    """Place of the first Case whose Answer is wrong or missing; None if all are right."""
    return next((place for place, (case, answer) in enumerate(zip(cases, answers, strict=True))
                 if answer.values is None
                 or not _is_equal(case, answer.values, case.expected())), None)


def _gather(cases, answers):
    """Sentences about the cases without a result; sentences that differ only in the case and in
    numbers are merged.
    """
    kinds = {}
    for case, answer in zip(cases, answers, strict=True):
        if answer.values is None:
            kind = _NUMBER.sub("", answer.failure.replace(case.name, ""))
            kinds.setdefault(kind, []).append(answer.failure)
    sentences = [first if not others else f"{first} (and {count_cases(len(others), 'more ')})"
                 for first, *others in kinds.values()]
    more = len(sentences) - _SHOWN
    return sentences[:_SHOWN] + ([f"... and {more} other sentences"] if more > 0 else [])


def _is_equal(case, values, want):
    if isinstance(values, tuple):
        return all(np.array_equal(part, values[number])
                   for number, part in enumerate(each.expected() for each in layer_cases(case)))
    return np.array_equal(values, want)


def _explain(outcome, given, wrong):
    """Fill the outcome with an explanation of the differences."""
    cases, values = [case for case, *_ in given], [value for _, value, _ in given]
    if cases[0].operation == "network":
        first = wrong.index(True)
        cases, values = _first_layer(outcome, cases[first], values[first])
    verdict = explain(cases, values)
    outcome.sentence = verdict.sentence
    if outcome.layers:
        outcome.sentence = f"{cases[0].name} is the first layer that differs: {verdict.sentence}"
    outcome.rules    = [[rule.describe(_shifts(cases)) or "as the library", float(share)]
                        for rule, share in verdict.candidates]
    if verdict.first is not None:
        outcome.details = verdict.first.lines()


def _shifts(cases):
    """Library right shift count in the first Case with a model."""
    case = next(filter(has_sums, cases), None)
    return 1 if case is None else sums_of(case, np.array([0])).narrowing.shifts


def _first_layer(outcome, case, values):
    """The first differing layer's Cases and values; fills ``outcome``'s layer table.

    Without all layers' outputs, returns the network's own case and values.
    """
    if not isinstance(values, tuple):
        return [case], [values]
    layers = layer_cases(case)
    for each, given in zip(layers, values, strict=True):
        wrong = int(np.count_nonzero(each.expected() != given))
        outcome.layers.append([each.name, each.operation, int(given.size), wrong])
    first = next(number for number, row in enumerate(outcome.layers) if row[3])
    return [layers[first]], [values[first]]


def _layer_lines(layers):
    if layers:
        yield "  layer, operation, outputs, outputs that differ"
    for name, operation, outputs, wrong in layers:
        yield f"  {name}, {operation}, {outputs}, {wrong or 'none'}"


def _plain(coverage):
    return {quantity: {name: int(count) for name, count in hits.items()}
            for quantity, hits in coverage.items()}
