# SPDX-License-Identifier: Apache-2.0
"""A call of a lib_nn function: arguments and resulting work."""

from dataclasses import dataclass

import numpy as np

from xymac.golden.xs3.integers import Integers

from .memory import view, writable

__all__ = ["Call", "Work", "integers"]


@dataclass(frozen=True, eq=False)
class Work:
    """Computation of a call and its destination.

    Parameters
    ----------
    layer : layer of ``xymac.golden.xs3``
    inputs : Integers, in order
    target : view of the memory to write, in the output size
    result : return value of the function
    """

    layer:  object
    inputs: tuple
    target: np.ndarray
    result: object = None


class Call:
    """Arguments of a call as attributes.

    Parameters
    ----------
    low : int, lowest 8-bit output
    arguments : dict
    """

    def __init__(self, low, arguments):
        self.low = low
        vars(self).update(arguments)

    def integers(self, name, dtype, shape, start=0):
        """Integers in the memory of the argument ``name``; see ``view``."""
        return integers(view(name, getattr(self, name), dtype, shape, start))

    def target(self, dtype, shape, start=0):
        """Memory of ``Y`` to write; ValueError if it is not writable."""
        return writable("Y", self.Y, dtype, shape, start)


def integers(part):
    """Integers of a memory view, made contiguous."""
    return Integers(np.ascontiguousarray(part))
