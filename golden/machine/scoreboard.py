# SPDX-License-Identifier: Apache-2.0
"""Read-before-write check: a scoreboard with a lower bound on every core's timing."""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import BANKS, Count, Memory, Op, record_rows

from .accesses import indices_of, meet, reads_of, spans_read, written_by
from .address import valid_taps
from .gather import count_sums
from .latency import RECORDS_LATER, Latency, record_cycles

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xymac.hdl.isa import Pass

    from .machine import Machine
    from .window import Window

__all__ = ["Scoreboard"]


class Scoreboard:
    """Earliest cycle at which each written byte can be read, as a lower bound for all cores.

    Each step takes at least one cycle, two outputs' last steps are at least ``BANKS`` cycles
    apart, and records are read between two outputs. A core can read an output ``Latency`` cycles
    after its last step. The scoreboard computes a pass's times when a later pass reads a row that
    the pass may write.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._clock   = 0  # earliest cycle of the latest step
        self._latest  = dict.fromkeys(Memory, 0)  # cycle from which all results can be read
        self._latency = Latency(machine.depth)
        self._pending = []  # (index, pass, windows) of passes whose times are not computed
        self._spans   = set()  # (memory, first word, word after the last) that passes write

    @cached_property
    def _ready(self):
        """First cycle when each byte can be read, and its last writer's number, by memory."""
        return {memory: (np.zeros(2 * cells.size, np.int64), np.zeros(2 * cells.size, np.int64))
                for memory, cells in ((Memory.X, self._machine.x), (Memory.Y, self._machine.y))}

    def wait(self) -> None:
        """Mark all bytes as written."""
        self._pending.clear()
        self._spans.clear()
        if any(self._latest.values()):
            self._latest = dict.fromkeys(Memory, 0)
            for ready, _ in self._ready.values():
                ready[:] = 0

    def unwritten(self, pass_: Pass, windows: Mapping[Count, Window]) -> tuple[str, int] | None:
        """Operand that ``pass_`` may read too early, and the number of its last writer, or None."""
        if not self._meets(pass_, windows):
            return None
        for pending in self._pending:
            self._note(*pending)
        self._pending.clear()
        first = self._clock + 1  # the cycle of the first read, but for records
        if self._latest[Memory.X] <= first and self._latest[Memory.Y] <= first - RECORDS_LATER:
            return None
        for name, memory, places, times in self._reads(pass_, windows):
            ready, writer = self._ready[memory]
            early = ready[places] > np.maximum(times, 0)
            if early.any():
                return name, int(writer[places[early]].max())
        return None

    def _meets(self, pass_, windows):
        """Whether a pass reads a row that an earlier pass may write."""
        return bool(self._spans) and meet(spans_read(pass_, windows, self._machine), self._spans)

    def advance(self, index: int, pass_: Pass, windows: Mapping[Count, Window]) -> None:
        """Append the executed pass ``index``."""
        self._pending.append((index, pass_, windows))
        if not pass_.accumulate.hold:
            self._spans.add(windows[Count.Z].span)

    def _note(self, index, pass_, windows):
        """Move the clock to the end of pass ``index`` and note when its results are readable."""
        gather = pass_.accumulate.op is Op.GATHER
        steps  = self._gather_costs(pass_) if gather else np.tile(
            _count_steps(pass_), pass_.loop.outer[0])
        lasts  = self._clock + np.cumsum(np.maximum(
            steps + self._record_costs(pass_, steps.size), BANKS))
        self._clock = int(lasts[-1])
        latency = self._latency.advance(pass_, int(lasts[0]), self._clock)
        if pass_.accumulate.hold:
            return
        window = windows[Count.Z]
        ready  = lasts[-self._machine.depth // BANKS - 1:] + latency
        self._latest[window.memory] = max(self._latest[window.memory], int(ready[-1]))
        groups, bad = written_by(pass_, np.arange(lasts.size)[-ready.size:])
        groups = np.where(False if bad is None else bad, window.low, groups)
        places = window.bytes_of(groups.ravel(), 1)
        times  = np.repeat(ready, groups.shape[1] * places.shape[1])
        due, writer = self._ready[window.memory]
        np.maximum.at(due, places.ravel(), times)
        writer[places.ravel()] = index

    def _record_costs(self, pass_, outputs):
        """Record cycles before each output; only an outermost index's first output has any."""
        costs  = np.zeros(outputs, int)
        firsts = costs[:1] if pass_.accumulate.op is Op.GATHER else costs[
            ::outputs // pass_.loop.outer[0]]
        costs[0], firsts[1:] = record_cycles(pass_, self._machine.ways)
        return costs

    def _gather_costs(self, pass_):
        lanes = self._machine.lanes
        return np.full(count_sums(pass_, lanes), lanes)

    def _reads(self, pass_, windows):
        """Bytes read before every write has certainly finished: (name, memory, bytes, earliest
        cycles).
        """
        if pass_.accumulate.bias_row is not None:
            row   = self._machine.ways * self._machine.lanes
            first = pass_.accumulate.bias_row * row
            cells = np.arange(first, first + record_rows(pass_, self._machine.ways) * row)
            cells = cells[cells < self._machine.y.size]
            yield ("bias", Memory.Y, (2 * cells[:, None] + np.arange(2)).ravel(),
                   self._clock + 1 - RECORDS_LATER)
        outputs, valid, times = (self._gathering if pass_.accumulate.op is Op.GATHER
                                 else self._stepping)(pass_)
        for read in reads_of(pass_, windows, outputs, valid):
            good = read.good
            when = np.broadcast_to(times[:, :good.shape[1]], good.shape)
            yield read.name, read.window.memory, read.bytes_read(), when[good][:, None]

    def _gathering(self, pass_):
        """A gather's first outputs, their steps and times; see ``_stepping``."""
        lanes   = self._machine.lanes
        outputs = np.arange(-(-self._machine.depth // lanes))
        steps   = outputs[:, None] * lanes + np.arange(lanes)
        return outputs, steps < prod((*pass_.loop.outer, *pass_.loop.taps)), self._clock + 1 + steps

    def _stepping(self, pass_):
        """The outputs that may read too early, the mask of their steps, and the earliest time of
        each step, both [outputs, steps].
        """
        outputs = np.arange(min(prod(pass_.loop.outer), self._machine.depth // BANKS + 1))
        valid   = valid_taps(pass_, *indices_of(pass_, outputs)[1:])
        records = self._record_costs(pass_, prod(pass_.loop.outer))[outputs]
        return outputs, valid, self._times(valid, records)

    def _times(self, valid, records):
        """Earliest cycle for every step in the first outputs; ``records`` has each output's record
        cycles.
        """
        counts = valid.sum(1)
        lasts  = self._clock + np.cumsum(np.maximum(counts + records, BANKS))
        before = np.concatenate([[self._clock], lasts[:-1]]) + records
        times  = before[:, None] + np.cumsum(valid, axis=1)
        final  = np.cumsum(valid, axis=1) == counts[:, None]
        times  = np.where(final, lasts[:, None], times)
        return times


def _count_steps(pass_):
    """Step counts by output, for one outermost index."""
    rows, cols = (_taps_along(pass_, axis) for axis in range(2))
    return np.outer(rows, cols).ravel() * pass_.loop.taps[2]


def _taps_along(pass_, axis):
    """Taps on the image along rows (0) or columns (1), for every index in the outer loop."""
    loop = pass_.loop
    if axis == 1 and pass_.accumulate.op is Op.SLIDE:
        return np.where(np.arange(loop.outer[2]) == 0, loop.taps[1], 1)
    border = (loop.rows, loop.cols)[axis]
    first  = np.arange(loop.outer[1 + axis]) * border.step - border.pad
    return np.maximum(0, np.minimum(loop.taps[axis], border.size - first) - np.maximum(0, -first))
