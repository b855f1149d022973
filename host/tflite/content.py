# SPDX-License-Identifier: Apache-2.0
"""FlatBuffers file bytes with bounds-checked access."""

import struct

import numpy as np

from xymac.host.errors import InputError

__all__ = ["SHARING", "Content", "Table"]

#: Limit of the referenced bytes relative to the file size. It bounds the work, because one vector
#: may be referred to from many places.
SHARING = 2

_UOFFSET, _SOFFSET, _VOFFSET = struct.Struct("<I"), struct.Struct("<i"), struct.Struct("<H")
_TABLE_COST = 8  #: Minimum size of a table with its reference, bytes.


class Content:
    """File bytes with checked access.

    Every method gets a position in bytes from the start, and ``what`` (str), the name of the
    content there for the InputError if it lies outside the file.

    Parameters
    ----------
    data : bytes
    """

    def __init__(self, data):
        self.data   = data
        self._spent = 0

    def check(self, place, size, what):
        """Refuse ``size`` bytes from ``place`` on unless all lie in the file."""
        if not 0 <= place <= len(self.data) - size:
            raise InputError(f"{what} must lie within the {len(self.data):,} bytes of the file, "
                             f"not in bytes {place:,} to {place + size - 1:,}")

    def spend(self, size, what):
        """Count ``size`` read bytes; refuse more than the limit."""
        self._spent += size
        if self._spent > SHARING * len(self.data):
            raise InputError(f"What the file refers to must hold {SHARING} times its "
                             f"{len(self.data):,} bytes at most, but up to {what} it is "
                             f"{self._spent:,}")

    def unpack(self, form, place, what):
        """The ``form`` (struct.Struct) value at ``place``."""
        self.check(place, form.size, what)
        return form.unpack_from(self.data, place)[0]

    def follow(self, place, what):
        """The target position for the offset at ``place``."""
        offset = self.unpack(_UOFFSET, place, what)
        if not offset:
            raise InputError(f"The offset of {what} must be at least 1, not 0")
        return place + offset

    def vector(self, dtype, place, what):
        """Vector at ``place``: a read-only array (n,) of ``dtype``, a view on the bytes."""
        count = self.unpack(_UOFFSET, place, what)
        first = place + _UOFFSET.size
        self.check(first, count * dtype.itemsize, f"{what} of {count:,} elements")
        return np.frombuffer(self.data, dtype, count, first)


class Table:
    """The table at ``place`` in a Content.

    Parameters
    ----------
    content : Content
    place : int, bytes
    what : str, its name in errors
    """

    def __init__(self, content, place, what):
        content.spend(_TABLE_COST, what)
        slots = place - content.unpack(_SOFFSET, place, what)
        self._place, self._content, self._what = place, content, what
        self._end   = content.unpack(_VOFFSET, slots, f"The list of fields of {what}")
        self._slots = slots
        content.check(slots, self._end, f"The list of fields of {what}")
        if self._end < 2 * _VOFFSET.size:
            raise InputError(f"The list of fields of {what} must have {2 * _VOFFSET.size} bytes "
                             f"at least, not {self._end}")
        self._size = content.unpack(_VOFFSET, slots + _VOFFSET.size, what)
        content.check(place, self._size, what)

    def field(self, number, size, what):
        """The position where field ``number`` has ``size`` bytes; None if the table omits it."""
        entry = _VOFFSET.size * (2 + number)
        if entry + _VOFFSET.size > self._end:
            return None
        offset = self._content.unpack(_VOFFSET, self._slots + entry, what)
        if not offset:
            return None
        if not _SOFFSET.size <= offset <= self._size - size:
            raise InputError(f"{what} must lie within the {self._size} bytes of its table, "
                             f"not at byte {offset}")
        return self._place + offset
