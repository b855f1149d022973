# SPDX-License-Identifier: Apache-2.0
"""Blocks of Y constants for joint use by programs, and the periods between their changes."""

from dataclasses import dataclass
from itertools import pairwise

from xymac.hdl.isa import Memory, Region
from xymac.host.executable.steps import Load, Read, Start, Write

from .prepare.relocate import alignment_of, y_ranges

__all__ = ["Block", "Period", "find_periods"]


@dataclass(frozen=True)
class Block:
    """Constants with fixed distances, which move together.

    Parameters
    ----------
    first, rows : int, first row in the plan, and size
    parts : tuple, each (words from ``first`` on, constant key)
    align : int, first row alignment after a move
    own : int or None, the only period that can use the block because passes write it
    """

    first: int
    rows:  int
    parts: tuple
    align: int
    own:   int | None

    @property
    def identity(self):
        """Equal for blocks with the same content; passes may write each block of a period."""
        first = None if self.own is None else self.first
        return self.rows, self.parts, self.align, self.own, first


@dataclass(frozen=True)
class Period:
    """Steps ``first`` to ``end`` of a run, with the Blocks for their programs."""

    first:  int
    end:    int
    blocks: tuple


def find_periods(executable, steps, config):
    """Period list for an Executable's ``steps``, or None if its constants cannot move.

    They cannot if constants are loaded once, if a transfer other than a Y Load touches Y, or if a
    program reads Y data from an earlier period.
    """
    if any(step.region is Region.Y for step in executable.load):
        return None
    if any(isinstance(step, Write | Read) and step.layout.memory is Memory.Y for step in steps):
        return None
    starts, started = [], False
    for index, step in enumerate(steps):
        is_load = isinstance(step, Load) and step.region is Region.Y
        if is_load and (started or not starts):
            starts.append(index)
        started = isinstance(step, Start) or (started and not is_load)
    if not starts:
        return None
    bounds  = [0, *starts[1:], len(steps)]
    periods = []
    for number, (first, end) in enumerate(pairwise(bounds)):
        blocks = _blocks(executable, steps[first:end], config, number)
        if blocks is None:
            return None
        periods.append(Period(first, end, blocks))
    return periods


def _blocks(executable, steps, config, number):
    """Blocks of a period, or None if a program reads rows not written in the period."""
    row_cells = config.ways * config.lanes
    loaded, used, program, align = [], [], None, 1
    made = set()
    for step in steps:
        if isinstance(step, Load) and step.region is Region.Y:
            cells = executable.arrays[step.array].size
            first, rest = divmod(step.first, row_cells)
            if rest:
                return None
            rows  = range(first, first + -(-cells // row_cells))
            if any(row in made for row in (rows[0], rows[-1])):
                return None  # a later Load of the same rows
            loaded.append((rows, step.array))
            made |= {*rows}
        elif isinstance(step, Load) and step.region is Region.PROGRAM:
            program = executable.arrays[step.array]
        elif isinstance(step, Start):
            align = max(align, alignment_of(program))
            for low, high, is_write in y_ranges(program, config.ways):
                rows = range(low, high + 1)
                if is_write:
                    made |= {*rows}
                elif not made.issuperset(rows):
                    return None
                used.append((low, high, is_write))
    return _unite(loaded, used, row_cells, align, number)


def _unite(loaded, used, row_cells, align, number):
    """Blocks from loaded rows, united where a program uses neighbours together."""
    spans = sorted([[rows[0], rows[-1]] for rows, _ in loaded]
                   + [[low, high] for low, high, _ in used])
    united = []
    for low, high in spans:
        if united and low <= united[-1][1]:
            united[-1][1] = max(united[-1][1], high)
        else:
            united.append([low, high])
    blocks = []
    for low, high in united:
        parts = tuple(sorted((row_cells * (rows[0] - low), key) for rows, key in loaded
                             if low <= rows[0] <= high))
        own   = number if any(is_write and low <= first <= high
                              for first, _, is_write in used) else None
        blocks.append(Block(low, high + 1 - low, parts, align, own))
    return tuple(blocks)
