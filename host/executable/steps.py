# SPDX-License-Identifier: Apache-2.0
"""The steps of an executable."""

from dataclasses import dataclass

from xymac.hdl.isa import Region

__all__ = ["COPY", "TAKE", "Host", "Load", "Read", "Start", "Write"]

#: Host operation: the target has the elements of the only value, in its own shape.
COPY = "copy"
#: Host operation: the target has the elements of the first value at the flat indices in the second.
TAKE = "take"


@dataclass(frozen=True)
class Load:
    """Write a constant to the core.

    Parameters
    ----------
    region : Region.X, Y, PROGRAM, TABLES or PLACES
    first : int, first cell of X or Y, first pass, first entry of a table, or code of a table
    array : str, key of ``Executable.arrays``: cells (uint16), a Program, entries (int16), or first
        entry, entries and offset of a TablePlace (int32)
    """

    region: Region
    first:  int
    array:  str


@dataclass(frozen=True)
class Write:
    """Write a value, or a part of it, to X or Y.

    Parameters
    ----------
    value : int, number of the value
    layout : TensorLayout or another layout with ``memory``, ``first_cell``, ``count``, ``cells``
        and ``data``
    part : tuple of slices, empty for the whole value
    less : bool, elements are uint8 in the value and int8, less 128, in memory
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
    """Read a value, or a part of it, from X or Y; the fields are those of ``Write``."""

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
    values : tuple of int, numbers of the operands
    to : int, number of the result
    part : tuple of slices of the result that are set, empty for the whole
    """

    kernel: object
    values: tuple
    to:     int
    part:   tuple = ()
