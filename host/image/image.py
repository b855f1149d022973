# SPDX-License-Identifier: Apache-2.0
"""An image: an external memory block with command lists, constants and value places."""

from dataclasses import dataclass

import numpy as np

from xymac.hdl.isa import Command, Opcode

__all__ = ["Image", "List"]


@dataclass(frozen=True)
class List:
    """A command list.

    Parameters
    ----------
    offset : int, first command's byte in the image
    ordered : Ordered
    """

    offset:  int
    ordered: object

    @property
    def commands(self):
        """All Commands, with END."""
        return [*self.ordered.commands(), Command(Opcode.END)]


@dataclass(frozen=True)
class Image:
    """A network's external memory.

    Parameters
    ----------
    executable : Executable
    content : uint8 array, all bytes
    load, run : List: executed once, and for each input
    places : dict, places by value number: inputs, outputs, states and values between programs
    before, after : tuples of Host steps, computed outside before and after each run
    """

    executable: object
    content:    np.ndarray
    load:       List
    run:        List
    places:     dict
    before:     tuple = ()
    after:      tuple = ()
