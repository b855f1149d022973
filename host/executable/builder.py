# SPDX-License-Identifier: Apache-2.0
"""Build an executable, step by step."""

import numpy as np

from xymac.golden.xs3 import Integers
from xymac.hdl.isa import Memory, Program, Region

from .executable import Executable
from .steps import TAKE, Host, Load, Read, Start, Write

__all__ = ["Builder"]

_REGIONS = {Memory.X: Region.X, Memory.Y: Region.Y}


class Builder:
    """Collects an executable's steps.

    Parameters
    ----------
    values : dict from numbers to golden Arrays, zeros in each value's format; larger numbers are
        free for new values
    unsigned : frozenset of int, uint8 values stored minus 128
    known : dict from numbers to golden Arrays, written as constants

    Attributes
    ----------
    load, run : lists of steps, executed once, and for each input
    constants : dict from numbers to golden Arrays, contents before each run
    """

    def __init__(self, values, *, unsigned=frozenset(), known=None):
        self.load, self.run, self.constants = [], [], {}
        self._values, self._tables = dict(values), set()
        self._arrays, self._keys   = {}, {}
        self._unsigned, self._known = unsigned, known or {}

    def add_value(self, blank, *, first=None):
        """Number for a further value like ``blank``, which is ``first`` before each run if
        given."""
        number = max(self._values, default=-1) + 1
        self._values[number] = blank
        if first is not None:
            self.constants[number] = first
        return number

    def add_tables(self, tables):
        """Add core tables for the programs."""
        self._tables |= {*tables}

    def add_cells(self, steps, memory, first, cells):
        """Add a Load of cells to ``load`` or ``run``."""
        cells = np.asarray(cells, np.uint16)
        steps.append(Load(_REGIONS[memory], first, self._keep("cells", cells, cells.tobytes())))

    def add_table(self, steps, first, entries):
        """Add a Load of table entries."""
        entries = np.asarray(entries, np.int16)
        steps.append(Load(Region.TABLES, first, self._keep("table", entries, entries.tobytes())))

    def add_place(self, steps, table, place):
        """Add a Load for a Table's TablePlace."""
        numbers = np.array([place.first, place.entries, place.offset], np.int32)
        steps.append(Load(Region.PLACES, table.value,
                          self._keep("place", numbers, numbers.tobytes())))

    def add_program(self, steps, program):
        """Add a Load of a Program."""
        program = Program(program)
        steps.append(Load(Region.PROGRAM, 0, self._keep("program", program, program)))

    def start(self):
        """Add a Start."""
        self.run.append(Start())

    def write(self, number, layout, part=()):
        """Add a Write of a value, or a Load if the value is known."""
        if number in self._known:
            data = self._known[number].data
            self.add_cells(self.run, layout.memory, layout.first_cell,
                           layout.cells(data[part] if part else data))
        else:
            self.run.append(Write(number, layout, part, number in self._unsigned))

    def read(self, number, layout, part=()):
        """Add a Read of a value."""
        self.run.append(Read(number, layout, part, number in self._unsigned))

    def compute(self, kernel, values, to, part=()):
        """Add a Host step."""
        self.run.append(Host(kernel, tuple(values), to, part))

    def shape_of(self, number):
        """A value's shape."""
        return self._values[number].shape

    def add_constant(self, numbers):
        """Number of a new int32 value, ``numbers`` before each run."""
        blank = Integers(numbers.astype(np.int32))
        return self.add_value(blank, first=blank)

    def add_indices(self, count):
        """Number for a new value with ``count`` int32 elements."""
        return self.add_value(Integers(np.zeros(count, np.int32)))

    def take(self, source, indices, to, part=()):
        """Add a Host step setting ``to`` to the ``source`` elements at flat indices."""
        self.compute(TAKE, (source, self.add_constant(indices)), to, part)

    def build(self, inputs, outputs, **further):
        """The Executable; ``further`` are its other fields.

        Values without a step are omitted, except inputs, outputs and states.
        """
        used  = {*range(len(inputs)), *outputs, *further.get("states", ())}
        for step in self.run:
            if isinstance(step, Write | Read):
                used.add(step.value)
            elif isinstance(step, Host):
                used |= {*step.values, step.to}
        return Executable(
            {number: self._values[number] for number in sorted(used)}, tuple(inputs),
            tuple(outputs), tuple(self.load), tuple(self.run), self._arrays,
            tuple(sorted(self._tables, key=lambda table: table.value)),
            constants={number: value for number, value in self.constants.items()
                       if number in used}, **further)

    def _keep(self, kind, data, content):
        """A constant's key; equal constants are stored once."""
        key = self._keys.setdefault((kind, content), f"{kind}{len(self._arrays)}")
        self._arrays.setdefault(key, data)
        return key
