# SPDX-License-Identifier: Apache-2.0
"""Explain a device's differences from the library: find a Rule with equal results."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from xymac.host.errors import check_type
from xymac.host.plural import plural

from .apart import Stimulus, tell_apart
from .cells import is_cell, narrowings_of
from .cells.search import search_cells
from .difference import OutputDifference, difference_of
from .groups import gather
from .libraries import has_sums
from .rule import LIBRARY, Rule
from .ruled import Ruled, run
from .search import search
from .where.locate import Located, locate
from .where.partial_rule import find_partial_rule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xymac.host.kit.case import Case

__all__ = ["LIBRARIES", "Verdict", "explain"]

#: Libraries by their dialect.
LIBRARIES = {"mli-1": "embARC MLI 1.x", "mli-2": "embARC MLI 2.0", "tflm": "tflite-micro",
             "xs3": "lib_nn"}

_CANDIDATES = 8      #: Maximum number of rules in a Verdict.
_GAINED     = 0.5    #: Least share of wrong outputs that a named rule explains.
_NEARLY     = 0.999  #: From this share on, locations explain outputs better than combined rules;
_MOST       = 3      #: below it, largest number of combined differences.


@dataclass(frozen=True, eq=False, repr=False)
class Verdict:
    """The result of ``explain``.

    Parameters
    ----------
    equal : bool, whether all results equal the library's
    rule : Rule with all results, LIBRARY if they are equal; None without such a rule
    best : Rule with the most results
    share : float, fraction of outputs explained by ``best``
    first : OutputDifference, the first difference from the library; None if equal
    unexplained : OutputDifference, the first difference from ``best``; None if there is none
    outputs, wrong : output count, and count with differences from the library
    sentence : str, the verdict for a person
    candidates : list of (Rule, explained output fraction), best first
    stimulus : Stimulus for a choice between the first two rules with equal results; None without a
        second rule, or if none was found
    where : str, where the wrong outputs lie; "" if a rule explains all, or without a pattern
    """

    equal:       bool
    rule:        Rule | None
    best:        Rule
    share:       float
    first:       OutputDifference | None
    unexplained: OutputDifference | None
    outputs:     int
    wrong:       int
    sentence:    str
    candidates:  list
    stimulus:    Stimulus | None = None
    where:       str = ""

    def __repr__(self) -> str:
        """The sentence."""
        return f"<Verdict: {self.sentence}>"


def explain(cases: Sequence[Case], results: Sequence[np.ndarray]) -> Verdict:
    """The Verdict on a device's results.

    Parameters
    ----------
    cases : list of Case
    results : list of int arrays with the golden output shapes, a result per case

    ValueError for a wrong result count or a wrong shape.
    """
    expected = _expected(cases, results)
    if any(case.offset for case in cases):
        return _explain_unsigned(cases, results)
    wrong    = _differing(expected, results)
    outputs  = sum(want.size for want in expected)
    library = _library(cases)
    if not wrong:
        sentence = (f"all {outputs:,} outputs are those of {library}" if outputs != 1
                    else f"the output is that of {library}")
        return Verdict(True, LIBRARY, LIBRARY, 1.0, None, None, outputs, 0, sentence, [])
    return _Explained(cases, expected, [np.asarray(result) for result in results], wrong).verdict()


def _explain_unsigned(cases, results):
    """The Verdict on cases and results without their offsets."""
    plain   = [replace(case, offset=0, base=case.offset) for case in cases]
    moved   = [np.asarray(result, np.int64) - case.offset
               for case, result in zip(cases, results, strict=True)]
    verdict = explain(plain, moved)
    if verdict.equal:
        return verdict
    offset = max(case.offset for case in cases)
    return replace(verdict, sentence=f"{verdict.sentence}; all numbers in this sentence "
                                      f"are {offset} below the device's")


def _expected(cases, results):
    check_type("cases", cases, list, tuple, hint=": generate makes Stimuli with cases")
    check_type("results", results, list, tuple, hint=", with an array for each case")
    if len(cases) != len(results):
        raise ValueError(f"There must be a result for each of {plural(len(cases), 'case')}, "
                         f"not {len(results)}")
    expected = [case.expected() for case in cases]
    for case, want, got in zip(cases, expected, results, strict=True):
        if np.shape(got) != want.shape:
            raise ValueError(f"Result of {case.name} must have shape {want.shape}, "
                             f"not {np.shape(got)}")
    return expected


def _differing(expected, results):
    """{case number: flat indices with differences}, only for cases with differences."""
    indices = {number: np.flatnonzero(want.reshape(-1) != np.asarray(got).reshape(-1))
               for number, (want, got) in enumerate(zip(expected, results, strict=True))}
    return {number: each for number, each in indices.items() if len(each)}


def _library(cases):
    names = " and ".join(dict.fromkeys(LIBRARIES[case.dialect] for case in cases))
    rules = dict.fromkeys(str(case.rule) for case in cases if isinstance(case, Ruled))
    return f"{names} which {' or '.join(rules)}" if rules else names


class _Explained:
    """Search for an explanation, from cases, golden results and device results.

    ``wrong`` holds flat output indices with differences, by case number.
    """

    def __init__(self, cases: Sequence[Case], expected: Sequence[np.ndarray],
                 results: Sequence[np.ndarray], wrong: Mapping[int, np.ndarray]) -> None:
        self.cases, self.expected, self.results, self.wrong = cases, expected, results, wrong
        self._known = {}
        modelled    = {number: case for number, case in enumerate(cases) if has_sums(case)}
        self.cells  = {number: case for number, case in enumerate(cases) if is_cell(case)}
        self.others = [number for number in wrong
                       if number not in modelled and number not in self.cells]
        self.groups = gather(modelled, expected, results) if any(
            number in modelled for number in wrong) else None

    def verdict(self) -> Verdict:
        """The Verdict."""
        rules, best, ranking = [], LIBRARY, []
        where = locate(self.cases, self.expected, self.results)
        if self.groups is not None:
            known   = [case.rule for case in self.cases if isinstance(case, Ruled)]
            outcome = search(self.groups, known, most=1)
            if not outcome.rules and where.share <= _NEARLY:
                part    = "" if known or self.others else find_partial_rule(
                    self.groups, self.cases, self.expected, self.results)
                where   = Located(part, 1.0) if part else where
                outcome = outcome if part else search(self.groups, known, most=_MOST)
            ranking = [(rule, score / self.groups.count) for rule, score in outcome.ranking]
            rules   = outcome.rules
            if self.groups.sampled:
                rules = [rule for rule in rules[:_CANDIDATES]
                         if self._left(rule).keys() <= set(self.others)]
            best    = (rules or [ranking[0][0]])[0]
        elif self.cells.keys() >= set(self.wrong):
            rules = search_cells(self.cells, self.results, list(self.wrong), [
                case.rule for case in self.cells.values() if isinstance(case, Ruled)])
            rules.sort(key=lambda rule: len(rule.clauses(self._shifts())))
            best = (rules or [best])[0]
            self._known |= {rule: {} for rule in rules}
        total = sum(want.size for want in self.expected)
        left  = self._left(best)
        right = total - sum(map(len, left.values()))
        stimulus = (tell_apart(self.groups, *rules[:2])
                    if self.groups is not None and len(rules) > 1 else None)
        where    = Located() if rules and not left else where
        return Verdict(
            False, rules[0] if rules and not left else None, best, right / total,
            self._difference(self.wrong, best), self._difference(left, best) if left else None,
            total, sum(map(len, self.wrong.values())),
            self._sentence(rules, best, right, total, stimulus, where), ranking[:_CANDIDATES],
            stimulus, where.sentence)

    def _left(self, rule):
        """{case number: flat output indices unexplained by ``rule``}."""
        if rule not in self._known:
            self._known[rule] = self._differing(rule)
        return self._known[rule]

    def _differing(self, rule):
        if rule == LIBRARY or (self.groups is None and not self.cells):
            return self.wrong
        left = {number: self.wrong[number] for number in self.others}
        left |= self._run(rule, self.cells)
        if self.groups is None:
            return left
        if not self.groups.sampled:
            return left | self.groups.wrong(self.groups.narrowings(rule))
        return left | self._run(rule, {number: case for number, case in enumerate(self.cases)
                                       if has_sums(case)})

    def _run(self, rule, cases):
        """``_left`` for ``cases``, {case number: Case}, from whole results under ``rule``."""
        left = {}
        for number, case in cases.items():
            got     = self.results[number].reshape(-1)
            indices = np.flatnonzero(run(rule, case).reshape(-1) != got)
            left   |= {number: indices} if len(indices) else {}
        return left

    def _shifts(self):
        """Right shifts per sum in the library, 1 or 2."""
        if self.groups is not None:
            return self.groups.shifts
        return max((narrowing.shifts for case in list(self.cells.values())[:1]
                    for narrowing in narrowings_of(case)), default=1)

    def _difference(self, wrong, rule):
        """OutputDifference for the first output in ``wrong``, beside ``rule``'s output."""
        number = min(wrong)
        return difference_of(number, self.cases[number], wrong[number][0], self.expected[number],
                             self.results[number], None if rule == LIBRARY else rule)

    def _sentence(self, rules, best, right, total, stimulus, where):
        shifts = self._shifts()
        parts  = [self._amount()]
        if rules:
            parts.insert(0, rules[0].describe(shifts))
        elif where.sentence and where.share >= right / total:
            parts.insert(0, where.sentence)
        elif best != LIBRARY and self._gain(right, total) >= _GAINED:
            parts.append(f"no rule explains all; \"{best.describe(shifts)}\" explains most, "
                         f"{right:,} of {total:,}")
        elif where.sentence:
            parts.insert(0, where.sentence)
        elif self.groups is not None or self.cells:
            parts.append("no known rule explains more than the library")
        if where.sentence not in ("", parts[0]):
            parts.append(where.sentence)
        if self.others and (best != LIBRARY or not where.sentence):
            names = ", ".join(dict.fromkeys(self.cases[number].operation
                                            for number in self.others))
            parts.append(f"there are no rules for {names}")
        if len(rules) > 1:
            parts.append(_tie(rules, shifts, stimulus))
        return "; ".join(part for part in parts if part)

    def _gain(self, right, total):
        """Wrong outputs explained by a rule with ``right`` outputs among ``total``, a share."""
        wrong = sum(map(len, self.wrong.values()))
        return (right - (total - wrong)) / wrong

    def _amount(self):
        """Phrase with the differences' share and size."""
        total = sum(want.size for want in self.expected)
        steps = np.concatenate([
            (self.results[number].astype(np.int64) - self.expected[number]).reshape(-1)[places]
            for number, places in self.wrong.items()])
        if (steps == steps[0]).all() and abs(steps[0]) == 1:
            relation = "are 1 above" if steps[0] > 0 else "are 1 below"
        else:
            most = int(np.abs(steps).max())
            relation = f"differ by {'up to ' * (most > 1)}{most} from"
        share = 100 * len(steps) / total
        share = f"{share:.2g}" if share < 10 else f"{share:.0f}"
        return f"{share} % of outputs {relation} {_library(self.cases)}"


def _tie(rules, shifts, stimulus):
    simple = len(rules[0].clauses(shifts))
    equals = [rule for rule in rules[1:] if len(rule.clauses(shifts)) == simple]
    if not equals:
        return ""
    others = " or ".join(f"\"{rule.describe(shifts)}\"" for rule in equals[:2])
    more   = f" or {len(equals) - 2} more" if len(equals) > 2 else ""
    text   = f"these stimuli do not distinguish it from {others}{more}"
    if stimulus is not None:
        text += (f", a sum of {stimulus.value} would: {stimulus.first} here, {stimulus.second} "
                 f"there")
    return text
