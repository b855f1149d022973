# SPDX-License-Identifier: Apache-2.0
"""Lower bounds on array core timing: when steps are issued, and results are readable.

The record bounds follow ``hdl/core/issue/pace.py`` and ``seat.py``, the result bound is
``CoreConfig.depth``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xymac.hdl.isa import BANKS, Scale, bias_rows, records

if TYPE_CHECKING:
    from xymac.hdl.isa import Pass

__all__ = ["RECORDS_LATER", "Latency", "record_cycles"]

RECORDS_LATER = 9  #: Cycles by which a row of Y is readable later as a record than by a step.


def record_cycles(pass_: Pass, ways: int) -> tuple[int, int]:
    """Minimum cycles from an output's last step to the step before the next output's first: the
    record reads, for the first outermost index in a pass and for every other.
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
    """Cycles from an output's last step until a step may read the output.

    The same for every pass: bounds by pass kind were too small for results that wait in
    the write-back queue behind others.

    Parameters
    ----------
    depth : int, ``CoreConfig.depth``
    """

    def __init__(self, depth: int) -> None:
        self._depth = depth

    def advance(self, pass_: Pass, first: int, last: int) -> int:
        """Latency for all outputs in a pass, up to their last vectors.

        ``first`` and ``last`` are the cycles in which the first and the last output have their last
        steps.
        """
        return self._depth
