# SPDX-License-Identifier: Apache-2.0
"""Read-before-write check: a scoreboard with a lower bound on every core's timing."""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import BANKS, Count, Memory, Op, Shape, record_rows

from .address import map_addresses, offsets, step_taps, valid_taps
from .gather import count_sums, gather_steps
from .latency import RECORDS_LATER, Latency, record_cycles
from .slide import blank_columns

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
        if not self._spans:
            return False
        reads = [windows[Count.X].span, windows[Count.Y].span]
        if pass_.accumulate.bias_row is not None:
            row   = self._machine.ways * self._machine.lanes
            first = pass_.accumulate.bias_row * row
            reads.append((Memory.Y, first, first + record_rows(pass_, self._machine.ways) * row))
        return any(memory is other and first < stop and start < end
                   for memory, first, end in reads for other, start, stop in self._spans)

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
        groups, bad = _written(pass_, np.arange(lasts.size)[-ready.size:])
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
        span = pass_.epilogue.beats if pass_.operands.x_shape is Shape.LANES else 1
        if pass_.accumulate.op is Op.GATHER:
            steps = np.arange(self._machine.depth)
            valid, x_at, bad = (part.ravel() for part in gather_steps(pass_, steps))
            yield _read("X", windows[Count.X], x_at, valid & ~bad, self._clock + 1 + steps, 1)
            window = windows[Count.Y]
            yield "Y", Memory.Y, np.unique(window.bytes_of(
                np.arange(window.low, window.high + 1), 1)), self._clock + 1
            return
        outputs = np.arange(min(prod(pass_.loop.outer), self._machine.depth // BANKS + 1))
        a, b, c = _indices(pass_, outputs)
        valid, taps = valid_taps(pass_, b, c), step_taps(pass_)
        times = self._times(valid, self._record_costs(pass_, prod(pass_.loop.outer))[outputs])
        for name, access, reach in (("X", pass_.operands.x, span), ("Y", pass_.operands.y, 1)):
            at, bad = map_addresses(access, (a, b, c), offsets(access.taps, taps), reach)
            if name == "X" and pass_.accumulate.op is Op.SLIDE and bad is not None:
                bad |= blank_columns(pass_, c)[:, None]
            if name == "X" and pass_.accumulate.op is Op.CROSS:
                at, reach = at // BANKS * BANKS, BANKS
            good = valid if bad is None else valid & ~bad
            yield _read(name, windows[Count[name]], at, good, times, reach)

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


def _read(name, window, addresses, good, times, span):
    """Bytes behind the addresses, where ``good``, with the cycles in which they are read."""
    places = window.bytes_of(addresses[good], span)
    return name, window.memory, places, np.broadcast_to(times, good.shape)[good][:, None]


def _indices(pass_, outputs):
    """Indices in the three outer loops for the output numbers ``outputs``."""
    rest, c = np.divmod(outputs, pass_.loop.outer[2])
    a, b    = np.divmod(rest, pass_.loop.outer[1])
    return a, b, c


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


def _written(pass_, outputs):
    """Z vector addresses that the outputs write [outputs, beats], and a mask where they lie outside
    the window.
    """
    epilogue = pass_.epilogue
    if pass_.accumulate.op is Op.GATHER:
        groups = BANKS * outputs[:, None] + np.arange(epilogue.beats)
        return map_addresses(epilogue.z, (0, 0 * outputs, 0 * outputs), groups, 1)
    apart = epilogue.z.outer[0] if pass_.accumulate.op is Op.SPREAD else 1
    return map_addresses(epilogue.z, _indices(pass_, outputs), apart * np.arange(epilogue.beats), 1)
