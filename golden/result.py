# SPDX-License-Identifier: Apache-2.0
"""A kernel's result."""

from dataclasses import dataclass

from .array import Array

__all__ = ["Result"]


@dataclass(frozen=True)
class Result:
    """A kernel's result.

    Parameters
    ----------
    output : Array, a tensor of the kernel's library
    overflow : bool, whether an output's accumulator left the library's accumulator range
    cell : Array, new recurrent cell state; None for other layers
    """

    output:   Array
    overflow: bool
    cell:     Array | None = None
