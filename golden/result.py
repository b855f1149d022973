# SPDX-License-Identifier: Apache-2.0
"""The result of a kernel."""

from dataclasses import dataclass

from .array import Array

__all__ = ["Result"]


@dataclass(frozen=True)
class Result:
    """The result of a kernel.

    Parameters
    ----------
    output : Array, a tensor of the library
    overflow : bool, whether an output's accumulator left the range of the library's accumulator
    cell : Array, new state of a recurrent cell; None for other layers
    """

    output:   Array
    overflow: bool
    cell:     Array | None = None
