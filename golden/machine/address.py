"""Addresses and border clipping of a pass, for many outputs at once."""

import numpy as np

from hdl.isa import AguMode

__all__ = ["map_addresses", "offsets", "valid_taps"]


def offsets(strides, indices):
    """Sum of ``index * stride`` over three loops, element by element."""
    return sum(np.asarray(index, np.int64) * stride
               for index, stride in zip(indices, strides, strict=True))


def valid_taps(pass_, b, c):
    """Mask [outputs, steps] of the taps that the border leaves to the outputs ``b``, ``c``."""
    sides = []
    for axis, index, count in ((pass_.rows, b, pass_.taps[0]), (pass_.cols, c, pass_.taps[1])):
        position = (index * axis.step - axis.pad)[:, None] + np.arange(count)
        sides.append((position >= 0) & (position < axis.size))
    both = sides[0][:, :, None] & sides[1][:, None, :]
    return np.repeat(both.reshape(len(b), -1), pass_.taps[2], axis=1)


def map_addresses(access, origin, steps, span):
    """Addresses of all steps from all origins, as ``hdl.isa.AguMode`` defines them.

    Parameters
    ----------
    access : Access
    origin : indices of the three outer loops, each [outputs]
    steps : [steps], distance from the origin
    span : int, units that one access touches from its address on

    Returns the addresses [outputs, steps], 0 where the access faults, and a mask that is False
    there.
    """
    length = access.high - access.low + 1
    start  = access.base - access.low + offsets(access.outer, origin)
    if access.mode is AguMode.MODULO:
        relative  = (start % length)[:, None] + steps
        relative += length * ((relative < 0).astype(np.int64) - (relative >= length))
    else:
        relative = start[:, None] + steps
    inside = (relative >= 0) & (relative < length)
    if access.mode is AguMode.BIT_REVERSED:
        relative = _reverse(np.where(inside, relative, 0), length.bit_length() - 1)
    inside &= relative + span <= length
    return np.where(inside, access.low + relative, 0), inside


def _reverse(value, bits):
    """Reverse the lowest ``bits`` bits."""
    result = np.zeros_like(value)
    for bit in range(bits):
        result |= (value >> bit & 1) << bits - 1 - bit
    return result
