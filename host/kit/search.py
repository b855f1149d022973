# SPDX-License-Identifier: Apache-2.0
"""Search for Rules behind a device's results: a single difference, then two, then three."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .candidates import DIMENSIONS
from .groups import Groups, spread
from .rule import LIBRARY, When

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from xymac.host.kit.rule import Rule

__all__ = ["Found", "search"]

_EVEN   = 256  #: Evenly spread outputs in the first sample,
_WRONG  = 192  #: and outputs added to it per rejected rule.
_ENOUGH = 12   #: Number of complete explanations that ends the search.
_JUDGED = 8    #: Number of the sample's best rules tried on all outputs.
_BEAM   = 24   #: Number of rules extended by a further difference.


@dataclass(frozen=True)
class Found:
    """A search result.

    Parameters
    ----------
    rules : list of Rules, each right for all outputs, simplest first
    ranking : list of (Rule, explained outputs), best first
    """

    rules:   list
    ranking: list


class _Trial:
    """Rule scores on Groups; each distinct narrowing is computed once."""

    def __init__(self, groups: Groups) -> None:
        self.groups = groups
        self.scores = {}
        self._seen  = set()
        self._given = {}

    def rate(self, rules: Iterable[Rule]) -> list[Rule]:
        """Score ``rules``; returns the rules right for all outputs."""
        full = []
        for rule in rules:
            narrowings = self.groups.narrowings(rule)
            if narrowings in self._seen:
                continue
            self._seen.add(narrowings)
            values = self.groups.values(narrowings)
            self.scores[rule] = self.groups.score(values)
            self._given[rule] = hash(b"".join(part.tobytes() for part in values))
            if self.scores[rule] == self.groups.count:
                full.append(rule)
        return full

    def best(self, count: int) -> list[Rule]:
        """The ``count`` best rules, a single rule for equal outputs."""
        ranking = sorted(self.scores, key=lambda rule: -self.scores[rule])
        return list({self._given[rule]: rule for rule in reversed(ranking)}.values())[::-1][:count]


class _Sample:
    """A subset of the outputs of Groups; each rejected rule adds its wrong outputs."""

    def __init__(self, groups: Groups) -> None:
        self._groups = groups
        self._picks  = [spread(np.arange(group.sums.count), self._share(_EVEN))
                        for group in groups.groups]

    def _share(self, count):
        return -(-count // len(self._groups.groups))

    def add(self, rule: Rule) -> None:
        """Add outputs for which ``rule`` is wrong."""
        right = self._groups.right(self._groups.values(self._groups.narrowings(rule)))
        for index, fine in enumerate(right):
            wrong = spread(np.flatnonzero(~fine), self._share(_WRONG))
            self._picks[index] = np.union1d(self._picks[index], wrong)

    def groups(self) -> Groups:
        """Groups with the sampled outputs only."""
        return Groups.join([group.take(picks) for group, picks
                            in zip(self._groups.groups, self._picks, strict=True)])


def search(groups: Groups, known: Sequence[Rule] = (), most: int = 3) -> Found:
    """Search Rules for ``groups``, whose outputs differ from the library's.

    A candidate is the library or a rule in ``known`` (the device's declared Rules), with up to
    ``most`` further differences.
    """
    whole  = _Trial(groups)
    sample = _Sample(groups)
    bases  = list(dict.fromkeys([LIBRARY, *known]))
    full   = whole.rate(bases)
    for rule in bases:
        sample.add(rule)
    for _ in range(most):
        full, bases = (full, bases) if full else _extend(whole, sample, bases)
    full.sort(key=lambda rule: len(rule.clauses(groups.shifts)))
    return Found(full, sorted(whole.scores.items(), key=lambda item: -item[1]))


def _extend(whole, sample, bases):
    """Add a difference to each rule of ``bases``.

    Returns (rules that explain all outputs, best rules of the sample).
    """
    trial = _Trial(sample.groups())
    full  = trial.rate(
        base | other for base in bases for kind in DIMENSIONS for other in kind
        if not base.given.keys() & other.given.keys()
        and (whole.groups.has_bias or other.when is not When.BEFORE))
    right = _confirm(whole, sample, full)
    if not right:
        whole.rate(trial.best(_JUDGED))
        sample.add(whole.best(1)[0])
    return right, trial.best(_BEAM)


def _confirm(whole, sample, rules):
    """The ``rules`` right for all outputs; all of them are right for the sample.

    Each rejected rule adds outputs to the sample, on which most other wrong rules fail too.
    """
    right = []
    while rules and len(right) < _ENOUGH:
        first, *rules = rules
        if whole.rate([first]):
            right.append(first)
        else:
            sample.add(first)
            rules = _Trial(sample.groups()).rate(rules)
    return right
