# SPDX-License-Identifier: Apache-2.0
"""Where the wrong outputs of a device lie, in a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from .copies import CONSTANT, changed_outputs, find_copy
from .partly import Altered, Parts
from .period import find_period
from .stump import separate
from .table import case_numbers, table_of
from .tests import case_tests, join_words, output_tests
from .variants import find_variant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.host.kit.case import Case

__all__ = ["Located", "locate"]

_PRECISE = 0.9  #: Wrong share of the named outputs that needs no further explanation,
_SAID    = 0.2  #: and the least share that is told.
_MANY    = 10   #: Cases beside which a single wrong one is named.
_SIZES   = ("outputs", "channels", "height", "width", "kernel elements", "steps", "elements")
_CASES   = 2    #: Wrong cases that a quantity of cases needs, at least.


@dataclass(frozen=True)
class Located:
    """Where wrong outputs lie.

    Parameters
    ----------
    sentence : str, "" if nothing separates wrong from right outputs
    share : float, fraction of all outputs for which the sentence tells right from wrong
    """

    sentence: str = ""
    share:    float = 0.0


def locate(cases: Sequence[Case], expected: Sequence[np.ndarray],
           results: Sequence[np.ndarray]) -> Located:
    """Located for a device's results, arrays in the golden shapes, of Cases in the order in which
    they were asked; some output differs.
    """
    wrong = [number for number, (want, got) in enumerate(zip(expected, results, strict=True))
             if not np.array_equal(want, got)]
    copy  = find_copy(cases, expected, results, wrong)
    parts = Parts(cases, expected, results)
    part  = ""
    if copy in ("", *CONSTANT):
        variant = find_variant(cases, expected, results, wrong, parts)
        part    = "" if variant else _with_place(parts, wrong)
        copy    = variant or copy
    if part:
        return Located(part, 1.0)
    if copy:
        period = find_period(wrong, len(cases))
        which  = f"every {_ordinal(period[0])} case" if period else _cases(len(wrong), len(cases))
        return Located(f"in {which} {copy}", 1.0)
    table = table_of(cases, expected, results)
    total = float(table.weight.sum())
    tests = [*output_tests(table), *(case_tests(table.quantities, table.case, table.wrong)
                                     if len(wrong) >= _CASES else ())]
    found = separate(tests, table.wrong, table.weight)
    if found is not None and found.precision >= _PRECISE:
        return _of_outputs(found, total)
    regular = _regular(expected, results, wrong)
    if regular:
        # quantities of the drawn cases have a period, too, which outputs have not
        is_of_outputs = " output " in regular and len(wrong) > _MANY
        by_cases = Located() if is_of_outputs else _of_cases(cases, wrong, table, total, depth=1)
        return by_cases if by_cases.sentence else Located(regular, 1.0)
    is_single = len(wrong) == 1 and len(cases) >= _MANY
    if found is not None and found.precision >= _SAID and not is_single:
        return _of_outputs(found, total)
    return _of_cases(cases, wrong, table, total)


def _with_place(parts, wrong):
    """A sentence on changed outputs or an alteration at some places, "" without."""
    copies = Parts(parts.cases, parts.expected, parts.results)
    for words, change in changed_outputs(parts.cases, parts.expected):
        if all(_is_there(change(number), parts.expected[number], parts.results[number])
               for number in wrong):
            copies.add(words, partial(_altered, change, parts))
    return copies.find() or parts.find()


def _is_there(output, want, got):
    return np.array_equal(output[want != got], got[want != got])


def _altered(change, parts):
    for number, (want, got) in enumerate(zip(parts.expected, parts.results, strict=True)):
        places = np.flatnonzero(change(number).reshape(-1) != want.reshape(-1))
        yield Altered(number, places, (want != got).reshape(-1)[places])


def _cases(count, total):
    if count == total:
        return "the only case" if total == 1 else f"all {total} cases"
    return f"{count} of {total} cases"


def _of_outputs(found, total):
    """Located for a separation of outputs."""
    kept = found.precision * found.false / (1 - found.precision) if found.false else 0
    part = "" if not found.false else (
        f" ({100 * found.precision:.0f} % of these outputs differ)" if kept else "")
    rest = "" if not found.missed else f", but for {found.missed:.0f}"
    return Located(f"all wrong outputs lie {join_words(found.words)}{part}{rest}",
                   1 - (found.missed + found.false) / total)


def _regular(expected, results, wrong):
    """A sentence on equal distances between wrong outputs or cases, "" without."""
    masks = [(want != got).reshape(-1) for want, got in zip(expected, results, strict=True)]
    every = np.concatenate(masks)
    found = find_period(np.flatnonzero(every), len(every))
    if found:
        return f"every {_ordinal(found[0])} output is wrong, counted over all cases"
    found = find_period(wrong, len(masks))
    if found:
        return f"every {_ordinal(found[0])} case is wrong"
    return ""


def _ordinal(number):
    last = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{'th' if number % 100 in (11, 12, 13) else last}"


def _only(cases, number):
    """Words on a size of the case ``number`` alone, "" without."""
    facts = [case_numbers(case) for case in cases]
    for name, value in facts[number].items():
        if name in _SIZES and [each.get(name) for each in facts].count(value) == 1:
            return f", the only one with {name.replace('_', ' ')} of {value}"
    return ""


def _of_cases(cases, wrong, table, total, depth=None):
    """Located for a separation of cases, by ``depth`` questions at most."""
    if len(wrong) == 1 and len(cases) >= _MANY:
        return Located(f"only case {wrong[0]} of {len(cases)} differs, {cases[wrong[0]].name}"
                       f"{_only(cases, wrong[0])}")
    if not _CASES <= len(wrong) < len(cases):
        return Located()
    facts  = [case_numbers(case) for case in cases]
    names  = list(dict.fromkeys(name for each in facts for name in each))
    quantities = {name: np.array([each.get(name) for each in facts], object) for name in names}
    numbers = np.arange(len(cases))
    is_wrong = np.isin(numbers, wrong)
    found = separate(list(case_tests(quantities, numbers, is_wrong)), is_wrong, np.ones(len(cases)),
                     least=_CASES)
    if (found is None or found.precision < _PRECISE or found.missed
            or len(found.words) > (depth or len(found.words))):
        return Located()
    inside = np.isin(table.case, numbers[found.mask])
    right  = float(table.weight[inside & ~table.wrong].sum())
    return Located(f"all wrong outputs lie {join_words(found.words)}",
                   1 - right / total)
