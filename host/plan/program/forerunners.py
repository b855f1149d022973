# SPDX-License-Identifier: Apache-2.0
"""Forerunners: short passes that replace waits.

A wait lasts until the previous pass's last result is written, although a matrix pass reads this
result only in its last steps. A *forerunner* is a dummy pass that delays the matrix pass by exactly
the missing cycles. It has the matrix pass's records, mode and output addresses, so the matrix pass
overwrites its results. It reads only data written long before, and its accumulator saturates, so
it never reports an overflow.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from xymac.golden.machine.latency import record_cycles
from xymac.hdl.isa import (
    Access,
    AccumulatorRange,
    Axis,
    Memory,
    Op,
    Reduce,
    Scale,
    Shape,
    Table,
)
from xymac.host.cycles.model import predict

from .flow import PassScoreboard
from .waits import set_waits
from .windows import rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.hdl.config import CoreConfig
    from xymac.hdl.isa import Pass

__all__ = ["insert_forerunners"]

_NOT_WORTH = 3   #: Fewest cycles that a forerunner must save, by the scoreboard.
_SOONER    = 16  #: Cycles by which results without a table precede the pipeline depth.


def insert_forerunners(parts: Sequence[list[Pass]], config: CoreConfig) -> list[list[Pass]]:
    """The pass lists with forerunners, if the cycle model predicts fewer cycles for the program.

    Lists with a loop are unchanged, and lists that would exceed program memory.
    """
    passes = [pass_ for part in parts for pass_ in part]
    unchanged = [*map(list, parts)]
    if not 1 < len(passes) < config.passes or any(pass_.control.repeat for pass_ in passes):
        return unchanged
    program = set_waits(passes, config)
    room    = config.passes - len(passes)
    before  = dict([*_find(program, config).items()][:room])
    if not before:
        return unchanged
    made, numbers = [], count()
    for part in parts:
        pairs = [(before.get(next(numbers)), pass_) for pass_ in part]
        made.append([pass_ for pair in pairs for pass_ in pair if pass_ is not None])
    faster = set_waits([pass_ for part in made for pass_ in part], config)
    return made if predict(faster, config).cycles < predict(program, config).cycles else unchanged


def _find(program, config):
    """Forerunners, a dict by the index of the pass that follows."""
    flow, found = PassScoreboard(config), {}
    for index, pass_ in enumerate(program):
        runner = None
        if index and flow.reads_early(pass_, whole=False) and _can_have(pass_, config):
            runner = _make(flow, pass_, program[index - 1], config)
        if runner is not None:
            found[index] = runner
            flow.run(runner, whole=False)
        elif pass_.control.wait:
            flow.wait()
        flow.run(pass_, whole=False)
    return found


def _can_have(pass_, config):
    """Whether a pass requantises products and writes only X rows that it does not read."""
    epilogue = pass_.epilogue
    if (epilogue.scale is Scale.NONE or epilogue.table is not Table.NONE
            or pass_.reduction.reduce is not Reduce.NONE or epilogue.z_memory is not Memory.X
            or pass_.accumulate.op not in (Op.MAC, Op.CROSS, Op.SPREAD)):
        return False
    reads, (memory, first, last) = rows_of(pass_, config.ways)
    return not any(memory is other and first <= end and begin <= last
                   for other, begin, end in reads)


def _make(flow, pass_, before, config):
    """The forerunner that fills the missing cycles between ``before`` and ``pass_``, or None."""
    lead    = record_cycles(pass_, config.ways)[0]
    missing = flow.shortage(pass_, config.depth - _SOONER - lead - _NOT_WORTH)
    sources = [pass_] + [before] * (Op.GATHER is not before.accumulate.op
                                    and pass_.accumulate.op is not Op.CROSS)
    needed  = pass_.epilogue.beats if pass_.operands.x_shape is Shape.LANES else 1
    for source in sources if missing else ():
        x = source.operands.x
        runner = replace(
            pass_, x=_stay(x), y=_stay(pass_.operands.y), x_width=source.operands.x_width,
            x_zero=0, outer=(1, 1, 1), taps=(1, 1, max(1, missing - lead)), rows=Axis(),
            cols=Axis(), acc_range=AccumulatorRange.SYMMETRIC32, wait=False, last=False)
        if x.high - x.low + 1 >= needed and not flow.reads_early(runner, whole=False):
            return runner
    return None


def _stay(access):
    """An Access that reads the window's first address at every step."""
    return Access(access.low, access.low, access.high)
