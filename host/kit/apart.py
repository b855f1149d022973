"""A stimulus that tells two Rules apart."""

from dataclasses import dataclass, replace

import numpy as np

from golden.fixed import container

from .model import compute
from .sums import TERMS

__all__ = ["Stimulus", "tell_apart"]

_CHANNELS = 32  #: Sets of parameters that are tried,
_GOALS    = 24  #: with so many outputs each at whose edge sums are tried,
_NEAR     = 3   #: and so many sums to either side of it.
_BITS     = 32  #: Of a sum.


@dataclass(frozen=True)
class Stimulus:
    """A sum, bias included, that tells two rules apart; the parameters are those of ``case``.

    Parameters
    ----------
    value : int, the sum
    case, index : number of the case, and flat index of the output
    first, second : int, outputs under either rule
    """

    value:  int
    case:   int
    index:  int
    first:  int
    second: int


def tell_apart(groups, one, other):
    """Stimulus for the Rules ``one`` and ``other``, None if none was found.

    Rules that differ in what comes before the sum, its bias among them, need operands that are not
    tried here.
    """
    for group in groups.groups:
        places = np.linspace(0, group.sums.count - 1, min(group.sums.count, _CHANNELS)).astype(int)
        taken  = group.sums.take(places)
        sums   = _alone(taken, np.concatenate([_edges(taken), _boundaries(taken)]))
        first, second = (compute(sums.narrowing.under(rule), sums) for rule in (one, other))
        differ = np.flatnonzero(first != second)
        if differ.size:
            place = differ[np.argmin(np.abs(sums.elements[0, differ]))]
            return Stimulus(int(sums.elements[0, place]), int(sums.case[place]),
                            int(sums.index[place]), int(first[place]), int(second[place]))
    return None


def _alone(sums, values):
    """The outputs of Sums with ``values`` [values, outputs] for sums, one after the other."""
    taken = sums.take(np.tile(np.arange(sums.count), len(values)))
    zeros = np.zeros(taken.count, np.int64)
    every = values.reshape(1, -1)
    terms = {name: getattr(taken, name)[:0] for name in TERMS}
    return replace(taken, elements=every, weights=np.ones_like(every), bias=zeros, padding=zeros,
                   input_zero=zeros, outside=zeros, **terms)


def _edges(sums):
    """Powers of two, one and a half of them, and one beside each, of both signs."""
    edges = {0, *container(_BITS)}
    for place in range(_BITS - 1):
        for value in (1 << place, 3 << place >> 1):
            edges |= {sign * (value + step) for sign in (-1, 1) for step in (-1, 0, 1)}
    return np.broadcast_to(np.array(sorted(edges))[:, np.newaxis], (len(edges), sums.count))


def _boundaries(sums):
    """Sums next to where outputs change in the library, found by halving."""
    shape = _GOALS, sums.count
    low, high = (np.full(shape, end, np.int64) for end in container(_BITS))

    def outputs(values):
        return compute(sums.narrowing, _alone(sums, values)).reshape(shape)

    first, last = outputs(low) + 1, outputs(high)
    goals = first + np.arange(_GOALS)[:, np.newaxis] * np.maximum(last - first, 0) // (_GOALS - 1)
    for _ in range(_BITS):
        middle    = (low + high) // 2
        less      = outputs(middle) < goals
        low, high = np.where(less, middle, low), np.where(less, high, middle)
    steps = np.arange(-_NEAR, _NEAR + 1)[:, np.newaxis, np.newaxis]
    return np.clip((high + steps).reshape(-1, sums.count), *container(_BITS))
