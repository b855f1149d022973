# SPDX-License-Identifier: Apache-2.0
"""Order a command list's entries so that transfers run in parallel with programs."""

from dataclasses import dataclass
from itertools import product
from operator import le, lt

from .entries import RunEntry

__all__ = ["Ordered", "interleave", "order_entries", "schedule"]

_AHEAD   = 64  #: Transfers among which the next is chosen.
_SHARES  = 0.0, 0.25, 1.0, 1e9  #: Tried values of ``share``, see ``schedule``.


@dataclass(frozen=True)
class Ordered:
    """Entries in list order, with the counts their commands await.

    Parameters
    ----------
    entries : list of Move and RunEntry
    runs, moves : lists of int, run and transfer counts, see ``Command``
    cycles : int, estimated cycles for the list
    """

    entries: list
    runs:    list
    moves:   list
    cycles:  int

    def commands(self):
        """List of Commands, without END."""
        return [entry.command(*counts) for entry, *counts in zip(
            self.entries, self.runs, self.moves, strict=True)]


def order_entries(entries, needs, cycles):
    """The Ordered with the fewest estimated cycles.

    ``cycles`` are the estimated cycles per entry, ``needs`` is the ``find_needs`` result.
    """
    starts, end = min((schedule(entries, needs, cycles, share, moves)
                       for moves in _move_orders(entries, needs) for share in _SHARES),
                      key=lambda each: each[1])
    order = sorted(range(len(entries)), key=lambda index: (
        starts[index], isinstance(entries[index], RunEntry), index))
    return Ordered([entries[index] for index in order],
                   *_counts(entries, needs, order), end)


def _move_orders(entries, needs):
    """Two transfer orders, lists of entry indices.

    The first keeps the order in ``entries``; the second sorts the transfers by the first run to
    need them, directly or through other entries.
    """
    runs  = sum(isinstance(entry, RunEntry) for entry in entries)
    first = [runs] * len(entries)  # the first run that needs an entry
    for index in reversed(range(len(entries))):
        if isinstance(entries[index], RunEntry):
            runs -= 1
            first[index] = runs
        for other in needs[index]:
            first[other] = min(first[other], first[index])
    moves = [index for index, entry in enumerate(entries) if not isinstance(entry, RunEntry)]
    return [moves, sorted(moves, key=lambda index: (first[index], index))]


def interleave(ordered, starts):
    """Yield orders to try for an Ordered: each run stands before the transfers which begin later
    than the run, or later than the preceding run.

    Runs, transfers and counts stay the same. A core decodes few commands ahead: a run behind a
    late transfer would be decoded late, and so would the transfers behind an early run.

    Parameters
    ----------
    ordered : Ordered
    starts : list of float, start cycle per entry
    """
    for before, compare in product((1, 0), (le, lt)):
        yield _interleave(ordered, starts, before, compare)


def _interleave(ordered, starts, before, compare):
    """The order with each run before the first transfer for which ``compare`` holds.

    It compares the run's start, or the start ``before`` runs earlier, with the transfer's start.
    """
    kinds = [isinstance(entry, RunEntry) for entry in ordered.entries]
    runs, moves = ([index for index, kind in enumerate(kinds) if kind is wanted]
                   for wanted in (True, False))
    order, ran = [], 0
    for number, move in enumerate(moves):
        while ran < len(runs) and ordered.moves[runs[ran]] <= number and (
                ordered.runs[move] > ran
                or compare(starts[runs[max(0, ran - before)]], starts[move])):
            order.append(runs[ran])
            ran += 1
        order.append(move)
    order += runs[ran:]
    return Ordered(*([each[index] for index in order] for each in (
        ordered.entries, ordered.runs, ordered.moves)), ordered.cycles)


def _counts(entries, needs, order):
    """(run counts, transfer counts) awaited by each entry in ``order``."""
    ranks, totals = {}, [0, 0]
    for index in order:
        kind = isinstance(entries[index], RunEntry)
        totals[kind] += 1
        ranks[index] = totals[kind]
    runs, moves = [], []
    for index in order:
        is_run = isinstance(entries[index], RunEntry)
        behind = [ranks[other] for other in needs[index]
                  if isinstance(entries[other], RunEntry) != is_run]
        runs.append(0 if is_run else max(behind, default=0))
        moves.append(max(behind, default=0) if is_run else 0)
    return runs, moves


def schedule(entries, needs, cycles, share, moves):
    """Schedule runs in sequence, and transfers in sequence beside them.

    Returns ({entry index: start cycle}, last end cycle). The next transfer is the first in
    ``moves``, a list of entry indices, whose needs are scheduled. If it has to wait, a later
    transfer overtakes it, provided the delay is at most ``share`` of the later transfer's cycles.
    """
    starts, ends = {}, {}
    runs  = [index for index, entry in enumerate(entries) if isinstance(entry, RunEntry)][::-1]
    moves = list(moves)
    moved = ran = 0

    def begin(index, free):
        starts[index] = max(free, *(ends[other] for other in needs[index]), 0)
        ends[index]   = starts[index] + cycles[index]
        return ends[index]

    while runs or moves:
        while runs and needs[runs[-1]] <= ends.keys():
            ran = begin(runs.pop(), ran)
        if moves:
            index = _next(moves[:_AHEAD], needs, ends, cycles, moved, share)
            moved = begin(index, moved)
            moves.remove(index)
    return starts, max(moved, ran)


def _next(moves, needs, ends, cycles, free, share):
    """The next transfer's index, see ``schedule``."""
    first = begin = None
    for index in moves:
        if not needs[index] <= ends.keys():
            continue
        start = max(free, *(ends[other] for other in needs[index]), 0)
        if first is None:
            first, begin = index, start
            if start <= free:
                return index
        elif start < begin and start + (1 - share) * cycles[index] <= begin:
            return index
    return first
