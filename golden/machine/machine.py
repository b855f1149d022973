# SPDX-License-Identifier: Apache-2.0
"""Passes in numpy: the core's results without its timing."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import (
    HELD,
    AccumulatorRange,
    Count,
    Move,
    Op,
    Reduce,
    Shape,
    State,
    Status,
)

from .address import keeps_inside, map_addresses, offsets, step_taps, valid_taps
from .gather import count_sums
from .operands import Operands
from .outcome import Outcome, ProgramError
from .overwrite import refuse_own_results
from .program import ProgramMemory
from .records import read_records
from .refusal import refuse, refuse_long, windows_of
from .scoreboard import Scoreboard
from .slide import blank_columns, slide_sums
from .steps import (
    Fault,
    Scalars,
    combine,
    finish,
    first_fault,
    floor_before,
    hold,
    last_taps,
    scalars_made,
    scalars_of,
)
from .tables import TableMemory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.hdl.config import CoreConfig
    from xymac.hdl.isa import Pass, Program


__all__ = ["Machine", "Outcome", "ProgramError"]

CHUNK      = 1 << 17  #: Steps computed at once; bounds the working memory.
RANGE_BITS = {AccumulatorRange.BITS32: 32, AccumulatorRange.BITS40: 40,
              AccumulatorRange.SYMMETRIC32: 32}


def _refuse_endless(seen, state):
    """Add the loop ``state`` (pass index, iteration, moves) to ``seen``; ProgramError if it is
    there.
    """
    if state in seen:
        raise ProgramError(f"Pass {state[0]} is repeated without an end: loops must not nest")
    seen.add(state)


class Machine:
    """Execute passes in order on X and Y, as ``xymac.hdl.isa`` describes them.

    If a fault stops a pass, the outputs before the fault in program order are written and the later
    outputs are not.

    Attributes
    ----------
    x, y : uint16 arrays, the memory words in linear order
    tables : TableMemory
    program : ProgramMemory
    """

    def __init__(self, config: CoreConfig) -> None:
        self.ways, self.lanes, self.depth = config.ways, config.lanes, config.depth
        self.capabilities = config.capabilities
        self.x = np.zeros(config.x_rows * config.lanes, "<u2")
        self.y = np.zeros(config.y_rows * config.ways * config.lanes, "<u2")
        self.tables   = TableMemory()
        self.program  = ProgramMemory(config.passes)
        self._scalars = Scalars()
        self._held    = np.zeros((HELD, config.lanes), np.int64)

    def load(self, passes: Program | Sequence[Pass], first: int = 0) -> None:
        """Write ``passes`` into program memory from index ``first`` on.

        ValueError if a pass cannot be encoded, if there are none, or if they exceed the memory.
        """
        self.program.load(passes, first)

    def run(self, first: int = 0) -> Outcome:
        """Run from pass ``first`` to the last pass or a fault; returns an ``Outcome``.

        ``ProgramError`` if a pass without ``wait`` may read words before they are written, if a
        pass reads its own results, and for a pass longer than ``LONGEST`` or a loop within a loop
        without an end, which the core leaves to STOP.
        """
        if not 0 <= first < len(self.program):
            raise ValueError(f"First pass must be between 0 and {len(self.program) - 1}, "
                             f"not {first!r}")
        self._reducers, self._scalars, self._scoreboard = {}, Scalars(), Scoreboard(self)
        self._ranging = None  # index of the last unfinished pass that uses or makes a range
        overflow = [False] * len(self.program)  # a loop may go back beyond ``first``

        def outcome(state, fault, index, end):
            return Outcome(state, fault.status, fault.field, index,
                           tuple(overflow[first:end]), any(overflow))

        index, iteration, moves = first, 0, (0, 0)
        seen = set()  # addresses and faults follow from the state of the loop alone
        while index < len(self.program):
            _refuse_endless(seen, (index, iteration, moves))
            pass_ = self.program[index]
            if pass_ is None:
                return outcome(State.FAULT, Fault(Status.OPCODE), index, index)
            fault, overflowed = self._step(index, pass_, moves)
            if fault is not None:
                return outcome(State.FAULT, fault, index, index)
            overflow[index] |= overflowed
            if iteration < pass_.control.repeat:
                if pass_.control.back > index:
                    return outcome(State.FAULT, Fault(Status.END), index, index)
                iteration, index = iteration + 1, index - pass_.control.back
                moves = tuple(np.add(moves, pass_.control.advance).tolist())
                continue
            if pass_.control.repeat:
                iteration, moves = 0, (0, 0)
            if pass_.control.last:
                return outcome(State.DONE, Fault(Status.OK), index, index + 1)
            index += 1
        return outcome(State.FAULT, Fault(Status.END), index, index)

    def _step(self, index, pass_, moves):
        """Fault or None, and whether a sum overflowed."""
        windows = windows_of(pass_, self)
        fault   = refuse(pass_, self, windows)
        if fault is not None:
            return fault, False
        refuse_long(index, pass_)
        moved = _move(pass_, moves)
        self._check_waits(index, moved, windows)
        refuse_own_results(index, moved, windows, self)
        fault, overflowed = self._execute(moved, windows)
        self._scoreboard.advance(index, moved, windows)
        return fault, overflowed

    def _check_waits(self, index, pass_, windows):
        """Raise ProgramError if this pass may read results from an unfinished pass."""
        if pass_.control.wait:
            self._reducers.clear()
            self._ranging = None
            self._scoreboard.wait()
        folding = [self._reducers[kind] for kind in scalars_of(pass_) if kind in self._reducers]
        if folding:
            raise ProgramError(f"Pass {index} must wait: it uses a scalar of pass {max(folding)}")
        if pass_.reduction.reduce is Reduce.RANGE and self._ranging is not None:
            raise ProgramError(f"Pass {index} must wait: pass {self._ranging} uses or makes a "
                               f"range before")
        if {Reduce.MAX, Reduce.MIN} & {*scalars_of(pass_), *scalars_made(pass_)}:
            self._ranging = index
        self._reducers |= dict.fromkeys(scalars_made(pass_), index)
        if early := self._scoreboard.unwritten(pass_, windows):
            name, writer = early
            raise ProgramError(f"Pass {index} must wait: its {name} window holds results of "
                               f"pass {writer}")

    def _records(self, pass_, a):
        """Initial accumulators for output vector ``a``, and their Scaling; see ``read_records``."""
        if pass_.accumulate.resume:
            return self._held[pass_.accumulate.entry + a], None
        return read_records(pass_, a, self.y.reshape(-1, self.ways, self.lanes))

    def _execute(self, pass_, windows):
        """Run one pass; returns its fault or None, and whether an accumulator overflowed."""
        operands = Operands.of(pass_, windows, self.lanes)
        overflow, fault, made = False, None, []  # made: Z addresses and their elements
        if pass_.reduction.reduce is Reduce.RANGE and pass_.reduction.fresh:
            self._scalars.begin_range()
        for a, chunk in self._chunks(pass_):
            bias, scaling = self._records(pass_, a)
            fault, acc, groups = self._chunk(pass_, a, chunk, bias, operands)
            if pass_.accumulate.hold:
                kept, lost = hold(pass_, acc)
                overflow |= lost
                self._held[pass_.accumulate.entry + a] = kept[-1] if len(kept) else 0
            results = finish(pass_, acc, self._scalars, scaling, self.tables).astype(
                windows[Count.Z].dtype).reshape(-1, self.ways)
            limit   = 1 << RANGE_BITS[pass_.accumulate.acc_range] - 1
            outside = (acc < -limit) | (acc >= limit)
            groups  = groups.ravel()
            if fault is not None or pass_.accumulate.op is Op.GATHER:
                written = groups >= 0
                if fault is not None:
                    written[fault.output * pass_.epilogue.beats + fault.beat:] = False
                outside = outside.reshape(results.shape)[written]
                groups, results = groups[written], results[written]
            overflow |= bool(outside.any())
            made.append((groups, results))
            if fault is not None:
                break
        if fault is None and pass_.reduction.reduce is not Reduce.NONE:
            self._fold(pass_, np.concatenate([results.ravel() for _, results in made]))
        for groups, results in () if pass_.accumulate.hold else made:
            windows[Count.Z].store(groups, results)
        return fault, overflow

    def _fold(self, pass_, elements):
        """Fold the elements that a finished pass wrote, except the dropped ones, into the scalars.
        """
        reduction = pass_.reduction
        if reduction.reduce is Reduce.POP:
            self._scalars.pop(elements.size // self.ways)
        else:
            self._scalars.fold(pass_, elements[:elements.size - min(reduction.drop, self.ways)])

    def _chunks(self, pass_):
        """Yield output batches to compute at once: (output vector, int64 output index array)."""
        if pass_.accumulate.op is Op.GATHER:
            groups, steps, outputs = 1, 8 * self.lanes, count_sums(pass_, self.lanes)
        else:
            groups, steps, outputs = (pass_.loop.outer[0], prod(pass_.loop.taps),
                                      pass_.loop.outer[1] * pass_.loop.outer[2])
        size = max(1, CHUNK // steps)
        for a in range(groups):
            for start in range(0, outputs, size):
                yield a, np.arange(start, min(start + size, outputs))

    def _chunk(self, pass_, a, chunk, bias, operands):
        """Exact accumulators for the outputs ``chunk`` in vector ``a``; ``bias`` is None beyond Y
        memory.

        Returns the first fault or None; accumulators, int64 [outputs, beats * ways]; and Z vector
        addresses [outputs, beats]. Outputs after a fault are cut off.
        """
        epilogue = pass_.epilogue
        if pass_.accumulate.op is Op.GATHER:
            return operands.gather(pass_, chunk)
        b, c  = np.divmod(chunk, pass_.loop.outer[2])
        valid = valid_taps(pass_, b, c)
        span  = epilogue.beats if pass_.operands.x_shape is Shape.LANES else 1
        taps  = step_taps(pass_)
        x, y = pass_.operands.x, pass_.operands.y
        x_at, x_bad = map_addresses(x, (a, b, c), offsets(x.taps, taps), span,
                                    inside=keeps_inside(x, pass_.loop, span))
        if pass_.accumulate.op is Op.SLIDE and x_bad is not None:
            x_bad &= ~blank_columns(pass_, c)[:, None]
        y_at, y_bad = map_addresses(y, (a, b, c), offsets(y.taps, taps), 1,
                                    inside=keeps_inside(y, pass_.loop, 1))
        apart = epilogue.z.outer[0] if pass_.accumulate.op is Op.SPREAD else 1
        z_at, z_bad = map_addresses(
            epilogue.z, (a, b, c), apart * np.arange(epilogue.beats), 1,
            inside=apart == 1 and keeps_inside(epilogue.z, pass_.loop, epilogue.beats))
        fault = first_fault(valid, bias is None, x_bad, y_bad, z_bad)
        kept  = len(chunk) if fault is None else fault.output + (fault.beat > 0)
        if kept == 0:
            return fault, np.zeros((0, epilogue.beats * self.ways), np.int64), z_at[:0]

        shared = all(count == 1 or stride == 0 for count, stride
                     in zip(pass_.loop.outer[1:], pass_.operands.y.outer[1:], strict=True))
        lanes = epilogue.beats * self.ways
        words = y_at[:1 if shared else kept]
        taken = operands.weights(words)[..., :lanes]
        if pass_.accumulate.op is Op.SLIDE:
            last = taken[:, -pass_.loop.taps[0]:]
            return fault, bias[:lanes] + slide_sums(pass_, a, (b[:kept], c[:kept]), operands,
                                                    last), z_at[:kept]
        x_at  = operands.places(x_at[:kept])
        if pass_.reduction.reduce is Reduce.RANGE:
            groups = x_at[valid[:kept]][:, None] + np.arange(epilogue.beats)
            self._scalars.cover(operands.x[np.minimum(groups, len(operands.x) - 1)])
        sums  = combine(pass_, operands.x, taken, words, x_at, valid[:kept])
        sums += bias[:lanes]
        if pass_.accumulate.floor:
            ends = last_taps(valid[:kept])
            last = combine(pass_, operands.x, taken, words, x_at, ends)
            sums = floor_before(pass_, sums, last, valid[:kept].sum(1) > 1)
        return fault, sums, z_at[:kept]


def _move(pass_, moves):
    """The pass with its bases in an iteration whose moves have come to ``moves``."""
    if not any(moves):
        return pass_
    distance = {Move.FIRST: moves[0], Move.SECOND: moves[1]}
    moved = {name: replace(access, base=access.base + distance[access.move])
             for name, access in (("x", pass_.operands.x), ("y", pass_.operands.y),
                                  ("z", pass_.epilogue.z)) if access.move is not Move.NONE}
    return replace(pass_, **moved) if moved else pass_
