# SPDX-License-Identifier: Apache-2.0
"""Functional coverage: values with and without a case."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xymac.host.kit.accumulate import SUMMING
from xymac.host.kit.facts import facts_of
from xymac.host.kit.libraries import has_sums, sums_of
from xymac.host.kit.stimuli.aim import is_aligned
from xymac.host.kit.stimuli.reach import limit_of
from xymac.host.kit.sums import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xymac.host.kit.stimuli.tasks import Task

__all__ = ["cover", "list_missed"]

_OUTPUTS = ("lowest", "highest", "between")
_TIES    = ("tie", "tie below 0", "near a tie", "exact", "other", "beyond the clip")
_CLIPS   = ("below the lowest", "lowest", "highest", "above the highest")
_SMALL   = 14    #: Bits of sums that need no bins of their own.
_FEW     = 8     #: Cases whose limits are looked at,
_MANY    = 100   #: if so many should reach every magnitude.
#: Quantities whose values are counted by size.
_WIDE    = ("elements", "multiplier", "shift", "low", "high")
_UNCOUNTED = ("shape",)  #: Quantities with other values in almost every case.
_NEAR    = 32    #: A sum is near a tie within half a step divided by this.
_LOOKED_AT = 64  #: Maximum number of sums per case.


def cover(task: Task, expected: Sequence[np.ndarray]) -> dict[str, dict[str, int]]:
    """A Task's coverage: {quantity: {bin: case count}}; bins are str.

    A bin without a hit has 0 cases. ``expected`` are the cases' outputs.
    """
    bins = {quantity: {str(value).strip(): 0 for value in hits}
            for quantity, hits in task.hits.items()}
    for quantity, hits in task.hits.items():
        for value, count in hits.items():
            bins[quantity][str(value).strip()] += count
    for case in task.cases:
        for quantity, value in facts_of(case).items():
            if quantity not in task.hits and quantity not in _UNCOUNTED:
                _count(bins, quantity, _bin(quantity, value))
    if task.cases:
        bins["outputs that are"] = _ends(expected)
    if task.cases and all(map(has_sums, task.cases)):
        bins |= _sums(task.cases)
    return bins


def list_missed(coverage: Mapping[str, Mapping[str, int]]) -> list[tuple[str, str]]:
    """[(quantity, bin)] for the bins without a hit."""
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
    """Case counts with outputs at the lowest and at the highest value, and between."""
    counts: dict[str, int] = dict.fromkeys(_OUTPUTS, 0)
    for values in expected:
        limits = np.iinfo(values.dtype)
        for name, is_there in (("lowest", values == limits.min), ("highest", values == limits.max),
                               ("between", (values > limits.min) & (values < limits.max))):
            counts[name] += bool(is_there.any())
    return counts


def _sums(cases):
    """Case counts by exact position between two outputs, by side of a clip, and by magnitude of
    partial sums and biases.
    """
    bins = {"sums that are": dict.fromkeys(_TIES, 0), "outputs beside a clip": {},
            "largest partial sum": {}, "largest bias": {}}
    for case in cases:
        size   = case.expected().size
        places = np.unique(np.linspace(0, size - 1, min(size, _LOOKED_AT)).astype(int))
        sums   = sums_of(case, places)
        ties, clips = _places(sums)
        lowest, highest = _partial(sums)
        found  = {"sums that are": ties, "outputs beside a clip": clips,
                  "largest partial sum": _sizes(lowest, highest),
                  "largest bias": _sizes(sums.bias, sums.bias)}
        for quantity, names in found.items():
            for name in names:
                _count(bins, quantity, name)
    if not hasattr(cases[0].layer, "weights") or cases[0].operation in SUMMING:
        del bins["largest bias"]
    elif len(cases) >= _MANY:
        for quantity in ("largest partial sum", "largest bias")[:1 + is_aligned(cases[0])]:
            bins[quantity] = _in_order(bins[quantity], _expected(cases))
    return bins


def _partial(sums):
    """(lowest, highest) partial sum of each output, bias included."""
    running = np.cumsum(np.concatenate([sums.bias[np.newaxis], sums.products]), axis=0)
    return running.min(axis=0), running.max(axis=0)


def _sizes(lowest, highest):
    """Bins for magnitudes, a set of str."""
    ends = [-int(value).bit_length() for value in lowest if value < 0]
    ends += [int(value).bit_length() for value in highest if value > 0]
    return {_size(end) for end in ends}


def _size(bits):
    """The bin of magnitudes with ``bits`` bits, negative below 0."""
    if abs(bits) <= _SMALL:
        return f"below 2**{_SMALL}"
    return f"{'-' if bits < 0 else ''}2**{abs(bits) - 1} and more"


def _expected(cases):
    """Bins that should have a case: magnitudes up to the library's limit."""
    limit = max(limit_of(case, sums_of(case, np.zeros(1, int))) for case in cases[:_FEW])
    return [_size(sign * bits) for sign in (-1, 1) for bits in range(_SMALL + 1, limit + 1)]


def _in_order(bins, names):
    """Bins with ``names`` first."""
    return {name: bins.get(name, 0) for name in dict.fromkeys([*names, *sorted(bins)])}


def _places(sums):
    """Sets with Sums' positions between two outputs, words from ``_TIES``, and beside a clip, from
    ``_CLIPS``.

    An exact output is an integer before rounding.
    """
    wide = {name: getattr(sums, name).astype(object) for name in COLUMNS}
    bits  = wide["early"] + wide["shift"]
    up    = np.maximum(-bits, 0)
    down  = np.maximum(bits, 0)
    whole = (sums.total.astype(object) + wide["bias"]) * 2 ** wide["left"]
    exact = (whole * wide["factor"] * wide["multiplier"]
             + wide["addend"] * 2 ** wide["early"]) * 2 ** up
    step  = 2 ** down * wide["divisor"]
    value, rest = exact // step + wide["zero"], exact % step
    beyond = (value < wide["low"]) | (value + (rest > 0) > wide["high"])
    tie    = 2 * rest == step
    near   = abs(2 * rest - step) * _NEAR < step
    clips  = {name for name, place in zip(_CLIPS, (
        wide["low"] - 1, wide["low"], wide["high"], wide["high"] + 1), strict=True)
        if (value == place).any()}
    return {str(name) for name in np.select(
        [beyond, tie & (exact < 0), tie, rest == 0, near],
        ["beyond the clip", "tie below 0", "tie", "exact", "near a tie"], "other")}, clips
