# SPDX-License-Identifier: Apache-2.0
"""Translate an executable's steps into transfers and program runs."""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import (
    PASS_STRIDE,
    PASS_WORDS,
    PLACES,
    TABLES,
    Opcode,
    Region,
    Table,
    TablePlace,
    pack_place,
)
from xymac.host.executable.steps import Load, Read, Start

from .constants import find_periods
from .entries import Move, RunEntry
from .prepare.cuts import find_cuts
from .prepare.halves import find_halves
from .prepare.relocate import move_activations, move_constants, rows_within
from .ring import place_in_ring
from .space import Space

__all__ = ["Translation"]

_WORD  = 8     # bytes of a program word
_CHUNK = 4096  #: Most bytes of one transfer of constants, so that others come between.


class Translation:
    """Entries for both lists, in step order.

    Parameters
    ----------
    executable : Executable
    parts : its run's Parts
    config : CoreConfig
    contents : MemoryMap to receive the constants
    places : dict, places by value number
    ends : bool, places for changing constants, see ``place_in_ring``
    ahead : bool, whether a run loads the first constants for the next run at its end

    Attributes
    ----------
    load, run : lists of Move and RunEntry
    """

    def __init__(self, executable, parts, config, contents, places, *, ends=False,
                 ahead=False):
        self._executable, self._steps, self._config = executable, parts.steps, config
        self._contents, self._places, self._ends = contents, places, ends
        self._ahead, self._again = ahead, []  # entries of the next run's constants
        self._space = Space(config)
        self._tables, self._program = dict(PLACES), None
        self.load, self.run, self._moved = [], [], {}
        for table in executable.tables:
            self._add_table(self.load, PLACES[table].first, np.array(TABLES[table].values, "<i2"))
            self._add_place(self.load, table, PLACES[table])
        self._halves = find_halves(executable, self._steps, config)
        self._find_constants()
        self._find_programs()
        for step in executable.load:
            self._add_load(self.load, step)
        self._copy(parts.first)
        for index, step in enumerate(parts.steps):
            self._add(index, step)
        self._copy(parts.last)
        self.run += self._again

    def _copy(self, pairs):
        """Copy values through X, which holds nothing before and after the steps."""
        for source, target in pairs:
            source, target = self._places[source], self._places[target]
            for start in range(0, source.bytes, self._config.x_bytes):
                size = min(self._config.x_bytes, source.bytes - start)
                self.run += [Move(opcode, Region.X, 0, size, external=place.offset + start,
                                  narrow=True) for opcode, place in (
                                      (Opcode.LOAD, source), (Opcode.STORE, target))]

    # Constants of Y: ``_shifts`` are by period dicts of rows; ``_loads`` steps that are loaded.

    def _find_constants(self):
        """Choose Y rows for the changing constants."""
        self._periods = find_periods(self._executable, self._steps, self._config) or []
        blocks = {block.identity: block for period in self._periods for block in period.blocks}
        placed = place_in_ring(
            {identity: block.rows for identity, block in blocks.items()},
            [[block.identity for block in period.blocks] for period in self._periods],
            self._config.y_rows, max((block.align for block in blocks.values()), default=1),
            ends=self._ends, within={identity: rows_within(self._config.ways)
                                     for identity, block in blocks.items()
                                     if block.own is not None})
        if placed is None:
            self._periods = []
            return
        self._fixed, self._moving = placed
        for identity, row in self._fixed.items():
            self._add_block(self.load, blocks[identity], row)

    def _add_block(self, entries, block, row):
        cells = self._config.lanes * self._config.ways
        for first, key in block.parts:
            self._add_words(entries, Region.Y, row * cells + first, self._executable.arrays[key])

    def _begin_period(self, number):
        """Load a period's blocks; set its row shift."""
        self._rows, entries = [], [] if self._ahead and number == 0 else self.run
        for block in self._periods[number].blocks:
            row, is_new = self._moving[number].get(
                block.identity, (self._fixed.get(block.identity), False))
            self._rows.append((block.first, block.first + block.rows, row - block.first))
            if is_new:
                self._add_block(entries, block, row)
        if entries is not self.run:
            self.load += entries
            self._again = entries

    def _shift(self, row):
        """Rows by which plan row ``row`` has moved."""
        return next((by for first, end, by in self._rows if first <= row < end), 0)

    # Programs.

    def _find_programs(self):
        """Make the program for each Start, and choose its first pass."""
        self._programs, self._planned, started = [], {}, []
        period, program = -1, next((self._executable.arrays[step.array]
                                    for step in self._executable.load[::-1]
                                    if step.region is Region.PROGRAM), None)
        begins = {each.first: number for number, each in enumerate(self._periods)}
        self._rows = []
        for index, step in enumerate(self._steps):
            period = begins.get(index, period)
            if isinstance(step, Load) and step.region is Region.PROGRAM:
                program = self._executable.arrays[step.array]
            elif isinstance(step, Start):
                started.append((period, self._halves[index], program))
                self._planned[index] = program
        same = {}
        for period, rows, program in started:
            program = move_activations(program, self._config.ways, rows)
            if period >= 0:
                self._rows = [(block.first, block.first + block.rows, self._row(period, block)
                               - block.first) for block in self._periods[period].blocks]
                program = move_constants(program, self._config.ways, self._shift)
            self._programs.append(same.setdefault(tuple(map(tuple, program.words)), program))
        sizes = {id(program): len(program) for program in self._programs}
        self._spots = place_in_ring(sizes, [[id(each)] for each in self._programs],
                                    self._config.passes)
        known = {id(program): program for program in self._programs}
        for identity, first in self._spots[0].items():
            self._add_program(self.load, known[identity], first)

    def _row(self, period, block):
        return self._fixed.get(block.identity, self._moving[period].get(block.identity, (0,))[0])

    def _add_program(self, entries, program, first):
        words = np.array(program.words, "<u8")[:, :PASS_WORDS]
        size  = _WORD * PASS_WORDS
        entries.append(Move(Opcode.LOAD, Region.PROGRAM, _WORD * PASS_STRIDE * first, size,
                            len(program), _WORD * PASS_STRIDE,
                            self._contents.add_constant(words.tobytes()), size))

    # Steps.

    def _add(self, index, step):
        number = next((number for number, period in enumerate(self._periods)
                       if period.first == index), None)
        if number is not None:
            self._begin_period(number)
        if isinstance(step, Start):
            self._start()
            return
        made = []
        if isinstance(step, Load):
            self._add_load(made, step)
        else:
            shape = self._executable.values[step.value].shape
            made += self._places[step.value].moves(
                Opcode.STORE if isinstance(step, Read) else Opcode.LOAD, step.layout, shape,
                step.part, self._contents.fill_at,
                find_cuts(self._steps, index, self._planned, self._config.ways))
        apart = 2 * self._config.lanes * self._halves[index]  # bytes, or elements if narrow
        self.run += [replace(move, core=move.core + apart) if move.region is Region.X else move
                     for move in made]

    def _start(self):
        number  = sum(isinstance(entry, RunEntry) for entry in self.run)
        program = self._programs[number]
        fixed, moving = self._spots
        first, is_new = moving[number].get(id(program), (fixed.get(id(program)), False))
        if is_new:
            self._add_program(self.run, program, first)
        self.run.append(RunEntry(first, program, *self._space.program_words(
            program, first, self._tables)))

    def _add_load(self, entries, step):
        data = self._executable.arrays[step.array]
        if step.region is Region.PROGRAM or (step.region is Region.Y and self._periods):
            return
        if step.region is Region.TABLES:
            self._add_table(entries, step.first, data)
        elif step.region is Region.PLACES:
            self._add_place(entries, Table(step.first), TablePlace(*data.tolist()))
        else:
            self._add_words(entries, step.region, step.first, data)

    def _add_words(self, entries, region, first, cells):
        content = np.ascontiguousarray(cells, "<u2").tobytes()
        offset  = self._contents.add_constant(content)
        for start in range(0, len(content), _CHUNK):
            entries.append(Move(Opcode.LOAD, region, 2 * first + start,
                                min(_CHUNK, len(content) - start), external=offset + start))

    def _add_table(self, entries, first, values):
        values = np.pad(values, (0, len(values) % 2))
        self._add_words(entries, Region.TABLES, first, values.astype("<i2").view("<u2"))

    def _add_place(self, entries, table, place):
        self._tables[table] = place
        word = np.array([pack_place(place)], "<u4").view("<u2")
        self._add_words(entries, Region.PLACES, 2 * table.value, word)
