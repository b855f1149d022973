"""Numbers side by side in a wide word, as the ports of hardware have them."""

import numpy as np

__all__ = ["UnknownBitsError", "pack", "read", "unpack"]


class UnknownBitsError(ValueError):
    """A value of the simulator that holds x or z."""


def pack(values, bits):
    """One int of ``values``, ``bits`` bits each, the first one lowest.

    ValueError for a value that fits neither with a sign nor without.
    """
    word = 0
    for place, value in enumerate(np.asarray(values).reshape(-1).tolist()):
        if not -(1 << bits - 1) <= value < 1 << bits:
            raise ValueError(f"Value {place} must fit {bits} bits, not {value}")
        word |= (value & (1 << bits) - 1) << place * bits
    return word


def unpack(word, bits, count, *, signed=True):
    """The ``count`` numbers of ``bits`` bits in an int, the lowest first: an int64 array."""
    values = [word >> place * bits & (1 << bits) - 1 for place in range(count)]
    if signed:
        values = [value - (value >> bits - 1 << bits) for value in values]
    return np.array(values, np.int64)


def read(handle, *, signed=True):
    """The int that a handle of cocotb has, or one of its values; UnknownBitsError for x or z."""
    value = getattr(handle, "value", handle)
    if isinstance(value, int | np.integer):
        return int(value)
    if not getattr(value, "is_resolvable", True):
        raise UnknownBitsError(f"{getattr(handle, '_name', 'value')} is {value}")
    return value.to_signed() if signed and len(value) > 1 else int(value)
