# SPDX-License-Identifier: Apache-2.0
"""float32 exponentials and logarithms, rounded as the C library rounds them.

Source: glibc, sysdeps/ieee754/flt-32, e_expf.c and e_logf.c: double arithmetic, a polynomial
between table entries, a final rounding.
"""

from __future__ import annotations

import numpy as np

__all__ = ["exponential", "exponential_less_one", "logarithm"]

_STEPS  = 32  #: Table entries per octave of the exponential.
_POWERS = 2.0 ** (np.arange(_STEPS) / _STEPS)
#: Polynomial of the exponential between two entries; its constant term is 1.
_CURVE  = (float.fromhex("0x1.c6af84b912394p-5") / _STEPS**3,
           float.fromhex("0x1.ebfce50fac4f3p-3") / _STEPS**2,
           float.fromhex("0x1.62e42ff0c52d6p-1") / _STEPS)
_PARTS  = float.fromhex("0x1.71547652b82fep+0") * _STEPS  #: Table steps in an argument of 1.
_MOST, _LEAST = float.fromhex("0x1.62e42ep6"), float.fromhex("-0x1.9fe368p6")

#: Inverse of each interval's midpoint within an octave, and the midpoint's logarithm.
_LOGARITHMS = np.array([[float.fromhex(text) for text in pair.split()] for pair in (
    "0x1.661ec79f8f3bep+0 -0x1.57bf7808caadep-2", "0x1.571ed4aaf883dp+0 -0x1.2bef0a7c06ddbp-2",
    "0x1.49539f0f010bp+0 -0x1.01eae7f513a67p-2", "0x1.3c995b0b80385p+0 -0x1.b31d8a68224e9p-3",
    "0x1.30d190c8864a5p+0 -0x1.6574f0ac07758p-3", "0x1.25e227b0b8eap+0 -0x1.1aa2bc79c81p-3",
    "0x1.1bb4a4a1a343fp+0 -0x1.a4e76ce8c0e5ep-4", "0x1.12358f08ae5bap+0 -0x1.1973c5a611cccp-4",
    "0x1.0953f419900a7p+0 -0x1.252f438e10c1ep-5", "0x1p+0 0x0p+0",
    "0x1.e608cfd9a47acp-1 0x1.aa5aa5df25984p-5", "0x1.ca4b31f026aap-1 0x1.c5e53aa362eb4p-4",
    "0x1.b2036576afce6p-1 0x1.526e57720db08p-3", "0x1.9c2d163a1aa2dp-1 0x1.bc2860d224770p-3",
    "0x1.886e6037841edp-1 0x1.1058bc8a07ee1p-2", "0x1.767dcf5534862p-1 0x1.4043057b6ee09p-2")])
_OCTAVE = float.fromhex("0x1.62e42fefa39efp-1")
_SERIES = tuple(map(float.fromhex, ("-0x1.00ea348b88334p-2", "0x1.5575b0be00b6ap-2",
                                    "-0x1.ffffef20a4123p-2")))
_DIGITS = 23  #: Powers of two from which on exp(x) - 1 adds in another order.
_GREAT  = np.float32(38.8)  #: 56 log(2).
_OFFSET = 0x3F330000  #: float32 bit pattern at the start of the first interval.

_HALF = np.float32(0.5)
_LOG2_HIGH, _LOG2_LOW, _ONE_BY_LOG2 = (np.uint32(bits).view(np.float32) for bits in (
    0x3F317180, 0x3717F7D1, 0x3FB8AA3B))
#: Curve of exp(x) - 1, highest power first.
_QUOTIENT = tuple(np.uint32(bits).view(np.float32) for bits in (
    0xB457EDBB, 0x36867E54, 0xB8A670CD, 0x3AD00D01, 0xBD088889))
#: Magnitudes below which the result is x, and from which on it is -1 for negative numbers.
_TINY, _END = (np.uint32(bits).view(np.float32) for bits in (0x33000000, 0x4195B844))


def exponential(x: np.ndarray) -> np.ndarray:
    """exp(x) for a float32 array."""
    x     = np.asarray(x, np.float32)
    parts = _PARTS * np.clip(np.nan_to_num(x), -200, 200).astype(np.float64)
    whole = np.rint(parts)
    rest  = parts - whole
    index = whole.astype(np.int64)
    scale = np.ldexp(_POWERS[index % _STEPS], (index // _STEPS).astype(int))
    value = (_CURVE[0] * rest + _CURVE[1]) * rest**2 + (_CURVE[2] * rest + 1)
    with np.errstate(over="ignore", under="ignore"):
        value = (value * scale).astype(np.float32)
    value = np.where(x > _MOST, np.float32(np.inf), np.where(x < _LEAST, np.float32(0), value))
    return np.where(np.isnan(x), x, value)


def logarithm(x: np.ndarray) -> np.ndarray:
    """log(x) for a float32 array."""
    x     = np.asarray(x, np.float32)
    small = (x > 0) & (x < np.finfo(np.float32).tiny)
    taken = np.where((x > 0) & np.isfinite(x), x, np.float32(1))
    bits  = np.where(small, taken * np.float32(1 << 23), taken).view(np.int32).astype(np.int64)
    bits  = bits - (small.astype(np.int64) * 23 << 23)
    above = bits - _OFFSET
    inverse, known = _LOGARITHMS[above >> 19 & 15].T
    octave = above >> 23
    value  = (bits - (octave << 23)).astype(np.int32).view(np.float32).astype(np.float64)
    rest   = value * inverse.T - 1
    square = rest * rest
    curve  = _SERIES[0] * square + (_SERIES[1] * rest + _SERIES[2])
    value  = (curve * square + (known.T + octave * _OCTAVE + rest)).astype(np.float32)
    value  = np.where(x == 0, np.float32(-np.inf), np.where(x < 0, np.float32(np.nan), value))
    return np.where(np.isnan(x) | (x == np.inf), x, value)


def exponential_less_one(x: np.ndarray) -> np.ndarray:
    """exp(x) - 1 for a float32 array of elements up to 56 log(2).

    Source: glibc before 2.41 and newlib, e_expm1f.c: float32 arithmetic, x less a multiple of
    log(2), a rational curve, and the power of two.
    """
    given = np.asarray(x, np.float32)
    x     = np.clip(np.nan_to_num(given), np.float32(-64), _GREAT)
    sign  = np.where(x < 0, np.float32(-1), np.float32(1))
    whole = np.trunc(_ONE_BY_LOG2 * x + sign * _HALF)
    high, low = x - whole * _LOG2_HIGH, whole * _LOG2_LOW
    rest  = high - low
    error = (high - rest) - low
    half  = _HALF * rest
    area  = rest * half
    curve = np.float32(1)
    power = _QUOTIENT[0]
    for factor in _QUOTIENT[1:]:
        power = factor + area * power
    curve += area * power
    line  = np.float32(3) - curve * half
    part  = area * ((curve - line) / (np.float32(6) - rest * line))
    moved = (rest * (part - error) - error) - area
    value = np.where(whole == 0, rest - (rest * part - area), _join(rest, moved, whole.astype(int)))
    value = np.where(x <= -_END, np.float32(-1), value)
    return np.where(np.isnan(given) | (np.abs(given) < _TINY), given, value)


def _join(rest, moved, power):
    """exp(x) - 1 of float32 parts and a ``power`` of two other than 0."""
    one   = np.float32(1)
    small = np.ldexp(one, -np.maximum(power, 0))
    below = np.ldexp(one - (moved - rest), power) - one
    above = np.where(power < _DIGITS, np.ldexp((one - small) - (moved - rest), power),
                     np.ldexp(rest - (moved + small) + one, power))
    twice = np.where(rest < -_HALF / 2, np.float32(-2) * (moved - (rest + _HALF)),
                     one + np.float32(2) * (rest - moved))
    return np.where(power == -1, _HALF * (rest - moved) - _HALF, np.where(
        power == 1, twice, np.where(power < 0, below, above)))
