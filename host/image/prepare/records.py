# SPDX-License-Identifier: Apache-2.0
"""Cut passes with the first tile's parameters alone into passes with a copy of these parameters."""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from xymac.hdl.isa import Memory, Program, Region, bias_rows, records
from xymac.host.executable.steps import Load, Read, Write
from xymac.host.plan.program.cuts import TILES, can_cut, cut_pass

from .relocate import y_ranges

__all__ = ["SpareRows"]


class SpareRows:
    """Free Y rows behind an Executable's rows, for copies of its constants.

    There are none if constants change in a run, or if transfers of values touch Y.

    Parameters
    ----------
    executable : Executable
    config : CoreConfig

    Attributes
    ----------
    arrays, load : dict and list of Load, the copies, as of an Executable
    """

    def __init__(self, executable, config):
        self._config, self._width = config, config.lanes * config.ways
        self.arrays, self.load = {}, []
        self._known = np.zeros(config.y_rows * self._width, bool)
        self._cells = np.zeros(self._known.size, np.uint16)
        for step in executable.load:
            if isinstance(step, Load) and step.region is Region.Y:
                data = executable.arrays[step.array]
                self._known[step.first:step.first + data.size] = True
                self._cells[step.first:step.first + data.size] = data
        used = [last for each in executable.arrays.values() if isinstance(each, Program)
                for _, last, _ in y_ranges(each, config.ways)]
        used.append(int(np.flatnonzero(self._known).max(initial=-1)) // self._width)
        changes = any(step.layout.memory is Memory.Y if isinstance(step, Write | Read) else
                      isinstance(step, Load) and step.region is Region.Y
                      for step in executable.run)
        self._next = config.y_rows if changes else 1 + max(used)

    def cut(self, pass_, bounds):
        """The pass as ``cut_pass`` along the tiles, or None without the rows or the right to do so.
        """
        ways, plain = self._config.ways, replace(pass_, once=False)
        unit, many  = bias_rows(ways), records(pass_) - 1
        if not can_cut(plain, TILES):
            return None
        start  = pass_.accumulate.bias_row
        groups = [np.r_[start:start + unit * many, start + unit * (many + first):
                        start + unit * (many + end)]
                  for first, end in pairwise(bounds[1:])]
        cells  = [(rows[:, None] * self._width + np.arange(self._width)).ravel()
                  for rows in groups]
        if (self._next + sum(map(len, groups)) > self._config.y_rows
                or not all(self._known[each].all() for each in cells)):
            return None
        first, *others = cut_pass(plain, TILES, bounds, ways)
        return [replace(first, once=True), *(
            replace(part, once=True, bias_row=self._add(each))
            for part, each in zip(others, cells, strict=True))]

    def _add(self, cells):
        """Copy cells; returns the copy's row."""
        row, key = self._next, f"records again, {self._next}"
        self.arrays[key] = self._cells[cells]
        self.load.append(Load(Region.Y, row * self._width, key))
        self._next += cells.size // self._width
        return row
