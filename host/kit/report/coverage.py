"""Functional coverage: what a device has seen, and what it has not."""

from fractions import Fraction

import numpy as np

from host.kit.facts import facts_of

__all__ = ["cover", "list_missed"]

_OUTPUTS = ("lowest", "highest", "between")
_TIES    = ("tie", "tie below 0", "near a tie", "exact", "other", "beyond the clip")
_WIDE    = ("elements", "shift", "low", "high")  #: Quantities whose values are counted by size.
_NEAR    = Fraction(1, 64)                       #: Of a step of the output.


def cover(task, expected):
    """Coverage of a Task: a dict by quantity of dicts by bin, a str: how many cases hit it.

    A bin that was never hit is there with 0. ``expected`` are the outputs of the cases.
    """
    bins = {quantity: {str(value).strip(): 0 for value in hits}
            for quantity, hits in task.hits.items()}
    for quantity, hits in task.hits.items():
        for value, count in hits.items():
            bins[quantity][str(value).strip()] += count
    for case in task.cases:
        for quantity, value in facts_of(case).items():
            if quantity not in task.hits:
                _count(bins, quantity, _bin(quantity, value))
    bins["outputs that are"] = _ends(expected)
    if task.support.operation == "requantise":
        bins["sums that are"] = _ties(task.cases)
    return bins


def list_missed(coverage):
    """[(quantity, bin)] of what was never hit."""
    return [(quantity, name) for quantity, hits in coverage.items()
            for name, count in hits.items() if not count]


def _count(bins, quantity, name, hits=1):
    counts = bins.setdefault(quantity, {})
    counts[name] = counts.get(name, 0) + hits


def _bin(quantity, value):
    if quantity not in _WIDE or not isinstance(value, int) or abs(value) < 2:
        return str(value)
    low = 1 << abs(value).bit_length() - 1
    return f"{low}..{2 * low - 1}" if value > 0 else f"-{2 * low - 1}..-{low}"


def _ends(expected):
    """In how many cases there are outputs at the ends of what is there, and between."""
    counts = dict.fromkeys(_OUTPUTS, 0)
    for values in expected:
        limits = np.iinfo(values.dtype)
        for name, is_there in (("lowest", values == limits.min), ("highest", values == limits.max),
                               ("between", (values > limits.min) & (values < limits.max))):
            counts[name] += bool(is_there.any())
    return counts


def _ties(cases):
    """In how many cases of a requantiser there are sums that lie between two outputs."""
    counts = dict.fromkeys(_TIES, 0)
    for case in cases:
        for name in {_place(case.layer, int(value), channel)
                     for row in case.inputs[0] for channel, value in enumerate(row)}:
            counts[name] += 1
    return counts


def _place(unit, value, channel):
    """Where a sum comes to lie, exactly."""
    multiplier, shift, early, addend = (
        each[channel if len(each) > 1 else 0]
        for each in (unit.multiplier, unit.shift, unit.early, unit.addend))
    if unit.dialect == "tflm":
        exact = Fraction(value * multiplier, 1 << 31) * Fraction(2) ** shift
    else:
        exact = Fraction(value * multiplier, 1 << shift + early) + Fraction(addend, 1 << shift)
    if not unit.low <= exact + unit.zero_point <= unit.high:
        return "beyond the clip"
    rest = exact % 1
    if rest == Fraction(1, 2):
        return "tie below 0" if exact < 0 else "tie"
    if rest == 0:
        return "exact"
    return "near a tie" if abs(rest - Fraction(1, 2)) < _NEAR else "other"
