# SPDX-License-Identifier: Apache-2.0
"""Results or constants left in a device by an earlier case with the same shape."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xymac.host.kit.case import Case

__all__ = ["find_stale"]

_LEAST = 3  #: Fewest wrong cases that name a fault.


def find_stale(cases: Sequence[Case], expected: Sequence[np.ndarray],
               results: Sequence[np.ndarray], wrong: Sequence[int]) -> str:
    """Name an earlier case's data behind all wrong results, as a sentence; "" without.

    Parameters
    ----------
    cases, expected, results : lists in the device's order
    wrong : numbers of the cases with differences
    """
    if len(wrong) < _LEAST or cases[wrong[0]].operation == "network":
        return ""
    for words, key, pick in _earlier(cases):
        if _explains(key, lambda number, old: expected[old], pick, (cases, results, wrong)):
            return f"the results are those of {words}"
    for name in ("weights", "bias"):
        for words, key, pick in _earlier_constants(cases, name):
            if _explains(key, _with(cases, name), pick, (cases, results, wrong)):
                return f"the {name} {'are' if name == 'weights' else 'is'} of {words}"
    return ""


def _earlier(cases):
    """Triples (words, function from a case number to a key, which case with the key)."""
    def inputs(number):
        return (cases[number].shape, tuple(
            np.shape(getattr(x, "data", x)) for x in cases[number].inputs))

    def output(number):
        return cases[number].shape

    for key, thing in ((output, "result"), (inputs, "input and result")):
        yield f"the case before with the same shape of {thing}", key, "last"
        yield f"the first case with the same shape of {thing}", key, "first"


def _earlier_constants(cases, name):
    def key(number):
        tensor = getattr(cases[number].layer, name, None)
        return None if tensor is None or isinstance(tensor, tuple) else np.shape(
            getattr(tensor, "data", tensor))

    yield "the case before with the same shape", key, "last"
    yield "the first case with the same shape", key, "first"


def _explains(key: Callable, make: Callable, pick, held) -> bool:
    """Whether earlier cases explain all results; ``make`` gives a case's result with an earlier
    case's data.
    """
    cases, results, wrong = held
    seen, pairs = {}, []
    for number in range(len(cases)):
        kind = key(number)
        if kind is not None and kind in seen:
            pairs.append((number, seen[kind]))
        if pick == "last" or kind not in seen:
            seen[kind] = number
    if not set(wrong) <= {number for number, _ in pairs}:
        return False
    pairs.sort(key=lambda pair: pair[0] not in set(wrong))
    return all(_is_same(make, number, old, results[number]) for number, old in pairs)


def _is_same(make, number, old, got):
    try:
        return np.array_equal(make(number, old), got)
    except (ValueError, TypeError, IndexError, OverflowError):
        return False


def _with(cases, name):
    """Function from two case numbers to the first case's result with the second's constant."""
    def make(number, old):
        case, source = cases[number], getattr(cases[old].layer, name)
        target = getattr(case.layer, name)
        value  = source if isinstance(target, np.ndarray) else replace(target, data=source.data)
        return replace(case, layer=replace(case.layer, **{name: value})).expected()
    return make
