# SPDX-License-Identifier: Apache-2.0
"""An executable: values, constants, and steps for a core and its host."""

from dataclasses import dataclass, field

from xymac.hdl.isa import PASS_STRIDE, Region

from .steps import Load, Read, Write

__all__ = ["Executable"]


@dataclass(frozen=True, repr=False)
class Executable:
    """Steps that compute outputs from inputs on a core, with their values and constants.

    Values are numbered, inputs first. A value holds the result from the last step that wrote it;
    ``states`` persist between runs.

    Parameters
    ----------
    name, size : str, network name and core size
    values : dict from numbers to golden Arrays, zeros in each value's format
    inputs : tuple of golden Arrays, zeros in each input's format
    outputs : tuple of int, value numbers
    load, run : tuples of steps, executed once, and for each input
    arrays : dict, the Load steps' constants by key: numpy arrays and Programs
    tables : tuple of Table, tables in ``xymac.hdl.isa.TABLES`` that the programs use and hosts can
        write
    states, constants : dicts from numbers to golden Arrays: contents before the first run, and
        before each run
    input_names, output_names, operators : tuples of str
    numbers : tuple, empty unless the network comes from a TensorFlow Lite file
    """

    values:       dict
    inputs:       tuple
    outputs:      tuple
    load:         tuple
    run:          tuple
    arrays:       dict
    tables:       tuple = ()
    states:       dict = field(default_factory=dict)
    constants:    dict = field(default_factory=dict)
    name:         str = ""
    size:         str = ""
    input_names:  tuple = ()
    output_names: tuple = ()
    operators:    tuple = ()
    numbers:      tuple = ()

    def __repr__(self):
        """Network, size and step counts in a line."""
        return (f"<Executable {self.name} for size {self.size}: {len(self.load)} steps to load, "
                f"{len(self.run)} steps a run>")

    def words(self, step):
        """32-bit words moved by a step over the core's bus, without register accesses."""
        if isinstance(step, Write | Read):
            return _words(step.layout.first_cell, step.layout.count)
        if not isinstance(step, Load):
            return 0
        if step.region is Region.PLACES:
            return 1
        count = len(self.arrays[step.array])
        return 2 * PASS_STRIDE * count if step.region is Region.PROGRAM else _words(step.first,
                                                                                   count)


def _words(first, count):
    """32-bit words containing ``count`` 16-bit words from index ``first`` on."""
    return (first % 2 + count + 1) // 2
