"""One call of a function of lib_nn: what its arguments stand for."""

from dataclasses import dataclass

import numpy as np

from golden.xs3.integers import Integers

from .memory import view, writable

__all__ = ["Call", "Work", "integers"]


@dataclass(frozen=True, eq=False)
class Work:
    """What a call computes, and where it goes.

    Parameters
    ----------
    layer : layer of ``golden.xs3``
    inputs : Integers, in order
    target : view of the memory that is written, of the size of the output
    result : what the function returns
    """

    layer:  object
    inputs: tuple
    target: np.ndarray
    result: object = None


class Call:
    """Arguments of a call by their names, as attributes.

    Parameters
    ----------
    low : int, lowest output of 8 bits
    arguments : dict
    """

    def __init__(self, low, arguments):
        self.low = low
        vars(self).update(arguments)

    def integers(self, name, dtype, shape, start=0):
        """Integers in the memory that an argument points to; see ``view``."""
        return integers(view(name, getattr(self, name), dtype, shape, start))

    def target(self, dtype, shape, start=0):
        """Memory of ``Y`` that is written; ValueError unless it can be."""
        return writable("Y", self.Y, dtype, shape, start)


def integers(part):
    """Integers of a part of memory, in one piece."""
    return Integers(np.ascontiguousarray(part))
