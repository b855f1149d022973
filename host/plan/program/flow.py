# SPDX-License-Identifier: Apache-2.0
"""Scoreboard: find rows that a pass reads before earlier passes have written them."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import BANKS, CELL_BITS, AguMode, Memory, Move, Op, Shape, Width, record_rows
from xymac.host.cycles.loops import count_taps

if TYPE_CHECKING:
    from xymac.hdl.config import CoreConfig
    from xymac.hdl.isa import Pass

__all__ = ["Flow"]


class Flow:
    """Scoreboard with a lower-bound cycle count for sequential passes.

    A step takes one cycle, and consecutive outputs' last steps are at least ``BANKS`` cycles apart.
    An output can be read ``depth`` cycles after its last step. A pass can therefore follow without
    a wait if it first reads the rows written first.

    Parameters
    ----------
    config : CoreConfig
    """

    def __init__(self, config: CoreConfig) -> None:
        self._config = config
        self._clock  = 0  # cycle of the last step
        self._ready  = {Memory.X: np.zeros(config.x_rows, np.int64),
                        Memory.Y: np.zeros(config.y_rows, np.int64)}

    def wait(self) -> None:
        """Mark all rows as written."""
        for ready in self._ready.values():
            ready[:] = 0

    def reads_early(self, pass_: Pass, *, whole: bool) -> bool:
        """Whether a pass may read rows before they are written.

        With ``whole``, a moving access may start anywhere in its window.
        """
        ways = self._config.ways
        if pass_.accumulate.bias_row is not None:
            last = pass_.accumulate.bias_row + record_rows(pass_, ways) - 1
            if self._is_early(Memory.Y, pass_.accumulate.bias_row, last, self._clock + 1):
                return True
        accesses = _operands(pass_, ways)
        early = [each for each in accesses if self._is_early(
            each[0], each[1].low // each[2], each[1].high // each[2], self._clock + 1)]
        modes = {access.mode for _, access, _, _ in accesses}
        moves = whole and any(access.move is not Move.NONE for _, access, _, _ in early)
        if not early or moves or AguMode.BIT_REVERSED in modes or pass_.accumulate.op is Op.GATHER:
            return bool(early)
        return any(
            self._is_early(memory, at // unit, (at + span - 1) // unit, time)
            for time, output, taps in _first_steps(pass_, self._clock, self._config.depth)
            for memory, access, unit, span in early
            for at in [_address(access, output, taps)])

    def run(self, pass_: Pass, *, whole: bool) -> None:
        """Advance the clock to a pass's last step and set its output rows' ready times.

        With ``whole``, a moving output access may write anywhere in its window.
        """
        epilogue = pass_.epilogue
        self._clock += _least_cycles(pass_, self._config.lanes)
        if pass_.accumulate.hold:
            return
        unit  = _units(epilogue.z_memory, epilogue.z_width, self._config.ways)
        ready = self._ready[epilogue.z_memory]
        end   = self._clock + self._config.depth
        moves = whole and epilogue.z.move is not Move.NONE
        if moves or epilogue.z.mode is not AguMode.LINEAR or pass_.accumulate.op is Op.GATHER:
            ready[epilogue.z.low // unit:epilogue.z.high // unit + 1] = end
            return
        for before, groups in _last_outputs(pass_, self._config.depth):
            for group in groups:
                if epilogue.z.low <= group <= epilogue.z.high:  # Outside: a fault, no write.
                    row = group // unit
                    ready[row] = max(ready[row], end - before)

    def _is_early(self, memory, first, last, time):
        rows = self._ready[memory][first:last + 1]
        return bool((rows > time).any())


def _units(memory, width, ways):
    """Vectors per memory row."""
    return BANKS * (ways if memory is Memory.Y else 1) * (2 if width is Width.BITS8 else 1)


def _operands(pass_, ways):
    """X and Y reads: ((memory, access, addresses per row, addresses per step), ...)."""
    operands = pass_.operands
    elements = ways if pass_.accumulate.op is Op.GATHER else 1
    x_unit   = BANKS * elements * CELL_BITS // _bits(operands.x_width)
    y_cells  = ways if operands.y_shape is Shape.LANES else 1
    y_unit   = y_cells * CELL_BITS // _bits(operands.y_width)
    span     = pass_.epilogue.beats if operands.x_shape is Shape.LANES else 1
    return ((Memory.X, operands.x, x_unit, span), (Memory.Y, operands.y, y_unit, 1))


def _bits(width):
    return 8 if width is Width.BITS8 else 16


def _least_cycles(pass_, lanes):
    """Minimum cycles from the previous pass's last step to this pass's last step."""
    if pass_.accumulate.op is Op.GATHER:
        return -(-prod((*pass_.loop.outer, *pass_.loop.taps)) // lanes) * lanes
    rows, columns = count_taps(pass_)
    steps = np.outer(rows, columns) * pass_.loop.taps[2]
    return pass_.loop.outer[0] * int(np.maximum(steps, BANKS).sum())


def _first_steps(pass_, clock, depth):
    """Yield (cycle, output indices, tap indices) for the steps in the first ``depth`` cycles.

    Cycles are lower bounds.
    """
    end  = clock + depth
    last = clock
    rows, columns = count_taps(pass_)
    for output in np.ndindex(pass_.loop.outer):
        steps = int(rows[output[1]] * columns[output[2]]) * pass_.loop.taps[2]
        due   = max(last + BANKS, last + steps)
        for number, taps in enumerate(_valid_taps(pass_, *output[1:]), 1):
            time = due if number == steps else last + number
            if time > end:
                return
            yield time, output, taps
        last = due


def _valid_taps(pass_, b, c):
    """Yield an output's tap indices, without clipped taps."""
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
    """Yield (cycles from the output's last step to the pass's, its vectors) for outputs still
    unwritten ``depth`` cycles later.
    """
    rows, columns = count_taps(pass_)
    before = 0
    for place in range(prod(pass_.loop.outer) - 1, -1, -1):
        if before >= depth:
            return
        rest, c = divmod(place, pass_.loop.outer[2])
        a, b    = divmod(rest, pass_.loop.outer[1])
        first   = _address(pass_.epilogue.z, (a, b, c), (0, 0, 0))
        apart   = pass_.epilogue.z.outer[0] if pass_.accumulate.op is Op.SPREAD else 1
        yield before, [first + beat * apart for beat in range(pass_.epilogue.beats)]
        before += max(BANKS, int(rows[b] * columns[c]) * pass_.loop.taps[2])


def _address(access, output, taps):
    (a, b, c), (i, j, k) = access.outer, access.taps
    address = (access.base + a * output[0] + b * output[1] + c * output[2]
               + i * taps[0] + j * taps[1] + k * taps[2])
    if access.mode is not AguMode.MODULO:
        return address
    return access.low + (address - access.low) % (access.high - access.low + 1)
