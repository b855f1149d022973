"""Which Rules explain what a device gave: one difference, then two, then three."""

from dataclasses import dataclass
from itertools import islice

from .candidates import DIMENSIONS, pairs
from .rule import LIBRARY

__all__ = ["Found", "search"]

_THIN   = 512  #: Outputs on which many rules are tried.
_BEAM   = 12   #: Rules of two differences that get a third,
_JUDGED = 8    #: and of all that explain most of these outputs, so many are tried on all outputs.


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

    def rate(self, rules):
        """Rate ``rules``; return those that explain all outputs."""
        full = []
        for rule in rules:
            narrowings = self.groups.narrowings(rule)
            if narrowings in self._seen:
                continue
            self._seen.add(narrowings)
            self.scores[rule] = self.groups.score(narrowings)
            if self.scores[rule] == self.groups.count:
                full.append(rule)
        return full

    def best(self, count):
        """The first ``count`` rules of a ranking."""
        return sorted(self.scores, key=lambda rule: -self.scores[rule])[:count]


def search(groups):
    """Found, of Groups."""
    whole = _Trial(groups)
    whole.rate([LIBRARY])
    full  = whole.rate(rule for kind in DIMENSIONS for rule in kind)
    if not full:
        full = whole.rate(_combine(groups, whole))
    full.sort(key=lambda rule: len(rule.clauses(groups.shifts)))
    ranking = sorted(whole.scores.items(), key=lambda item: -item[1])
    return Found(full, ranking)


def _combine(groups, whole):
    """Rules of two differences, or of three, that explain most of some of the outputs."""
    library = groups.narrowings(LIBRARY)
    thin    = groups.thin(library, _THIN)
    usual   = _outputs(thin, LIBRARY)
    kinds   = [[rule for rule in kind if rule in whole.scores and _outputs(thin, rule) != usual]
               for kind in DIMENSIONS]
    trial = _Trial(thin)
    full  = trial.rate(pairs(kinds))
    if not full:
        beam  = trial.best(_BEAM)
        full  = trial.rate(rule | third for rule in beam for kind in kinds for third in kind
                           if not rule.given.keys() & third.given.keys())
    return [*full, *islice((rule for rule in trial.best(2 * _JUDGED) if rule not in full),
                            _JUDGED)]


def _outputs(groups, rule):
    """All outputs under ``rule``, bytes."""
    return b"".join(values.tobytes() for values in groups.values(groups.narrowings(rule)))
