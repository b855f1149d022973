# SPDX-License-Identifier: Apache-2.0
"""FlatBuffers table field types, with reading and writing."""

import struct
from dataclasses import fields

import numpy as np
from flatbuffers import number_types

from xymac.host.errors import InputError

from .content import Table

__all__ = ["BYTE", "FLAG", "FLOAT", "INT", "TEXT", "UBYTE", "UINT", "ULONG", "Choice", "Data",
           "Inner", "Inners", "Number", "Numbers", "Presence", "Union", "read_record",
           "write_record"]

#: Number types by their letter in ``struct``.
_FLAGS = {"b": number_types.Int8Flags, "B": number_types.Uint8Flags, "?": number_types.BoolFlags,
          "i": number_types.Int32Flags, "I": number_types.Uint32Flags,
          "Q": number_types.Uint64Flags, "f": number_types.Float32Flags}


class Number:
    """A number stored in the table, by its letter in ``struct``."""

    def __init__(self, letter):
        self._form  = struct.Struct(f"<{letter}")
        self._flags = _FLAGS[letter]
        self.size   = self._form.size

    def read(self, content, place, what):
        """The field value at ``place``."""
        return content.unpack(self._form, place, what)

    def prepare(self, builder, value):
        """Value for ``put``; writes content outside the table."""
        return value

    def put(self, builder, slot, prepared, default):
        """Write field ``slot`` to the open table in ``builder``."""
        builder.PrependSlot(self._flags, slot, prepared, default)


class Choice(Number):
    """A byte with an IntEnum code."""

    def __init__(self, codes):
        super().__init__("b")
        self._codes = codes

    def read(self, content, place, what):
        """The enumeration member."""
        number = super().read(content, place, what)
        if number not in iter(self._codes):
            raise InputError(f"{what} must be a {self._codes.__name__} from 0 to "
                             f"{max(self._codes)}, not {number}")
        return self._codes(number)


class _Reference:
    """Content outside the table, which stores an offset to it."""

    size = 4

    def put(self, builder, slot, prepared, default):
        """Write the offset to the prepared content, unless it is None."""
        if prepared is not None:
            builder.PrependUOffsetTRelativeSlot(slot, prepared, 0)


class Data(_Reference):
    """A number vector: a read-only array.

    Parameters
    ----------
    dtype : str or numpy dtype
    align : int, first element's alignment, bytes
    """

    def __init__(self, dtype, align):
        self._dtype = np.dtype(dtype).newbyteorder("<")
        self._align = align

    def read(self, content, place, what):
        """The array (n,)."""
        return content.vector(self._dtype, content.follow(place, what), what)

    def prepare(self, builder, value):
        """Write the vector unless it is None."""
        if value is None:
            return None
        return write_vector(builder, np.asarray(value, self._dtype), self._align)


class Numbers(Data):
    """A short number vector: a tuple."""

    def __init__(self, dtype):
        super().__init__(dtype, np.dtype(dtype).itemsize)

    def read(self, content, place, what):
        """The tuple of Python numbers."""
        array = super().read(content, place, what)
        content.spend(array.nbytes, what)
        return tuple(array.tolist())


class _Text(_Reference):
    """A string."""

    def read(self, content, place, what):
        """The str; refuses invalid UTF-8."""
        array = content.vector(np.dtype("u1"), content.follow(place, what), what)
        content.spend(array.nbytes, what)
        try:
            return array.tobytes().decode()
        except UnicodeDecodeError as error:
            raise InputError(f"{what} must be UTF-8, which its byte {error.start} is not") from None

    def prepare(self, builder, value):
        """Write the string."""
        return builder.CreateString(value)


class Inner(_Reference):
    """A table: a ``kind`` record, or None."""

    def __init__(self, kind):
        self._kind = kind

    def read(self, content, place, what):
        """The record."""
        return read_record(content, self._kind, content.follow(place, what), what)

    def prepare(self, builder, value):
        """Write the record unless it is None."""
        return None if value is None else write_record(builder, value)


class Inners(_Reference):
    """A table vector: a tuple of ``kind`` records."""

    def __init__(self, kind):
        self._kind = kind

    def read(self, content, place, what):
        """The records."""
        start = content.follow(place, what)
        count = content.vector(np.dtype("<u4"), start, what).size
        return tuple(
            read_record(content, self._kind,
                        content.follow(start + 4 * (1 + number), f"{what}[{number}]"),
                        f"{what}[{number}]") for number in range(count))

    def prepare(self, builder, value):
        """Write the records and their offset vector."""
        places = [write_record(builder, record) for record in value]
        builder.StartVector(4, len(places), 4)
        for place in reversed(places):
            builder.PrependUOffsetTRelative(place)
        return builder.EndVector()


class Union(Inner):
    """A table whose type another field defines: reading gives its position, writing takes a record.
    """

    def __init__(self):
        super().__init__(None)

    def read(self, content, place, what):
        """The table position, for ``read_record``."""
        return content.follow(place, what)


class Presence(_Reference):
    """A field whose content is ignored: True if it is present. It is never written."""

    def read(self, content, place, what):
        """True."""
        return True

    def prepare(self, builder, value):
        """Nothing."""
        return None


BYTE, UBYTE, FLAG         = Number("b"), Number("B"), Number("?")
INT, UINT, ULONG, FLOAT   = Number("i"), Number("I"), Number("Q"), Number("f")
TEXT                      = _Text()


def read_record(content, kind, place, what):
    """The table at ``place`` in a Content as a record.

    ``kind`` is a dataclass with the table's fields in schema order: each field type is an object
    from this module, each default is a missing field's meaning. InputError, naming the field, for
    content outside the file.
    """
    table, values = Table(content, place, what), {}
    for number, field in enumerate(fields(kind)):
        name  = f"{what}.{field.name}"
        place = table.field(number, field.type.size, name)
        if place is not None:
            values[field.name] = field.type.read(content, place, name)
    return kind(**values)


def write_record(builder, record):
    """Write a record as a table with a flatbuffers.Builder; returns its position for a reference.
    """
    known    = fields(record)
    prepared = [field.type.prepare(builder, getattr(record, field.name)) for field in known]
    builder.StartObject(len(known))
    # The widest fields first avoids gaps.
    for slot in sorted(range(len(known)), key=lambda slot: -known[slot].type.size):
        known[slot].type.put(builder, slot, prepared[slot], known[slot].default)
    return builder.EndObject()


def write_vector(builder, array, align):
    """Write an array (n,) as a vector; returns its position for a reference."""
    builder.StartVector(array.itemsize, array.size, align)
    builder.head -= array.nbytes
    builder.Bytes[builder.head:builder.head + array.nbytes] = array.tobytes()
    return builder.EndVector()
