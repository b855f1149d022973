# SPDX-License-Identifier: Apache-2.0
"""Lower bounds on the timing of an array core: when steps are issued, and results are readable.

Those of records are of ``hdl/core/issue/pace.py`` and ``seat.py``, that of results is
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

    The same for every pass: bounds by the kind of a pass were too small for results that wait in
    the write-back queue behind others.

    Parameters
    ----------
    depth : int, ``CoreConfig.depth``
    """

    def __init__(self, depth: int) -> None:
        self._depth = depth

    def advance(self, pass_: Pass, first: int, last: int) -> int:
        """Latency of all outputs of a pass, of their last vectors.

        ``first`` and ``last`` are the cycles of the last steps of its first and last output.
        """
        return self._depth
