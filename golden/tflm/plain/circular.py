# SPDX-License-Identifier: Apache-2.0
"""float32 sine, cosine and hyperbolic tangent, rounded as the C library rounds them.

Source: glibc 2.28 to 2.40, sysdeps/ieee754/flt-32, s_sinf.c, s_cosf.c and sincosf.h, for processors
with a fused multiplication and addition; s_tanhf.c.
"""

from __future__ import annotations

import numpy as np

from .exponents import exponential_less_one

__all__ = ["cosine", "hyperbolic_tangent", "sine"]

#: Polynomials of sine and cosine within a quarter of pi, lowest power first.
_SINE   = tuple(map(float.fromhex, ("-0x1.555545995a603p-3", "0x1.1107605230bc4p-7",
                                    "-0x1.994eb3774cf24p-13")))
_COSINE = tuple(map(float.fromhex, ("0x1p0", "-0x1.ffffffd0c621cp-2", "0x1.55553e1068f19p-5",
                                    "-0x1.6c087e89a359dp-10", "0x1.99343027bf8c3p-16")))
_FAST    = np.float32(120)  #: Where another reduction begins.
_TINY    = np.float32(2.0 ** -12)
_PARTS   = float.fromhex("0x1.45F306DC9C883p+23")  #: 2**24 by half of pi.
_HALF_PI = float.fromhex("0x1.921FB54442D18p0")
_UPPER   = float(np.float32(_HALF_PI))  #: Upper bits of it, whose products are exact.
_SCALE   = float.fromhex("0x1.921FB54442D18p-62")
#: 32 bits from every eighth bit on of 4 by pi.
_INVERSE = np.array([0xA2F9836E4E441529FC2757D1F534DDC0DB6295993C439041 >> 8 * (23 - place)
                     & 0xFFFFFFFF for place in range(24)], np.uint64)
_SATURATED = np.float32(22)  #: Where tanh is 1.


def _reduce(x):
    """(Rest, quadrant) of each finite element of a float32 array; small ones are their own rest."""
    values   = x.astype(np.float64)
    near     = np.where(np.abs(x) < _FAST, values, 0.0)
    quadrant = (np.trunc(near * _PARTS).astype(np.int64) + (1 << 23)) >> 24
    rest     = (near - quadrant * _UPPER) - quadrant * (_HALF_PI - _UPPER)
    far, turns = _reduce_large(x)
    is_far   = np.abs(x) >= _FAST
    return np.where(is_far, far, rest), np.where(is_far, turns, quadrant)


def _reduce_large(x):
    """``_reduce`` for elements of 120 and more, in integers."""
    bits  = np.abs(x).view(np.uint32).astype(np.uint64)
    first = (bits >> np.uint64(26) & np.uint64(15)).astype(np.int64)
    whole = ((bits & np.uint64(0xFFFFFF) | np.uint64(0x800000))
             << (bits >> np.uint64(23) & np.uint64(7))) & np.uint64(0xFFFFFFFF)
    low, middle, high = (whole * _INVERSE[np.minimum(first + place, 23)] for place in (8, 4, 0))
    product = ((low >> np.uint64(32)) | (high << np.uint64(32))) + middle
    turns   = (product + np.uint64(1 << 61)) >> np.uint64(62)
    rest    = (product - (turns << np.uint64(62))).view(np.int64).astype(np.float64) * _SCALE
    turns   = turns.astype(np.int64)
    below   = np.signbit(x)
    return np.where(below, -rest, rest), np.where(below, -turns, turns)


def _curve(rest, *, odd):
    """Sines of a float64 array within a quarter of pi, cosines where ``odd``."""
    square = rest * rest
    cube   = rest * square
    sines  = (rest + cube * _SINE[0]) + cube * square * (_SINE[1] + square * _SINE[2])
    fourth = square * square
    cosines = (_COSINE[0] + square * _COSINE[1] + fourth * _COSINE[2]) + fourth * square * (
        _COSINE[3] + square * _COSINE[4])
    return np.where(odd, cosines, sines)


def _wave(x, first):
    """Sines of a float32 array, ``first`` quadrants later."""
    x     = np.asarray(x, np.float32)
    taken = np.where(np.isfinite(x), x, np.float32(0))
    rest, quadrant = _reduce(taken)
    quadrant = quadrant + first
    value    = _curve(rest, odd=quadrant & 1)
    value    = np.where(quadrant & 2, -value, value).astype(np.float32)
    return np.where(np.isfinite(x), value, np.float32(np.nan))


def sine(x: np.ndarray) -> np.ndarray:
    """sin(x) for a float32 array."""
    x = np.asarray(x, np.float32)
    return np.where(np.abs(x) < _TINY, x, _wave(x, 0))


def cosine(x: np.ndarray) -> np.ndarray:
    """cos(x) for a float32 array."""
    return np.where(np.abs(x) < _TINY, np.float32(1), _wave(x, 1))


def hyperbolic_tangent(x: np.ndarray) -> np.ndarray:
    """tanh(x) for a float32 array."""
    x     = np.asarray(x, np.float32)
    one, two = np.float32(1), np.float32(2)
    size  = np.minimum(np.abs(np.nan_to_num(x)), _SATURATED)
    grown = exponential_less_one(two * size)
    less  = exponential_less_one(-two * size)
    value = np.where(size >= one, one - two / (grown + two), -less / (less + two))
    value = np.where(size >= _SATURATED, one, value)
    value = np.where(size < np.float32(2.0 ** -55), size, value)
    return np.where(np.isnan(x), x, np.copysign(value, x))
