# SPDX-License-Identifier: Apache-2.0
"""One executable: values, constants, and steps for a core and its host."""

from dataclasses import dataclass, field

from xymac.hdl.isa import PASS_STRIDE, Region

from .steps import Load, Read, Write

__all__ = ["Executable"]


@dataclass(frozen=True)
class Executable:
    """Steps that compute outputs from inputs on a core, and all that they name.

    Values have numbers, inputs first. A value holds what the last step gave it; ``states`` stay
    from one run to the next.

    Parameters
    ----------
    name, size : str, of the network and of the core
    values : dict from numbers to golden Arrays, zeros in the format of each value
    inputs : tuple of golden Arrays, zeros in the format of each input
    outputs : tuple of int, numbers of values
    load, run : tuples of steps, done once, and for each input
    arrays : dict of the constants of Load steps by key: numpy arrays and Programs
    tables : tuple of Table, those of ``xymac.hdl.isa.TABLES`` that the programs look up
    states, constants : dicts from numbers to golden Arrays: contents before the first run, and
        before each run
    input_names, output_names, operators : tuples of str
    numbers : tuple, empty unless the network comes from a file of TensorFlow Lite
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

    def words(self, step):
        """Words of 32 bits that a step moves over the bus of the core, without registers."""
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
    """Words of 32 bits that hold ``count`` cells of 16 bits from cell ``first`` on."""
    return (first % 2 + count + 1) // 2
