"""Numpy integers in the parameters of layers, taken as the ints they stand for."""

from dataclasses import fields

import numpy as np

__all__ = ["PlainInts", "plain"]


def plain(value):
    """Make an int of a numpy integer, alone or in a tuple; anything else stays what it is.

    Sums and shifts of a numpy integer wrap at its width, those of an int do not.
    """
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return int(value) if isinstance(value, np.integer) else value


class PlainInts:
    """Base of a frozen dataclass whose fields become ``plain`` when it is made."""

    def __post_init__(self):
        for field in fields(self):
            object.__setattr__(self, field.name, plain(getattr(self, field.name)))
