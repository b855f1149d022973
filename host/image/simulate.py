# SPDX-License-Identifier: Apache-2.0
"""Simulate a command list: programs and transfers in parallel, with the core's queues."""

from collections import deque
from dataclasses import dataclass, field

__all__ = ["Work", "simulate"]

_DONE  = 1e-6  # cycles
_TAIL  = 22    # cycles in which a load requests no data, its last
_QUEUE = 2     # commands of a kind ahead of the decoder, one of them at work or waiting


@dataclass
class Work:
    """A waiting or running command.

    Parameters
    ----------
    is_run : bool, whether it is a program, not a transfer
    decode : float, cycles from the preceding command until it is decoded
    after : int, commands of the other kind which end before it begins
    phases : deque of [cycles left, share of cycles with a write by Region]
    reads : float, share of cycles in which a program has a step, or a store reads X
    """

    is_run: bool
    decode: float
    after:  int
    phases: deque = field(repr=False)
    reads:  float = 0.0

    @property
    def left(self):
        """Cycles left in the current phase."""
        return self.phases[0][0]

    @property
    def writes(self):
        """Shares of the current phase, by Region."""
        return self.phases[0][1]

    def pass_on(self, cycles):
        """Advance; returns whether the command has ended."""
        self.phases[0][0] -= cycles
        if self.left < _DONE:
            self.phases.popleft()
        return not self.phases


def simulate(works, *, queue=_QUEUE, ahead=0.0):
    """(Cycle in which the last Work ends, start cycle list, list of cycles without a program before
    each run and after the last), Works in list order.

    Programs run in sequence, and so do transfers. The next command is decoded once the preceding
    command is in the queue of its kind, which holds ``queue`` commands, the running command
    included. It arrives behind a running load's requested data, up to ``ahead`` cycles later.
    The Works are consumed.
    """
    return _Simulation(works, queue, ahead).run()


class _Simulation:
    def __init__(self, works, queue, ahead):
        self._coming, self._queue, self._ahead = deque(enumerate(works)), queue, ahead
        self._held   = {True: deque(), False: deque()}
        self._active = {True: None, False: None}
        self._ended  = {True: 0, False: 0}
        self._starts = [0.0] * len(works)
        self._moving = 0.0  # start of the last transfer
        self._idle, self._ran = [], 0.0  # see ``simulate``; end of the last run
        self._now, self._decoded = 0.0, works[0].decode if works else 0.0

    def run(self):
        """See ``simulate``."""
        while self._coming or any(self._held.values()) or any(self._active.values()):
            while self._begin() or self._take() or self._ask():
                pass
            rates = dict(zip((True, False), _rates(self._active[True], self._active[False]),
                             strict=True))
            times = [work.left / rates[kind] for kind, work in self._active.items()
                     if work and rates[kind]]
            if self._coming and self._decoded > self._now:
                times.append(self._decoded - self._now)
            self._now += min(times)
            for kind, work in self._active.items():
                if work and work.pass_on(min(times) * rates[kind]):
                    self._active[kind] = None
                    self._ended[kind] += 1
                    self._ran = self._now if kind else self._ran
        return self._now, self._starts, [*self._idle, self._now - self._ran]

    def _begin(self):
        """Begin all commands without a wait; returns whether there was such a command."""
        begun = False
        for kind, held in self._held.items():
            if self._active[kind] is None and held and self._ended[not kind] >= held[0][1].after:
                number, self._active[kind] = held.popleft()
                self._starts[number], begun = self._now, True
                if not kind:
                    self._moving = self._now
                if kind:
                    self._idle.append(self._now - self._ran)
        return begun

    def _take(self):
        """Put the decoded command into its queue; returns whether there was room."""
        if not self._coming or self._decoded is None or self._decoded > self._now:
            return False
        kind = self._coming[0][1].is_run
        if len(self._held[kind]) + (self._active[kind] is not None) >= self._queue:
            return False
        self._held[kind].append(self._coming.popleft())
        self._decoded = None
        return True

    def _ask(self):
        """Ask for the next command; returns whether there was such a command."""
        if self._decoded is not None or not self._coming:
            return False
        self._decoded = self._now + self._coming[0][1].decode + self._requested()
        return True

    def _requested(self):
        """Cycles until a running load's requested data have arrived."""
        load = self._active[False]
        if not load or load.reads or self._moving == self._now:
            return 0.0
        return min(self._ahead, max(0.0, load.left - _TAIL))


def _rates(run, move):
    """Rates of a program and a simultaneous transfer.

    Program results have priority over a load's words for the same memory; a store's read
    takes a step's cycle.
    """
    if not (run and move):
        return 1.0, 1.0
    if move.reads:
        return 1 - move.reads * run.reads, 1.0
    return 1.0, min([1.0, *((1 - run.writes.get(region, 0.0)) / share
                            for region, share in move.writes.items() if share)])
