# SPDX-License-Identifier: Apache-2.0
"""Exponentials, reciprocals and tables of TensorFlow Lite on single Python ints, by fractions."""

from fractions import Fraction
from math import exp, floor

import numpy as np

from .tflm import away, clamped, multiplied, quantised

__all__ = ["exponential", "high", "logarithm", "logistic", "reciprocal", "sigmoid16", "softmax",
           "softmax16", "table", "tanh", "tanh16"]

HALF, TOP = Fraction(1, 2), 2 ** 31 - 1


def high(a, b):
    """Product of two fractions of 31 bits, halves up."""
    return floor(Fraction(a * b, 2 ** 31) + HALF)


def exponential(x, integer_bits):
    """exp of a raw number up to 0, by factors for each quarter and bit."""
    if x == 0:
        return TOP
    unit = 2 ** (31 - integer_bits)
    whole, rest = divmod(x, unit // 4)  # x = quarters below 0 and what is above them
    quarters = -(whole + 1)
    a  = (rest - unit // 4) * 2 ** integer_bits + 2 ** 28
    a2 = high(a, a)
    inner = high(away(Fraction(high(a2, a2), 4)) + high(a2, a), 715827883) + a2
    value = 1895147668 + high(1895147668, a + away(Fraction(inner, 2)))
    for bit, factor in enumerate((1672461947, 1302514674, 790015084, 290630308, 39332535, 720401,
                                  242)[:integer_bits + 2]):
        value = high(value, factor) if quarters // 2 ** bit % 2 else value
    return value


def reciprocal(x):
    """1 / (1 + x), twice of which has 29 bits behind the point: three steps of Newton's."""
    half  = (x + TOP + 1) // 2
    value = 1515870810 + high(half, -1010580540)
    for _ in range(3):
        value += clamped(high(value, 2 ** 29 - high(half, value)) * 4, -TOP - 1, TOP)
    return value


def _shifted(value, power):
    return clamped(value * 2 ** power, -TOP - 1, TOP)


def logarithm(x):
    """Logarithm with 26 bits behind the point, for a number >= 1 with 19 bits behind the point."""
    length = x.bit_length()
    first  = _shifted(high(_shifted(x, 31 - length), 1518500250), 1)
    room   = 31 - high(x, 1518500250).bit_length()
    r      = min(first, _shifted(x, room))
    power  = max((length - 20) * 2 ** 25 + 2 ** 23, (12 - room) * 2 ** 25 - 2 ** 23)
    p, q   = floor(Fraction(r + 1805811301, 2) + HALF), 2 * (r - 1805811301)
    square = high(q, q)
    above  = high(q, r) + high(high(q, square), 117049297)
    below  = high(p, 1057819769 + q + high(127690142, square)) + high(638450708, q)
    inverse = min(2 * reciprocal(below), TOP)
    rest    = high(away(Fraction(above, 2 ** 6)), inverse)
    return _shifted(high(power, 1488522236) + rest, 1)


def _by_eight_bits(x, scale, integer_bits, curve):
    """What is beyond 15 of the argument has the limit of the type."""
    multiplier, exponent = quantised(scale * 2.0 ** 27)
    radius = floor(15 * 2.0 ** (27 - exponent))
    if x <= -radius or x >= radius:
        return -128 if x <= -radius else 127
    t = multiplied(x, multiplier, exponent)
    return curve(t, exponential(-abs(t), integer_bits))


def logistic(x, scale):
    """One INT8 output of a centred element."""
    def curve(t, power):
        value = min(reciprocal(power) * 2, TOP)
        value = 2 ** 30 if t == 0 else value if t > 0 else TOP - value
        return clamped(away(Fraction(value, 2 ** 23)) - 128, -128, 127)
    return _by_eight_bits(x, scale, 4, curve)


def tanh(x, scale):
    """One INT8 output of a centred element."""
    def curve(t, power):
        value = min((reciprocal(power) - 2 ** 29) * 4, TOP) * ((t > 0) - (t < 0))
        return clamped(away(Fraction(value, 2 ** 24)), -128, 127)
    return _by_eight_bits(x, scale, 5, curve)


def softmax(row, scale, beta, bits):
    """Outputs of a row of INT8 elements."""
    multiplier, exponent = quantised(min(beta * scale * 2.0 ** 26, 2.0 ** 31 - 1))
    least  = -floor(31 * 2.0 ** (26 - exponent))
    powers = [exponential(high((x - max(row)) * 2 ** exponent, multiplier), 5)
              if x - max(row) >= least else None for x in row]
    total  = sum(away(Fraction(power, 2 ** 12)) for power in powers if power is not None)
    length = total.bit_length()
    scaled = min(reciprocal(total * 2 ** (32 - length) - 2 ** 31) * 2, TOP)
    low    = -2 ** (bits - 1)
    return [low if power is None else clamped(
        away(Fraction(high(scaled, power), 2 ** (length + 11 - bits))) + low, low, -low - 1)
        for power in powers]


def table(function, low, high_):
    """513 samples of a function in float32, each moved by half of the error next to it."""
    f = np.float32

    def near(value):
        return f(away(Fraction(float(value))))

    values = [f(function(low + (high_ - low) * place / 1024)) * f(32768) for place in range(1025)]
    entries = []
    for place in range(0, 1024, 2):
        first  = near(values[place])
        middle = near(f(values[place + 2] + first) / f(2))
        entries.append(int(min(first - near((middle - near(values[place + 1])) / f(2)), 32767)))
    return [*entries, int(min(near(values[1024]), 32767))]


def _read(entries, x):
    index, rest = divmod(x + 32768, 128)
    return entries[index] + floor(Fraction((entries[index + 1] - entries[index]) * rest, 128)
                                  + HALF)


def softmax16(row, scale, beta, tables):
    """Outputs of a row of INT16 elements."""
    factor = quantised(scale * beta / (10.0 / 65535.0))
    powers = [_read(tables[0], clamped(multiplied(x - max(row), *factor) + 32767, -32768, 32767))
              for x in row]
    total, length = sum(powers), sum(powers).bit_length()
    mean = floor(Fraction(total * 2 ** (31 - length), 2 ** 14) + HALF)
    inverse = _read(tables[1], clamped(mean - 98304, -32768, 32767))
    return [clamped(floor(Fraction(power * inverse, 2 ** (length - 1)) + HALF), 0, 32767)
            for power in powers]


def sigmoids():
    """256 samples of the sigmoid, with the entries that are one larger."""
    ranges = [(4, 5), (8, 9), (12, 13), (14, 18), (19, 23), (25, 26), (27, 32), (33, 36), (37, 38),
              (39, 42), (43, 47), (49, 51), (54, 55), (62, 65), (66, 67), (82, 83), (86, 87),
              (93, 94), (100, 101), (103, 104), (112, 113), (116, 117), (135, 136), (255, 256)]
    return [floor(65536 / (1 + exp(-i / 24)) + 0.5) + any(i in range(*each) for each in ranges)
            for i in range(256)]


SIGMOIDS = sigmoids()


def _between(size, bits):
    """Sample between two entries; behind the last one there are none."""
    index, rest = divmod(size, 2 ** bits)
    return SIGMOIDS[index] * 2 ** bits + rest * (SIGMOIDS[index + 1] - SIGMOIDS[index])


def _argument(x, factor, shift):
    return floor(Fraction(x * factor, 2 ** shift) + (HALF if shift else 0))


def sigmoid16(x, factor, shift):
    """One INT16 output."""
    t = _argument(x, factor, shift)
    value = 32767 * 1024 if abs(t) >= 255 * 512 else _between(abs(t), 9)
    return (value + 512) // 1024 if t >= 0 else (2 ** 25 - value + 511) // 1024


def tanh16(x, factor, shift):
    """One INT16 output."""
    t = _argument(x, factor, shift)
    value = 65535 * 256 if abs(t) >= 255 * 256 else _between(abs(t), 8)
    value -= 2 ** 23
    return (value + 128) // 256 if t >= 0 else (-value + 127) // 256
