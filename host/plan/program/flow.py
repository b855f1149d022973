# SPDX-License-Identifier: Apache-2.0
"""Scoreboard: find vectors that a pass reads before earlier passes have written them."""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.machine.latency import RECORDS_LATER, Latency, record_cycles
from xymac.hdl.isa import BANKS, AguMode, Memory, Move, Op, record_rows
from xymac.host.cycles.loops import count_taps

from .footprint import location_index, memory_shape, operands_of, vectors_of

if TYPE_CHECKING:
    from xymac.hdl.config import CoreConfig
    from xymac.hdl.isa import Pass

__all__ = ["PassScoreboard"]


class PassScoreboard:
    """Scoreboard with a lower-bound cycle count for sequential passes.

    A step takes one cycle, consecutive outputs' last steps are at least ``BANKS`` cycles apart, and
    records are read between two outputs. An output can be read ``Latency`` cycles after its
    last step. A pass can therefore follow without a wait if it first reads the vectors written
    first. The scoreboard computes a pass's times when a later pass reads a row that the pass may
    write.

    Parameters
    ----------
    config : CoreConfig
    """

    def __init__(self, config: CoreConfig) -> None:
        self._config = config
        self._clock   = 0  # cycle of the last step
        self._latency = Latency(config.depth)
        self._pending = []  # (pass, whole) whose times are not computed
        self._spans   = []  # (memory, first row, last row) that passes may write

    @cached_property
    def _ready(self):
        """Cycle when each location of ``memory_shape`` is written, arrays by Memory."""
        return {memory: np.zeros(memory_shape(memory, self._config), np.int64) for memory in Memory}

    def wait(self) -> None:
        """Mark all rows as written."""
        self._pending.clear()
        self._spans.clear()
        self.__dict__.pop("_ready", None)

    def shortage(self, pass_: Pass, most: int) -> int | None:
        """Fewest further cycles after which ``pass_`` reads only written data, up to ``most``.

        None if ``most`` cycles are not enough.
        """
        self._note_pending()
        clock = self._clock
        try:
            for self._clock in range(clock, clock + most + 1):
                if not self.reads_early(pass_, whole=False):
                    return self._clock - clock
        finally:
            self._clock = clock
        return None

    def reads_early(self, pass_: Pass, *, whole: bool) -> bool:
        """Whether a pass may read rows before they are written.

        With ``whole``, a moving access may start anywhere in its window.
        """
        if not self._spans:
            return False
        ways     = self._config.ways
        accesses = operands_of(pass_, ways)
        rows     = [(memory, access.low // unit, access.high // unit)
                    for memory, access, unit, _ in accesses]
        if pass_.accumulate.bias_row is not None:
            last = pass_.accumulate.bias_row + record_rows(pass_, ways) - 1
            rows.append((Memory.Y, pass_.accumulate.bias_row, last))
        if not any(memory is other and first <= end and begin <= last
                   for memory, first, last in rows for other, begin, end in self._spans):
            return False
        self._note_pending()
        if pass_.accumulate.bias_row is not None and self._is_early(
                *rows[-1], self._clock + 1 - RECORDS_LATER):
            return True
        reads = record_cycles(pass_, ways)
        start = self._clock + 1 + reads[0]
        early = [each for each in accesses if self._is_early(
            each[0], each[1].low // each[2], each[1].high // each[2], start)]
        modes = {access.mode for _, access, _, _ in accesses}
        moves = whole and any(access.move is not Move.NONE for _, access, _, _ in early)
        if not early or moves or AguMode.BIT_REVERSED in modes or pass_.accumulate.op is Op.GATHER:
            return bool(early)
        for time, output, taps in _first_steps(pass_, self._clock, self._config.depth, reads):
            for operand in early:
                if self._reads_one_early(pass_, operand, _address(operand[1], output, taps), time):
                    return True
        return False

    def run(self, pass_: Pass, *, whole: bool) -> None:
        """Append the next pass.

        With ``whole``, a moving output access may write anywhere in its window.
        """
        self._pending.append((pass_, whole))
        epilogue = pass_.epilogue
        if not pass_.accumulate.hold:
            unit = vectors_of(epilogue.z_memory, epilogue.z_width, self._config.ways)
            self._spans.append((epilogue.z_memory, epilogue.z.low // unit, epilogue.z.high // unit))

    def _note_pending(self):
        for pass_, whole in self._pending:
            self._note(pass_, whole)
        self._pending.clear()

    def _note(self, pass_, whole):
        """Advance the clock to a pass's last step and set its output rows' ready times."""
        epilogue = pass_.epilogue
        first, last = _least_cycles(pass_, self._config)
        latency = self._latency.advance(pass_, self._clock + first, self._clock + last)
        self._clock += last
        if pass_.accumulate.hold:
            return
        unit  = vectors_of(epilogue.z_memory, epilogue.z_width, self._config.ways)
        ready = self._ready[epilogue.z_memory]
        end   = self._clock + latency
        moves = whole and epilogue.z.move is not Move.NONE
        if moves or epilogue.z.mode is not AguMode.LINEAR or pass_.accumulate.op is Op.GATHER:
            ready[epilogue.z.low // unit:epilogue.z.high // unit + 1] = end
            return
        beats = np.arange(epilogue.beats)
        apart = epilogue.z.outer[0] if pass_.accumulate.op is Op.SPREAD else 1
        before, firsts = _last_outputs(pass_, self._config.depth)
        vectors = firsts[:, None] + apart * beats
        inside  = (epilogue.z.low <= vectors) & (vectors <= epilogue.z.high)  # else a fault
        place   = location_index(ready, vectors[inside], unit)
        due     = np.broadcast_to(end - before[:, None], vectors.shape)[inside]
        np.maximum.at(ready, place, due[:, None] if isinstance(place[1], slice) else due)  # pyright: ignore[reportArgumentType]

    def _reads_one_early(self, pass_, operand, address, time):
        """Whether a step reads one of its vectors, from ``address`` on, before it is written."""
        memory, _, unit, span = operand
        if pass_.accumulate.op is Op.CROSS and memory is Memory.X:
            address, span = address // BANKS * BANKS, BANKS
        ready   = self._ready[memory]
        vectors = np.arange(address, min(address + span, len(ready) * unit))
        return bool((ready[location_index(ready, vectors, unit)] > time).any())

    def _is_early(self, memory, first, last, time):
        rows = self._ready[memory][first:last + 1]
        return bool((rows > max(time, 0)).any())


def _least_cycles(pass_, config):
    """Minimum cycles from the previous pass's last step: (to the last step of this pass's first
    output, to this pass's last step).
    """
    if pass_.accumulate.op is Op.GATHER:
        steps = prod((*pass_.loop.outer, *pass_.loop.taps))
        return config.lanes, -(-steps // config.lanes) * config.lanes
    rows, columns = count_taps(pass_)
    steps  = (np.outer(rows, columns) * pass_.loop.taps[2]).ravel()
    apart  = np.maximum(steps, BANKS)
    first, again = (max(BANKS, int(steps[0]) + reads)
                    for reads in record_cycles(pass_, config.ways))
    others = pass_.loop.outer[0] - 1
    return first, first + others * again + pass_.loop.outer[0] * int(apart[1:].sum())


def _first_steps(pass_, clock, depth, reads):
    """Yield (cycle, output indices, tap indices) for the steps in the first ``depth`` cycles.

    Cycles are lower bounds; ``reads`` are the ``record_cycles``.
    """
    end  = clock + depth
    last = clock
    rows, columns = count_taps(pass_)
    for output in np.ndindex(pass_.loop.outer):
        steps = int(rows[output[1]] * columns[output[2]]) * pass_.loop.taps[2]
        begin = last
        if output[1:] == (0, 0):
            begin += reads[output[0] > 0]
        due   = max(last + BANKS, begin + steps)
        for number, taps in enumerate(_valid_taps(pass_, *output[1:]), 1):
            time = due if number == steps else begin + number
            if time > end:
                return
            yield time, output, taps
        last = due


def _valid_taps(pass_, b, c):
    """Yield the indices of an output's taps on the image, in execution order."""
    loop = pass_.loop
    if pass_.accumulate.op is Op.SLIDE:
        top = b * loop.rows.step - loop.rows.pad
        for j in range(0 if c == 0 else loop.taps[1] - 1, loop.taps[1]):
            for i in range(max(0, -top), min(loop.taps[0], loop.rows.size - top)):
                yield i, j, 0
        return
    top, left = b * loop.rows.step - loop.rows.pad, c * loop.cols.step - loop.cols.pad
    for i in range(max(0, -top), min(loop.taps[0], loop.rows.size - top)):
        for j in range(max(0, -left), min(loop.taps[1], loop.cols.size - left)):
            for k in range(loop.taps[2]):
                yield i, j, k


def _last_outputs(pass_, depth):
    """(cycles from the output's last step to the pass's, its first vector), arrays of the outputs
    still unwritten ``depth`` cycles later; Z is linear.
    """
    rows, columns = count_taps(pass_)
    outer, count  = pass_.loop.outer, prod(pass_.loop.outer)
    rest, c = np.divmod(np.arange(count - 1, max(-1, count - 2 - depth // BANKS), -1), outer[2])
    a, b    = np.divmod(rest, outer[1])
    cycles  = np.cumsum(np.maximum(BANKS, rows[b] * columns[c] * pass_.loop.taps[2]))
    before  = np.concatenate([[0], cycles[:-1]])
    access  = pass_.epilogue.z
    firsts  = access.base + a * access.outer[0] + b * access.outer[1] + c * access.outer[2]
    return before[before < depth], firsts[before < depth]


def _address(access, output, taps):
    (a, b, c), (i, j, k) = access.outer, access.taps
    address = (access.base + a * output[0] + b * output[1] + c * output[2]
               + i * taps[0] + j * taps[1] + k * taps[2])
    if access.mode is not AguMode.MODULO:
        return address
    return access.low + (address - access.low) % (access.high - access.low + 1)
