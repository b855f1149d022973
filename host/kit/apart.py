# SPDX-License-Identifier: Apache-2.0
"""Stimuli to distinguish two Rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.fixed import container

from .model import compute
from .sums import ROWS, TERMS

if TYPE_CHECKING:
    from xymac.host.kit.groups import Groups
    from xymac.host.kit.rule import Rule

__all__ = ["Stimulus", "tell_apart"]

_CHANNELS = 32  #: Number of tried parameter sets,
_GOALS    = 24  #: with so many outputs each at whose edge sums are tried,
_NEAR     = 3   #: and number of sums on either side.
_BITS     = 32  #: Width of a sum.


@dataclass(frozen=True)
class Stimulus:
    """A sum, bias included, with different outputs under two rules, for ``case``'s parameters.

    Parameters
    ----------
    value : int, the sum
    case, index : case number, and the output's flat index
    first, second : int, outputs under the first and the second rule
    """

    value:  int
    case:   int
    index:  int
    first:  int
    second: int


def tell_apart(groups: Groups, one: Rule, other: Rule) -> Stimulus | None:
    """A Stimulus that distinguishes the Rules ``one`` and ``other``, or None.

    The search varies only the sum, so it cannot distinguish rules with earlier differences, for
    example in the bias.
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
    """Sums whose totals are ``values`` [values, outputs], in C order."""
    short = ({name: getattr(sums, name)[:1] for name in ROWS}  # products are not taken over
             | {name: getattr(sums, name)[:0] for name in TERMS})
    taken = replace(sums, **short).take(np.tile(np.arange(sums.count), len(values)))
    zeros = np.zeros(taken.count, np.int64)
    every = values.reshape(1, -1)
    return replace(taken, elements=every, weights=np.ones_like(every), bias=zeros, padding=zeros,
                   input_zero=zeros, outside=zeros)


def _edges(sums):
    """Powers of two, 1.5 times powers of two, and their neighbours, positive and negative."""
    edges = {0, *container(_BITS)}
    for place in range(_BITS - 1):
        for value in (1 << place, 3 << place >> 1):
            edges |= {sign * (value + step) for sign in (-1, 1) for step in (-1, 0, 1)}
    return np.broadcast_to(np.array(sorted(edges))[:, np.newaxis], (len(edges), sums.count))


def _boundaries(sums):
    """Sums next to the library's output changes, found by bisection."""
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
