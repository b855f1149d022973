# SPDX-License-Identifier: Apache-2.0
"""Lower bounds on the timing of an array core: when steps are issued, and results are readable.

The figures are those of the hardware: of ``hdl/core/issue/pace.py`` and ``seat.py`` for records, of
``hdl/core/output.py``, ``scale.py`` and ``writeback.py`` for results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xymac.hdl.isa import BANKS, Memory, Op, Scale, Table, bias_rows, records

if TYPE_CHECKING:
    from xymac.hdl.isa import Pass

__all__ = ["RECORDS_LATER", "Latency", "record_cycles"]

RECORDS_LATER = 9  #: Cycles by which a row of Y is readable later as a record than by a step.
_SPARE  = 4   # cycles by which ``CoreConfig.depth`` exceeds the longest latency
_SCALED = 10  # cycles of the scale unit
_LOOKED = 12  # cycles of a look-up, and of every result while such a result is in flight
_Y_LATER = 2  # cycles by which a step reads Y later than X, besides one for each MAC of a lane
_WAITED = 10  # cycles in flight at most after the end of a wait, but for whole outputs in X


def record_cycles(pass_: Pass, ways: int) -> tuple[int, int]:
    """Cycles from the last step of an output to the step before the next output's first, at least:
    the reads of its records, for the first outermost index of a pass and for every other.
    """
    count = records(pass_)
    if not count:
        return 0, 0
    rows = bias_rows(ways)
    if pass_.epilogue.scale is Scale.NONE:
        return rows, rows
    # Every record but the bias is sent on, the first at least BANKS cycles after a last step.
    first = max(BANKS - 1, rows) + BANKS * (count - 1) + rows * (count - 1)
    return first, rows if pass_.epilogue.once else first


class Latency:
    """Cycles from the last step of an output until a step may read the output.

    Results leave the core in order, so a result is late while a looked-up result is in flight.

    Parameters
    ----------
    depth : int, ``CoreConfig.depth``
    ways : int, MACs per lane
    """

    def __init__(self, depth: int, ways: int) -> None:
        self._depth, self._ways = depth, ways
        self._looked = -depth  # cycle of the last step of a late output
        self._tail   = 0  # cycles in flight after a wait

    def wait(self, clock: int) -> None:
        """All results are written; ``clock`` is the cycle of the last step so far."""
        self._looked = min(self._looked, clock + self._tail - self._depth)

    def advance(self, pass_: Pass, first: int, last: int) -> int:
        """Latency of all outputs of a pass, of their last vectors.

        ``first`` and ``last`` are the cycles of the last steps of its first and last output.
        """
        epilogue = pass_.epilogue
        late = epilogue.table is not Table.NONE or first - self._looked < self._depth
        if late:
            self._looked = last
            whole = epilogue.beats == BANKS and epilogue.z_memory is Memory.X
            self._tail = 0 if whole else _WAITED
        if pass_.accumulate.op is Op.GATHER:
            return self._depth
        scaled = epilogue.scale is not Scale.NONE or pass_.accumulate.op is Op.SHARE
        return (self._depth - _SPARE - _SCALED * (not scaled) - _LOOKED * (not late)
                - (_Y_LATER + self._ways) * (epilogue.z_memory is Memory.Y))
