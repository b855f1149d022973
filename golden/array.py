"""What every kind of tensor has in common."""

from dataclasses import fields, replace

import numpy as np

__all__ = ["Array"]


class Array:
    """Base of a frozen dataclass, made with ``eq=False``, whose field ``data`` is a numpy array.

    Two are equal if they are of one kind, their data in type, shape and values, and all other
    fields. They have no hash, as data may change.
    """

    def __eq__(self, other):
        if type(other) is not type(self):
            return NotImplemented
        return (self.data.dtype == other.data.dtype and np.array_equal(self.data, other.data)
                and all(getattr(self, field.name) == getattr(other, field.name)
                        for field in fields(self) if field.name != "data"))

    __hash__ = None

    @property
    def shape(self):
        """Shape of ``data``."""
        return self.data.shape

    def take(self, slices):
        """The elements under ``slices``, a tuple of them, in the same format."""
        return replace(self, data=self.data[slices])

    @property
    def bits(self):
        """Bits of one element."""
        return 8 * self.data.itemsize

    @property
    def type_name(self):
        """Type of the elements as the functions of the library spell it."""
        return self.data.dtype.name
