# SPDX-License-Identifier: Apache-2.0
"""Cut positions of a transfer, so that a program waits only for the part it needs."""

from xymac.hdl.isa import BANKS, CELL_BITS, Memory
from xymac.host.executable.steps import Read, Start, Write
from xymac.host.plan.program.windows import rows_of

__all__ = ["find_cuts"]


def find_cuts(steps, index, programs, ways):
    """X positions at which to cut the transfer of step ``index``, a Write or a Read.

    A Write is cut behind the last X row that a following program's first pass reads. A Read is cut
    before the first X row that a preceding program's last pass writes. Programs count up to the
    next transfer.

    Parameters
    ----------
    steps : list of steps
    programs : dict, the Program of each Start by its index in ``steps``
    ways : int, MACs per lane

    Returns a list of int, elements from the beginning of X.
    """
    is_write, layout = isinstance(steps[index], Write), steps[index].layout
    if layout.memory is not Memory.X:
        return []
    row = BANKS * ways * (2 if layout.bits < CELL_BITS else 1)  # positions per X row
    cuts, started = [], False
    for at in range(index + 1, len(steps)) if is_write else range(index - 1, -1, -1):
        step = steps[at]
        if isinstance(step, Start):
            started = True
            (reads, _), written = (rows_of(programs[at][which], ways) for which in (0, -1))
            memory, first, last = reads[0] if is_write else written[1]
            if memory is Memory.X:
                cuts.append(row * (last + 1 if is_write else first))
        elif started and isinstance(step, Write | Read):
            break
    return cuts
