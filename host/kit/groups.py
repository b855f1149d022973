# SPDX-License-Identifier: Apache-2.0
"""Outputs from many cases grouped by narrowing, beside the device's results."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .libraries import sums_of
from .model import compute
from .sums import Sums

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xymac.host.kit.case import Case
    from xymac.host.kit.narrowing import Narrowing
    from xymac.host.kit.rule import Rule

__all__ = ["Group", "Groups", "gather", "spread"]

_PRODUCTS = 1 << 23  #: Maximum number of products; larger cases are sampled.


@dataclass(frozen=True, eq=False)
class Group:
    """Sums with a common narrowing, and the device's results: ``results``, an int64 array.

    ``known`` keeps rounded results of the sums, see ``stages``.
    """

    sums:    Sums
    results: np.ndarray
    known:   dict = field(default_factory=dict)

    def take(self, places: np.ndarray) -> Group:
        """The outputs at ``places``."""
        return Group(self.sums.take(places), self.results[places])


@dataclass(frozen=True, eq=False)
class Groups:
    """All outputs.

    Parameters
    ----------
    groups : tuple of Group
    sampled : bool, whether some outputs were left out
    """

    groups:  tuple
    sampled: bool = False

    @property
    def count(self) -> int:
        """Outputs."""
        return sum(group.sums.count for group in self.groups)

    @cached_property
    def has_bias(self) -> bool:
        """Whether any output has a bias."""
        return any(group.sums.bias.any() for group in self.groups)

    @property
    def shifts(self) -> int:
        """A sum's right shifts in the library, 1 or 2."""
        return max(group.sums.narrowing.shifts for group in self.groups)

    def narrowings(self, rule: Rule) -> tuple[Narrowing, ...]:
        """All groups' Narrowings under ``rule``, a tuple; equal narrowings give equal outputs."""
        return tuple(group.sums.narrowing.under(rule) for group in self.groups)

    def values(self, narrowings: Sequence[Narrowing]) -> list[np.ndarray]:
        """Outputs computed with ``narrowings``, an int64 array per group."""
        return [compute(narrowing, group.sums, group.known)
                for narrowing, group in zip(narrowings, self.groups, strict=True)]

    def right(self, values: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Whether ``values`` equal the device's results: a bool array per group."""
        return [part == group.results for part, group in zip(values, self.groups, strict=True)]

    def wrong(self, narrowings: Sequence[Narrowing]) -> dict[int, np.ndarray]:
        """{case number: flat indices of outputs that differ from the device's results}."""
        pairs = [(group.sums.case[~right], group.sums.index[~right])
                 for group, right in zip(self.groups, self.right(self.values(narrowings)),
                                         strict=True)]
        cases, places = (np.concatenate(part) for part in zip(*pairs, strict=True))
        return {int(number): np.sort(places[cases == number]) for number in np.unique(cases)}

    def score(self, values: Sequence[np.ndarray]) -> int:
        """Count of ``values`` equal to the device's results."""
        return sum(int(np.count_nonzero(right)) for right in self.right(values))

    @staticmethod
    def join(groups: Sequence[Group]) -> Groups:
        """Groups for all outputs in a list of Group; groups with equal narrowings and about as many
        products are merged, as zeros fill the missing products.
        """
        parts = {}
        for group in groups:
            kind = group.sums.narrowing, group.sums.elements.shape[0].bit_length()
            parts.setdefault(kind, []).append(group)
        return Groups(tuple(_join(part) for part in parts.values()))


def _join(groups):
    return Group(Sums.join([group.sums for group in groups]),
                 np.concatenate([group.results for group in groups]))


def spread(places: np.ndarray, count: int) -> np.ndarray:
    """At most ``count`` evenly spread ``places``."""
    if len(places) <= count:
        return places
    return places[np.linspace(0, len(places) - 1, count).astype(int)]


def gather(cases: Mapping[int, Case], expected: Mapping[int, np.ndarray] | Sequence[np.ndarray],
           results: Mapping[int, np.ndarray] | Sequence[np.ndarray]) -> Groups:
    """Groups of cases that all have a model.

    Parameters
    ----------
    cases : {case number: Case}
    expected, results : arrays by case number
    """
    parts, sampled = [], False
    budget = _PRODUCTS // max(len(cases), 1)
    for number, case in cases.items():
        result = results[number].reshape(-1).astype(np.int64)
        places = np.arange(result.size)
        terms  = sums_of(case, places[:1]).elements.shape[0]
        if terms * result.size > budget:
            wrong   = result != expected[number].reshape(-1)
            half    = max(budget // (2 * terms), 1)
            places  = np.sort(np.concatenate([spread(np.flatnonzero(part), half)
                                              for part in (wrong, ~wrong)]))
            sampled = sampled or len(places) < result.size
        sums = sums_of(case, places).of_case(number)
        parts.append(Group(sums, result[places]))
    return replace(Groups.join(parts), sampled=sampled)
