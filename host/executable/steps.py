# SPDX-License-Identifier: Apache-2.0
"""Executable steps."""

from dataclasses import dataclass

from xymac.hdl.isa import Region

__all__ = ["COPY", "TAKE", "Host", "Load", "Read", "Start", "Write"]

#: Host operation: copy the elements of the single operand into the target's shape.
COPY = "copy"
#: Host operation: elements of the first operand at the flat indices in the second.
TAKE = "take"


@dataclass(frozen=True)
class Load:
    """Write a constant to the core.

    Parameters
    ----------
    region : Region.X, Y, PROGRAM, TABLES or PLACES
    first : int, first X or Y word, first pass, first table entry, or table code
    array : str, ``Executable.arrays`` key: words (uint16), a Program, entries (int16), or a
        TablePlace's first entry, entry count and offset (int32)
    """

    region: Region
    first:  int
    array:  str


@dataclass(frozen=True)
class Write:
    """Write a value, or a part of it, to X or Y.

    Parameters
    ----------
    value : int, value number
    layout : TensorLayout or another layout with ``memory``, ``first_cell``, ``count``, ``cells``
        and ``data``
    part : tuple of slices, empty for the whole value
    less : bool, whether uint8 elements are stored minus 128 as int8
    """

    value:  int
    layout: object
    part:   tuple = ()
    less:   bool = False


@dataclass(frozen=True)
class Start:
    """Run the program in program memory from pass 0 to the interrupt."""


@dataclass(frozen=True)
class Read:
    """Read a value, or a part of it, from X or Y; the fields as in ``Write``."""

    value:  int
    layout: object
    part:   tuple = ()
    less:   bool = False


@dataclass(frozen=True)
class Host:
    """Compute a value on the host.

    Parameters
    ----------
    kernel : golden layer, ``COPY`` or ``TAKE``
    values : tuple of int, operand value numbers
    to : int, result value number
    part : tuple of slices: the result part to set, empty for the whole result
    """

    kernel: object
    values: tuple
    to:     int
    part:   tuple = ()
