# SPDX-License-Identifier: Apache-2.0
"""Positions at which a transfer is cut, so that a program waits only for its own part."""

from xymac.hdl.isa import BANKS, CELL_BITS, Memory
from xymac.host.executable.steps import Read, Start, Write
from xymac.host.plan.program.windows import rows_of

__all__ = ["find_cuts"]


def find_cuts(steps, index, programs, ways):
    """Positions in X at which the transfer of step ``index``, a Write or a Read, is cut.

    A Write is cut behind the last row of X that the first pass of each of the next programs reads;
    a Read before the first row that the last pass of each of the programs before writes.

    Parameters
    ----------
    steps : list of steps
    programs : dict of the Program of each Start by its index in ``steps``
    ways : int
    """
    is_write, layout = isinstance(steps[index], Write), steps[index].layout
    if layout.memory is not Memory.X:
        return []
    row = BANKS * ways * (2 if layout.bits < CELL_BITS else 1)  # positions in a row of X
    cuts, started = [], False
    for at in range(index + 1, len(steps)) if is_write else range(index - 1, -1, -1):
        step = steps[at]
        if isinstance(step, Start):
            started = True
            (reads, _), written = (rows_of(programs[at][place], ways) for place in (0, -1))
            memory, first, last = reads[0] if is_write else written[1]
            if memory is Memory.X:
                cuts.append(row * (last + 1 if is_write else first))
        elif started and isinstance(step, Write | Read):
            break
    return cuts
