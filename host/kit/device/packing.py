# SPDX-License-Identifier: Apache-2.0
"""Numbers packed into a wide word, as on hardware ports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.host.errors import InputError, check_int, check_type

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["UnknownBitsError", "pack", "read", "unpack"]


class UnknownBitsError(ValueError):
    """A simulator value with x or z."""


def pack(values: Iterable[int], bits: int) -> int:
    """``values`` packed into a single int, ``bits`` bits each, the first value lowest.

    InputError for a value outside both the signed and the unsigned range.
    """
    word = 0
    check_int("bits", bits, 1)
    for place, value in enumerate(np.asarray(values, object).reshape(-1)):
        check_type(f"Value {place}", value, int, np.integer)
        if not -(1 << bits - 1) <= value < 1 << bits:
            raise InputError(f"Value {place} must fit {bits} bits, not {value}")
        word |= (int(value) & (1 << bits) - 1) << place * bits
    return word


def unpack(word: int, bits: int, count: int, *, signed: bool = True) -> np.ndarray:
    """The ``count`` numbers with ``bits`` bits each in an int, the lowest first: an int64 array."""
    check_type("word", word, int, np.integer)
    check_int("bits", bits, 1)
    check_int("count", count, 0)
    word   = int(word)
    values = [word >> place * bits & (1 << bits) - 1 for place in range(count)]
    if signed:
        values = [value - (value >> bits - 1 << bits) for value in values]
    return np.array(values, np.int64)


def read(handle: Any, *, signed: bool = True) -> int:
    """A cocotb handle's int value, or the int of its value: a two's complement number, or a number
    of at least 0 if it has a single bit or not ``signed``; UnknownBitsError for x or z.
    """
    value = getattr(handle, "value", handle)
    if isinstance(value, int | np.integer):
        return int(value)
    if not getattr(value, "is_resolvable", True):
        raise UnknownBitsError(f"{getattr(handle, '_name', 'value')} is {value}")
    return value.to_signed() if signed and len(value) > 1 else int(value)
