# SPDX-License-Identifier: Apache-2.0
"""Bounds-checked access to the bytes of a FlatBuffers file."""

import struct

import numpy as np

from xymac.host.errors import InputError

__all__ = ["SHARING", "Content", "Table"]

#: Largest sum of referenced bytes, in file sizes. It bounds the work, because many offsets may
#: refer to the same vector.
SHARING = 2

_UOFFSET, _SOFFSET, _VOFFSET = struct.Struct("<I"), struct.Struct("<i"), struct.Struct("<H")
_TABLE_COST = 8  #: Minimum size of a table with its reference, bytes.


class Content:
    """File bytes with checked access.

    Methods take a position, bytes from the start of the file, and ``name`` (str), the name of the
    content there. InputError with this name if the content lies outside the file.

    Parameters
    ----------
    data : bytes
    """

    def __init__(self, data):
        self.data   = data
        self._spent = 0

    def check(self, position, size, name):
        """Raise InputError unless ``size`` bytes from ``position`` on lie in the file."""
        if not 0 <= position <= len(self.data) - size:
            raise InputError(f"{name} must lie within the {len(self.data):,} bytes of the file, "
                             f"not in bytes {position:,} to {position + size - 1:,}")

    def spend(self, size, name):
        """Count ``size`` bytes as read; InputError beyond ``SHARING`` file sizes."""
        self._spent += size
        if self._spent > SHARING * len(self.data):
            raise InputError(f"References must cover at most {SHARING} times the file's "
                             f"{len(self.data):,} bytes, but up to {name} they cover "
                             f"{self._spent:,}")

    def unpack(self, form, position, name):
        """The value with format ``form``, a struct.Struct, at ``position``."""
        self.check(position, form.size, name)
        return form.unpack_from(self.data, position)[0]

    def follow(self, position, name):
        """The position to which the offset at ``position`` refers; the offset must not be 0."""
        offset = self.unpack(_UOFFSET, position, name)
        if not offset:
            raise InputError(f"The offset of {name} must be at least 1, not 0")
        return position + offset

    def vector(self, dtype, position, name):
        """The vector at ``position``: a read-only view (n,) of the file bytes as ``dtype``."""
        count = self.unpack(_UOFFSET, position, name)
        first = position + _UOFFSET.size
        self.check(first, count * dtype.itemsize, f"{name} of {count:,} elements")
        return np.frombuffer(self.data, dtype, count, first)


class Table:
    """A FlatBuffers table in a Content; InputError if it does not lie in the file.

    Parameters
    ----------
    content : Content
    position : int, bytes from the start of the file
    name : str, the table's name in messages
    """

    def __init__(self, content, position, name):
        content.spend(_TABLE_COST, name)
        slots = position - content.unpack(_SOFFSET, position, name)
        self._place, self._content, self._name = position, content, name
        self._end   = content.unpack(_VOFFSET, slots, f"The list of fields of {name}")
        self._slots = slots
        content.check(slots, self._end, f"The list of fields of {name}")
        if self._end < 2 * _VOFFSET.size:
            raise InputError(f"The list of fields of {name} must have at least "
                             f"{2 * _VOFFSET.size} bytes, not {self._end}")
        self._size = content.unpack(_VOFFSET, slots + _VOFFSET.size, name)
        content.check(position, self._size, name)

    def field(self, number, size, name):
        """Position of field ``number`` with ``size`` bytes; None if the table omits the field."""
        entry = _VOFFSET.size * (2 + number)
        if entry + _VOFFSET.size > self._end:
            return None
        offset = self._content.unpack(_VOFFSET, self._slots + entry, name)
        if not offset:
            return None
        if not _SOFFSET.size <= offset <= self._size - size:
            raise InputError(f"{name} must lie within the {self._size} bytes of its table, "
                             f"not at byte {offset}")
        return self._place + offset
