# SPDX-License-Identifier: Apache-2.0
"""Run parts in alternate halves of X, to load a part while another runs."""

from itertools import pairwise

from xymac.hdl.isa import Memory, Op, Region, Width
from xymac.host.executable.steps import Load, Read, Start, Write
from xymac.host.plan.program.windows import rows_of
from xymac.host.plan.reach import GATHERED

__all__ = ["find_halves"]


def find_halves(executable, steps, config):
    """X rows by which each step's data move: a list, 0 or half of X.

    A part is a plan: it begins with its input transfers and ends with its output transfers, and no
    data stays in X between parts.

    Parameters
    ----------
    executable : Executable
    steps : the Load, Write, Start and Read steps in its run
    config : CoreConfig
    """
    half  = config.x_rows // 2
    moved = []
    shift = half
    for first, end in reversed(_find_parts(steps)):
        # A part with more than half of X, too, has its inputs at the beginning.
        shift  = half - shift if _count_rows(executable, steps[first:end], config) <= half else 0
        moved += [shift] * (end - first)
    return moved[::-1]


def _find_parts(steps):
    """(first, end) list: the steps of each part."""
    starts, has_read = [0], False
    for index, step in enumerate(steps):
        if isinstance(step, Read):
            has_read = True
        elif has_read and (isinstance(step, Write) or (
                isinstance(step, Load) and step.region is Region.X)):
            starts.append(index)
            has_read = False
    return [*pairwise([*starts, len(steps)])]


def _count_rows(executable, steps, config):
    """X rows up to a part's last row; all rows if gathers cannot reach into the other half.
    """
    last    = -1
    half    = config.x_bytes // 2
    program = next((executable.arrays[step.array] for step in executable.load[::-1]
                    if step.region is Region.PROGRAM), None)
    for step in steps:
        if isinstance(step, Start):
            if any(pass_.accumulate.op is Op.GATHER and pass_.operands.x_width is Width.BITS8
                   and pass_.operands.x.low + half >= GATHERED for pass_ in program):
                return config.x_rows
            windows = [window for pass_ in program for part in rows_of(pass_, config.ways)
                       for window in (part if isinstance(part, list) else [part])]
            last    = max(last, *(end for memory, _, end in windows if memory is Memory.X), -1)
        elif isinstance(step, Load) and step.region is Region.PROGRAM:
            program = executable.arrays[step.array]
        elif isinstance(step, Load) and step.region is Region.X:
            end  = step.first + executable.arrays[step.array].size
            last = max(last, (end - 1) // config.lanes)
        elif isinstance(step, Write | Read) and step.layout.memory is Memory.X:
            last = max(last, (step.layout.first_cell + step.layout.count - 1) // config.lanes)
    return last + 1
