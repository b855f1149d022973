"""What a kernel returns."""

from dataclasses import dataclass

from .array import Array

__all__ = ["Result"]


@dataclass(frozen=True)
class Result:
    """What a kernel returns.

    Parameters
    ----------
    output : Array, a tensor of the library
    overflow : bool, a finished sum left the range of the library's accumulator
    cell : Array, the new state of a cell that has one, else None
    """

    output:   Array
    overflow: bool
    cell:     Array | None = None
