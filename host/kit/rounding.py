# SPDX-License-Identifier: Apache-2.0
"""Exact arithmetic on integers of any size in arrays: products, rounded quotients, limits.

An array is int64 if the result cannot overflow, else an object array of Python ints.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from xymac.golden.fixed import container, wrap

__all__ = ["Limit", "Rounding", "add", "divide", "limit", "multiply", "shift_left", "shift_right"]

_BITS = 62  #: Magnitude bits of int64 values; one bit is left for a sum.


class Rounding(Enum):
    """A right shift's rounding direction; the value is a text."""

    UP         = "half up"
    CONVERGENT = "half to even"
    AWAY       = "half away from zero"
    DOWN       = "half down"
    FLOOR      = "down, cutting bits off"
    ZERO       = "towards zero"
    #: A negative nudge and a shift where a library divides: exact numbers below 0 become one less.
    NUDGED     = "by a nudge of its sign and a shift in place of a division"


class Limit(Enum):
    """Treatment of a number that does not fit; the value is a text with ``{}`` for the quantity."""

    SATURATE  = "saturates {}"
    SYMMETRIC = "saturates {} to plus or minus the same"
    WRAP      = "wraps {}"


def _size(x):
    """Bits for the largest magnitude in an array."""
    if not x.size:
        return 0
    high = int(np.maximum.reduce(x, axis=None))
    return max(-int(np.minimum.reduce(x, axis=None)), high).bit_length()


def _fit(x):
    """``x`` as int64 if its values fit."""
    return x.astype(np.int64) if x.dtype == object and _size(x) <= _BITS else x


def multiply(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a * b``."""
    if _size(a) + _size(b) > _BITS:
        a = a.astype(object)
    return a * b


def add(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """``a + b``."""
    if max(_size(a), _size(b)) >= _BITS:
        a = a.astype(object)
    return a + b


def shift_left(x: np.ndarray, places: np.ndarray) -> np.ndarray:
    """``x * 2**places``; ``places`` is an int64 array of values >= 0."""
    if _size(x) + (int(places.max()) if places.size else 0) > _BITS:
        x, places = x.astype(object), places.astype(object)
    return x << places


def _round_up(x, floor, rest, half, rounding):
    """The rounded result less ``floor``: a bool array, or ints from -1 to 1."""
    if rounding is Rounding.NUDGED:
        return np.where(x < 0, -(rest < half - 1).astype(int), (rest >= half).astype(int))
    if rounding is Rounding.FLOOR:
        return np.zeros(x.shape, bool)
    if rounding is Rounding.ZERO:
        return (x < 0) & (rest > 0)
    if rounding is Rounding.UP:
        return rest >= half
    tie = {Rounding.CONVERGENT: floor & 1 == 1, Rounding.AWAY: x >= 0, Rounding.DOWN: False}
    return (rest > half) | (rest == half) & tie[rounding]


def shift_right(x: np.ndarray, shift: np.ndarray, rounding: Rounding, bits: int = 0) -> np.ndarray:
    """``x / 2**shift``, rounded; a negative ``shift`` moves left.

    Parameters
    ----------
    x : int64 array or object array of Python ints
    shift : int64 array of the same shape
    rounding : Rounding
    bits : int, width at which the rounding addition saturates and from which a shift gives 0, as in
        some libraries; 0 for none
    """
    left  = shift_left(x, np.maximum(-shift, 0))
    right = np.maximum(shift, 0)
    if left.dtype == object or _size(left) > _BITS:
        left, right = left.astype(object), right.astype(object)
    else:
        # |x| is below 2**62, so all shifts of 63 bits or more give the same result.
        right = np.minimum(right, _BITS + 1)
    one   = left.dtype.type(1) if left.dtype != object else 1
    half  = np.left_shift(one, np.maximum(right - 1, 0))
    floor = left >> right
    rest  = np.where(right > 0, left & (half | half - 1), 0)
    value = floor + _round_up(left, floor, rest, half, rounding)
    if bits and rounding is Rounding.UP:
        top   = container(bits)[1]
        value = np.where((right > 0) & (left > top - half), top >> right, value)
    if bits:
        value = np.where(shift >= bits, 0, value)
    return _fit(value)


def divide(x: np.ndarray, divisor: np.ndarray, rounding: Rounding) -> np.ndarray:
    """``x / divisor``, rounded; ``divisor`` an int64 array of at least 1 and at most 2**31."""
    floor = x // divisor
    return floor + _round_up(x, floor, 2 * (x - floor * divisor), divisor, rounding)


def limit(x: np.ndarray, bits: int, kind: Limit) -> np.ndarray:
    """``x`` limited to ``bits`` bits by the Limit ``kind``; unchanged from 63 bits on."""
    if bits > _BITS:
        return x
    low, high = container(bits)
    if kind is Limit.WRAP:
        return _fit(wrap(x, bits))
    return _fit(np.minimum(np.maximum(x, -high if kind is Limit.SYMMETRIC else low), high))
