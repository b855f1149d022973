# SPDX-License-Identifier: Apache-2.0
"""Checks of what the XS3 library derives: divisors of means, parameters by channel."""

from fractions import Fraction
from itertools import product
from math import floor

import numpy as np

from tests.support.seed import random_of
from xymac.golden.parameters import xs3

from .fractions import expect, power

__all__ = ["CHECKS"]

EDGES  = (-32768, -32767, -1, 0, 1, 32767)
#: Ratios, zero points and output zero points of products that just fit, or just do not.
LAST_FITS = (
    (0.002506732940673828, (-128, -128), 93), (0.015763282775878906, (127, 127), -1),
    (2064.0, (127, 127), 74), (2113536.0, (127, 127), -128), (2113664.0, (-128, -128), -1),
    (0.01430368423461914, (29, 100), -128), (4007680.0, (33, 85), -108),
    (0.003589630126953125, (31, 98), 127), (0.9779052734375, (25, 91), 0))


def check_mean_factor():
    """Powers of two exact; else 7 bits, rounded from the 31 that the library has."""
    near = (value + step for value in (1 << place for place in range(8, 26)) for step in (-1, 0, 1))
    for count in (*range(1, 300), *(count for count in near if count <= 1 << 25), 1 << 31):
        factor, shift = xs3.mean_factor(count)
        bits = next(bits for bits in range(33) if power(bits) >= count)
        if power(bits) == count:
            expect((factor, shift), (1, bits), count)
            continue
        exact = floor(power(31) / count) * power(bits - 25)
        expect((factor, shift), (floor(exact + (Fraction(1, 2) if bits < 25 else 0)), bits + 6),
               count)
        expect(64 <= factor <= 128 and abs(factor * power(-shift) * count - 1) < power(-6), True,
               count)


def check_too_many_for_a_mean():
    """Counts whose shift an accumulator of 32 bits has no room for are refused."""
    for count in ((1 << 25) + 1, 1 << 26, (1 << 26) + 1, (1 << 31) + 1, 1 << 32):
        most = (1 << 31) if power(count.bit_length() - 1) == count else 1 << 25
        if count > most:
            _refuse(f"Kernel must have at most {most} elements, not {count}", xs3.mean_factor,
                    count)


def _refuse(sentence, function, *asked):
    """Raise AssertionError unless a function refuses with this sentence."""
    try:
        actual = function(*asked)
    except ValueError as error:
        expect(str(error), sentence, *asked)
        return
    raise AssertionError(f"{actual} for {asked}")


def check_bso_columns():
    """Each channel's parameters, the bias in two halves of which the lower one has no sign."""
    rng = random_of(7)
    for channels in (1, 15, 16, 17, 33):
        groups = -(-channels // 16)
        rows   = rng.choice(EDGES, (groups, 7, 16)).astype(np.int16)
        for data in (rows, rows.view(np.uint16)):
            actual = xs3.bso_columns(data, channels)
            for channel in range(channels):
                high, low, *rest = (int(value) for value in rows[channel // 16, :, channel % 16])
                bias = high * power(16) + (low if low >= 0 else low + power(16))
                expect([int(actual.bias[channel]), *(
                    int(getattr(actual, name)[channel]) for name in (
                        "shift1", "scale", "offset_scale", "offset", "shift2"))],
                    [int(bias), *rest], channel, channels, data.dtype)
            expect(len(actual.bias), channels)


def check_transform_columns():
    """Parameters of groups of 16 channels, the last one packed."""
    for channels in (1, 15, 16, 17, 33):
        for kinds in (2, 3):
            wanted = [[1000 * kind + channel for channel in range(channels)]
                      for kind in range(kinds)]
            data   = [value for first in range(0, channels, 16) for row in wanted
                      for value in row[first:first + 16]]
            expect(xs3.transform_columns(np.array(data, np.int16), kinds).tolist(), wanted,
                   channels, kinds)


def check_product_factors():
    """The least left shift with which all that is made of a product has 16 bits."""
    ratios = (*(2.0 ** -place for place in range(0, 40, 3)), 0.3, 0.499999, 2.7, 60.0, 1e6)
    pairs  = ((-128, -128), (127, 127), (-128, 127), (0, -1))
    for ratio, zeros, out_zero in (*product(ratios, pairs, (-128, -1, 0, 127)), *LAST_FITS):
        factor, bias, left = xs3.product_factors(*zeros, ratio, out_zero)
        asked = ratio, zeros, out_zero
        exact, fits = _product(left, *asked)
        expect((factor, bias, fits), (*exact, True), *asked)
        expect(left == 1 or not _product(left - 1, *asked)[1], True, *asked)


def _product(left, ratio, zeros, out_zero):
    """Factor and bias at a left shift, and whether they and all products fit 16 bits."""
    scale  = Fraction(ratio) * power(23 - left)
    exact  = floor(abs(scale) + Fraction(1, 2)), _away(out_zero * power(8 - left))
    halves = [floor(Fraction((end + zeros[0] + 1) * (end + zeros[1] + 1) + 1, 2))
              for end in (-128, 127)]
    scaled = [floor(half * exact[0] * power(-14) + Fraction(1, 2)) for half in halves]
    return exact, all(-1 << 15 <= value < 1 << 15 for value in (
        *exact, *scaled, *(value + exact[1] for value in scaled)))


def check_products_beyond_a_shift():
    """Scales whose products no left shift of 32 bits makes fit are refused."""
    for ratio in (8454784.0, 1e9):
        _refuse(f"Scales of the inputs over that of the output must fit a left shift up to 31 "
                f"bits, not be {ratio:g}", xs3.product_factors, 0, -1, ratio, -22)


def _away(value):
    """Nearest integer of a Fraction, halves away from zero."""
    return floor(abs(value) + Fraction(1, 2)) * (-1 if value < 0 else 1)


def check_block():
    """One saturation after 32 products of 8 bits."""
    expect((xs3.BLOCK, xs3.SHIFT_MAX), (256 // 8, 32 - 1))
    expect((xs3.PRODUCT_SHIFT, xs3.SCALE_BITS, xs3.DEPTH), (1, 14, 8))
    expect((xs3.ADD_SHIFT, xs3.SCALE_SHIFT), (16 - 2, 16 - 1))


CHECKS = (check_mean_factor, check_too_many_for_a_mean, check_bso_columns, check_transform_columns,
          check_product_factors, check_products_beyond_a_shift, check_block)
