# SPDX-License-Identifier: Apache-2.0
"""Exact numbers, rounded only where a library rounds, and the edges of what it is given."""

from fractions import Fraction
from functools import cache
from math import floor

from tests.support.seed import random_of
from xymac.golden.mli2 import Affine, Build

__all__ = ["BUILDS", "FRACS", "SCALES", "ZEROS", "at_width", "clamp", "expect", "first_bits",
           "format_pairs", "nearest", "power", "ratio", "real", "spare_bits"]

#: One build of each rounding, and the one that cuts sums as well.
BUILDS = tuple(Build)
SCALES = (1, 2, 3, 127, 128, 255, 16383, 16384, 21845, 32766, 32767)
ZEROS  = (-32768, -32767, -129, -128, -1, 0, 1, 127, 128, 32767)
FRACS  = (-128, -127, -17, -1, 0, 1, 7, 8, 15, 16, 31, 32, 63, 126, 127)


def expect(actual, wanted, *asked):
    """Raise AssertionError unless both are equal; ``asked`` is what they were asked of."""
    if actual != wanted:
        raise AssertionError(f"{actual} is not {wanted} for {asked}")


@cache
def power(places):
    """``2**places``, a Fraction for any int."""
    return Fraction(2) ** places


def clamp(value, bits):
    """An integer limited to ``bits`` with a sign."""
    return int(max(-power(bits - 1), min(value, power(bits - 1) - 1)))


def nearest(value, build):
    """The nearest integer of a Fraction: halves up, or to even in the build that has it so."""
    return round(value) if build is Build.CONVERGENT_FULL else floor(value + Fraction(1, 2))


def at_width(value, shift, bits, build):
    """``value / 2**shift`` as the library rounds it in an operand of ``bits``.

    To the left it saturates; where it rounds up, no sum is above the largest operand; and a shift
    of all bits leaves 0.
    """
    exact = value * power(-shift)
    if shift <= 0:
        return clamp(exact, bits)
    if shift >= bits:
        return 0
    rounded = nearest(exact, build)
    if build is Build.CONVERGENT_FULL:
        return rounded
    return min(rounded, floor((power(bits - 1) - 1) * power(-shift)))


@cache
def spare_bits(value, bits):
    """How often a value of ``bits`` can be doubled; a value of 0 as often as there are bits."""
    fits = [places for places in range(bits) if
            -power(bits - 1) <= value * power(places) <= power(bits - 1) - 1]
    return fits[-1]


def first_bits(value, build):
    """A value of 32 bits as its first 16, rounded, and how far right they are of it."""
    shift = 16 - spare_bits(value, 32)
    return clamp(at_width(value, shift, 32, build), 16), shift


@cache
def ratio(scale, out_scale, places, build):
    """The quotient of two scales, cut behind ``places`` bits, as its first 16 bits; and how many
    of them are behind the point."""
    multiplier, shift = first_bits(floor(Fraction(scale, out_scale) * power(places)), build)
    return multiplier, places - shift


def real(kind):
    """What a step of an Affine stands for."""
    return kind.scale * power(-kind.scale_frac_bits)


@cache
def format_pairs(key):
    """Pairs of Affines: all edges of scales, differences of fractional bits, any of both."""
    rng   = random_of(key)
    pairs = [(scale, FRACS[index % 15], out, FRACS[(index * 7 + 3) % 15])
             for index, (scale, out) in enumerate((a, b) for a in SCALES for b in SCALES)]
    for distance in (*range(-255, -64, 5), *range(-64, 65), *range(65, 256, 5)):
        first  = distance - 128 if distance >= 0 else distance + 127
        scales = SCALES[distance % 11], SCALES[distance // 11 % 11]
        pairs.append((scales[0], first, scales[1], first - distance))
    pairs += [tuple(map(int, rng.integers((1, -128, 1, -128), (32768, 128, 32768, 128))))
              for _ in range(60)]
    return tuple((Affine(ZEROS[index % 10], scale, frac),
                  Affine(ZEROS[index // 10 % 10], out_scale, out_frac))
                 for index, (scale, frac, out_scale, out_frac) in enumerate(pairs))
