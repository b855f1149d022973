"""Which Rules explain what a device gave: one difference, then two, then three."""

from dataclasses import dataclass

import numpy as np

from .candidates import DIMENSIONS
from .groups import Groups, spread
from .rule import LIBRARY

__all__ = ["Found", "search"]

_EVEN   = 256  #: Outputs of all, evenly spread, on which rules are tried first,
_WRONG  = 192  #: and so many that a rule leaves unexplained, of each rule that seemed right.
_ENOUGH = 12   #: Rules that explain all.
_JUDGED = 8    #: Rules that explain most of them, and are tried on all outputs.
_BEAM   = 24   #: Rules that get one difference more,
_MOST   = 3    #: up to so many.


@dataclass(frozen=True)
class Found:
    """What a search found.

    Parameters
    ----------
    rules : list of Rules that explain all outputs, simplest first
    ranking : list of (Rule, outputs explained), most first
    """

    rules:   list
    ranking: list


class _Trial:
    """Scores of rules on Groups, each way of making outputs once."""

    def __init__(self, groups):
        self.groups = groups
        self.scores = {}
        self._seen  = set()
        self._given = {}

    def rate(self, rules):
        """Rate ``rules``; return those that explain all outputs."""
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

    def best(self, count):
        """The first ``count`` rules of a ranking, of those that give the same outputs the first."""
        ranking = sorted(self.scores, key=lambda rule: -self.scores[rule])
        return list({self._given[rule]: rule for rule in reversed(ranking)}.values())[::-1][:count]


class _Sample:
    """Some outputs of Groups: those that tell rules apart, as soon as a rule was wrong on them."""

    def __init__(self, groups):
        self._groups = groups
        self._picks  = [spread(np.arange(group.sums.count), self._share(_EVEN))
                        for group in groups.groups]

    def _share(self, count):
        return -(-count // len(self._groups.groups))

    def add(self, rule):
        """Add outputs that ``rule`` does not explain."""
        right = self._groups.right(self._groups.values(self._groups.narrowings(rule)))
        for place, fine in enumerate(right):
            wrong = spread(np.flatnonzero(~fine), self._share(_WRONG))
            self._picks[place] = np.union1d(self._picks[place], wrong)

    def groups(self):
        """Groups of these outputs, one for each narrowing."""
        return Groups.join([group.take(picks) for group, picks
                            in zip(self._groups.groups, self._picks, strict=True)])


def search(groups, known=()):
    """Found, of Groups of which some outputs differ from the library; ``known`` are Rules that the
    device has, with or without others."""
    whole  = _Trial(groups)
    sample = _Sample(groups)
    bases  = list(dict.fromkeys([LIBRARY, *known]))
    full   = whole.rate(bases)
    for rule in bases:
        sample.add(rule)
    for _ in range(_MOST):
        full, bases = (full, bases) if full else _extend(whole, sample, bases)
    full.sort(key=lambda rule: len(rule.clauses(groups.shifts)))
    return Found(full, sorted(whole.scores.items(), key=lambda item: -item[1]))


def _extend(whole, sample, bases):
    """Rules that explain all outputs, of those with one difference more than ``bases``, and the
    best of all."""
    trial = _Trial(sample.groups())
    full  = trial.rate(
        base | other for base in bases for kind in DIMENSIONS for other in kind
        if not base.given.keys() & other.given.keys())
    right = _confirm(whole, sample, full)
    if not right:
        whole.rate(trial.best(_JUDGED))
        sample.add(whole.best(1)[0])
    return right, trial.best(_BEAM)


def _confirm(whole, sample, rules):
    """Those of ``rules``, which explain the sample, that explain the whole.

    A rule that does not gives the sample outputs on which it fails: most others fail there, too.
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
