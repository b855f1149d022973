# SPDX-License-Identifier: Apache-2.0
"""Sums for a requantiser: at ties, at the clip limits, at the 32-bit limits."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from xymac.host.kit.requantise import Requantise

if TYPE_CHECKING:
    from xymac.host.kit.stimuli.draw import Draw

__all__ = ["draw_requantise"]

_TOP      = 1 << 31
_PATTERNS = ("one element", "ties", "ties below 0", "roundings", "clip", "ends of 32 bits",
             "24 bits", "every size", "any")
_ZEROS    = (-128, 127, 0, -1, 1, -37)
_LOW_ZERO = -64  #: With a higher zero point there is a range below 0.
_CLIPPED  = 0.3  #: Share of cases with an upper limit within the range.
_ELEMENTS = 64  #: Sums of a case, unless its pattern has one element.
_FACTORS  = ("power of two", "largest", "smallest", "low half zero", "any", "any ")


def draw_requantise(draw: Draw, kind: str, dialect: str) -> tuple[Requantise, tuple[np.ndarray]]:
    """A Requantise in a dialect, and its sums, int32 (rows, channels).

    Parameters
    ----------
    draw : Draw
    kind : str, output type, such as "int8" or "fx16"
    """
    bits     = 16 if "16" in kind else 8
    pattern  = draw.tell("pattern", _PATTERNS, "roundings")
    is_tie   = pattern.startswith("ties")
    channels = draw.pick("channels", (1, 2, 3, 8, 16))
    many     = draw.tell("scales", (1, "each output"), "each output") != 1
    unit     = _UNITS[dialect](draw, bits, channels if many else 1, is_tie)
    return unit, (_sums(draw, unit, channels, pattern),)


def _multipliers(draw, count, bits, is_tie):
    """Multipliers with ``bits`` bits and the highest bit set; a power of two makes ties."""
    low, high = 1 << bits - 1, (1 << bits) - 1
    style = draw.pick("multiplier", _FACTORS, where=lambda style: (
        style == "power of two")) if is_tie else draw.tell("multiplier", _FACTORS, "any")
    style = style.strip()
    drawn = draw.integers(low, high, count).tolist()
    if style == "any":
        return tuple(drawn)
    value = {"power of two": low, "largest": high, "smallest": low + 1,
             "low half zero": high >> bits // 2 << bits // 2}[style]
    return tuple(each if place % 2 and not is_tie else value for place, each in enumerate(drawn))


def _limits(draw, bits, is_tie, zero_point=0):
    """Lowest and highest output; for ties they leave a range below the zero point."""
    least, high = -(1 << bits - 1), (1 << bits - 1) - 1
    lows  = {"whole": least, "symmetric": least + 1, "from the zero point": zero_point}
    lows |= {f"from {low}": low for low in draw.own("low") if low not in lows.values()}
    style = draw.pick("clip", tuple(lows), where=lambda style: (
        draw.allows("low", lows[style]) and not (is_tie and style == "from the zero point")))
    if not is_tie and draw.rng.random() < _CLIPPED:
        high = int(draw.integers(lows[style], high))
    return lows[style], draw.near("high", high, lows[style])


def _zero(draw, bits, is_tie):
    """Zero point; for ties a value with a range below 0, if the limits allow such a value."""
    if bits == 16:
        return 0
    low = is_tie and any(draw.allows("output_zero", zero) for zero in _ZEROS if zero > _LOW_ZERO)
    return draw.pick("output_zero", _ZEROS, where=lambda zero: not low or zero > _LOW_ZERO)


def _tflm(draw, bits, count, is_tie):
    zero      = _zero(draw, bits, is_tie)
    low, high = _limits(draw, bits, is_tie, zero)
    shift = draw.pick("shift", (0, -1, -2, -5, -8, -12, -20, -24, -31, 1, 3) if bits == 8 else (
        0, -1, -4, -8, -16, -31))
    return Requantise("tflm", _multipliers(draw, count, 31, is_tie),
                      _shifts(draw, shift, count, -1), zero, low, high, bits)


def _mli1(draw, bits, count, is_tie):
    low, high = _limits(draw, bits, is_tie)
    shift = draw.pick("shift", (0, 1, 2, 4, 7, 8, 14, 15, 22, 24, 31))
    return Requantise("mli-1", (1,), (shift,), 0, low, high, bits)


def _mli2(draw, bits, count, is_tie):
    zero      = _zero(draw, bits, is_tie)
    low, high = _limits(draw, bits, is_tie, zero)
    shift = draw.pick("shift", (31, 32, 33, 36, 38, 40, 44, 54, 58, 62))
    return Requantise("mli-2", _multipliers(draw, count, 31, is_tie),
                      _shifts(draw, shift, count, 1), zero, low, high, bits)


def _xs3(draw, bits, count, is_tie):
    low, high = draw.pick("low", (-128, -127)) if bits == 8 else -32768, (1 << bits - 1) - 1
    early = draw.pick("early", (0, 1, 4, 8, 12, 16))
    shift = draw.pick("shift", (14, 15, 20, 22) if bits == 8 else (8, 14, 15))
    most  = 0 if is_tie else 1 << shift
    added = tuple(draw.integers(-most, most, count).tolist())
    return Requantise("xs3", _multipliers(draw, count, 15, is_tie), (shift,) * count, 0, low,
                      high, bits, early=(early,) * count, addend=added)


_UNITS = {"tflm": _tflm, "mli-1": _mli1, "mli-2": _mli2, "xs3": _xs3}


def _shifts(draw, first, count, way):
    """One shift per multiplier: the first shift, and others near it."""
    return (first, *(first + way * int(each) for each in draw.integers(0, 2, count - 1)))


def _sums(draw, unit, channels, pattern):
    """Sums that follow a pattern, an int32 array.

    tflm sums fit 32 bits after their left shift and with the zero point: in the library's C an
    overflow is undefined.
    """
    rows    = 1 if pattern == "one element" else -(-_ELEMENTS // channels)
    sums    = np.empty((rows, channels), np.int64)
    for channel in range(channels):
        place = channel if len(unit.multiplier) > 1 else 0
        low, high = _ends(unit, place, draw.offset)
        low, high = draw.ends("input", low, high)
        sums[:, channel] = np.clip(_column(draw, unit, place, pattern, rows), low, high)
    return sums.astype(np.int32)


def _ends(unit, place, offset):
    """Lowest and highest sum; those of tflm fit with the zero point, and with the zero point of a
    device that adds an offset.
    """
    if unit.dialect != "tflm":
        return -_TOP, _TOP - 1
    zeros = (0, unit.zero_point, unit.zero_point + offset)
    left  = max(unit.shift[place], 0)
    return -((_TOP + min(zeros)) >> left), (_TOP - 1 - max(zeros)) >> left


def _column(draw, unit, place, pattern, rows):
    if pattern.startswith("ends"):
        return draw.rng.choice([-_TOP, -_TOP + 1, 0, _TOP - 2, _TOP - 1], rows)
    if pattern == "every size":
        sizes = 2.0 ** draw.rng.permutation(np.linspace(0, 31, rows))
        return (draw.rng.choice([-1, 1], rows) * sizes * 0.999).astype(np.int64)
    if pattern == "24 bits":
        near = draw.rng.choice([-1 << 24, -1 << 23, 1 << 23, 1 << 24], rows)
        return near + draw.integers(-4, 4, rows)
    low, high = unit.low - unit.zero_point, unit.high - unit.zero_point
    if pattern == "clip":
        targets = draw.rng.choice([low - 1, low, high, high + 1], rows)
    elif pattern == "ties below 0":
        targets = draw.integers(min(low, -2), -1, rows)
    else:
        targets = draw.integers(low - 2, high + 2, rows)
    near = (draw.integers(-1, 1, rows) if pattern in ("roundings", "ties")
            else np.zeros(rows, np.int64))
    if pattern in ("any", "one element"):
        near = draw.integers(-1 << 12, 1 << 12, rows)
    return np.array([_sum_at(unit, place, int(target)) for target in targets]) + near


def _sum_at(unit, place, target):
    """The sum nearest to ``target`` + 0.5, before the zero point."""
    wanted = Fraction(2 * target + 1, 2)
    if unit.dialect == "tflm":
        factor = Fraction(unit.multiplier[place], _TOP) * Fraction(2) ** unit.shift[place]
    else:
        added   = unit.addend[place if len(unit.addend) > 1 else 0]
        wanted -= Fraction(added, 1 << max(unit.shift[place], 0))
        early   = unit.early[place if len(unit.early) > 1 else 0]
        factor  = Fraction(unit.multiplier[place], 1 << unit.shift[place] + early)
    return max(-_TOP, min(_TOP - 1, round(wanted / factor)))
