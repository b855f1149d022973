"""Outputs of many cases gathered by how they are made, beside what a device gave for them."""

from dataclasses import dataclass

import numpy as np

from .libraries import sums_of
from .model import compute
from .sums import Sums

__all__ = ["Group", "Groups", "gather", "spread"]

_PRODUCTS = 1 << 23  #: Products that are looked at; of more outputs some are taken.


@dataclass(frozen=True, eq=False)
class Group:
    """Sums of one narrowing, and what a device gave: ``results``, an int64 array."""

    sums:    Sums
    results: np.ndarray

    def take(self, places):
        """The outputs at ``places``."""
        return Group(self.sums.take(places), self.results[places])


@dataclass(frozen=True, eq=False)
class Groups:
    """All outputs.

    Parameters
    ----------
    groups : tuple of Group
    sampled : bool, whether there are outputs that were not taken
    """

    groups:  tuple
    sampled: bool = False

    @property
    def count(self):
        """Outputs."""
        return sum(group.sums.count for group in self.groups)

    @property
    def shifts(self):
        """Right shifts of a sum in the library, 1 or 2."""
        return max(group.sums.narrowing.shifts for group in self.groups)

    def narrowings(self, rule):
        """How outputs are made under ``rule``, a tuple; equal ones give equal outputs."""
        return tuple(group.sums.narrowing.under(rule) for group in self.groups)

    def values(self, narrowings):
        """Outputs made as ``narrowings`` say, an int64 array a group."""
        return [compute(narrowing, group.sums)
                for narrowing, group in zip(narrowings, self.groups, strict=True)]

    def right(self, values):
        """Which of ``values``, as the function gives them, are what the device gave: arrays of
        bool."""
        return [part == group.results for part, group in zip(values, self.groups, strict=True)]

    def wrong(self, narrowings):
        """{number of a case: flat places of outputs that are not what the device gave}."""
        pairs = [(group.sums.case[~right], group.sums.index[~right])
                 for group, right in zip(self.groups, self.right(self.values(narrowings)),
                                         strict=True)]
        cases, places = (np.concatenate(part) for part in zip(*pairs, strict=True))
        return {int(number): np.sort(places[cases == number]) for number in np.unique(cases)}

    def score(self, values):
        """How many of ``values`` are what the device gave."""
        return sum(int(np.count_nonzero(right)) for right in self.right(values))

    @staticmethod
    def join(groups):
        """Groups of all outputs of a list of Group, those of one narrowing in one."""
        parts = {}
        for group in groups:
            parts.setdefault(group.sums.narrowing, []).append(group)
        return Groups(tuple(_join(part) for part in parts.values()))


def _join(groups):
    return Group(Sums.join([group.sums for group in groups]),
                 np.concatenate([group.results for group in groups]))


def spread(places, count):
    """At most ``count`` of ``places``, evenly spread."""
    if len(places) <= count:
        return places
    return places[np.linspace(0, len(places) - 1, count).astype(int)]


def gather(cases, expected, results):
    """Groups of cases that all have a model.

    Parameters
    ----------
    cases : {number: Case}
    expected, results : arrays by the number of the case
    """
    parts, sampled = {}, False
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
            sampled = True
        sums = sums_of(case, places).of_case(number)
        kind = sums.narrowing, terms.bit_length()  # what is joined is filled up
        parts.setdefault(kind, []).append(Group(sums, result[places]))
    return Groups(tuple(_join(group) for group in parts.values()), sampled)
