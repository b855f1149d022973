# SPDX-License-Identifier: Apache-2.0
"""Instructions of the XS3 unit: exact fractions, refusals."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest

from xymac.golden.xs3 import instructions as xs3


def edges(bits):
    """Values around every limit of ``bits``."""
    limits = [0, *(sign << width - 1 for sign in (-1, 1) for width in (8, 16, 32, 40)
                   if width <= bits)]
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1
    return sorted({value for limit in limits for value in range(limit - 2, limit + 3)
                   if low <= value <= high})


def symmetric(value, bits):
    return max(1 - 2 ** (bits - 1), min(value, 2 ** (bits - 1) - 1))


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_vlsat_rounds_halves_up(bits):
    width = 40 if bits == 32 else 32
    for shift in range(width):
        halves = [sign * (1 << shift) * odd // 2 + near for sign in (-1, 1) for odd in (1, 3, 5)
                  for near in (-1, 0, 1)]
        acc = [*edges(width), *(value for value in halves if abs(value) < 1 << width - 1)]
        expected = [symmetric(floor(Fraction(value, 2 ** shift) + Fraction(1, 2))
                              if shift else value, bits) for value in acc]
        np.testing.assert_array_equal(xs3.vlsat(acc, shift, bits), expected, f"shift {shift}")


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_vlashr_rounds_down(bits):
    for shift in range(-70, 71):
        expected = [symmetric(floor(value / Fraction(2) ** shift), bits) for value in edges(bits)]
        np.testing.assert_array_equal(xs3.vlashr(edges(bits), shift, bits), expected,
                                      f"shift {shift}")


def test_negative_values_may_round_to_zero():
    """Never 0 but -1 is what the document says of shifts; it holds for VLASHR only."""
    assert xs3.vlsat([-8, -9], 4, 16).tolist() == [0, -1]
    assert xs3.vlashr([-8, -9], 4, 16).tolist() == [-1, -1]


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_elements_combine_at_the_edges(bits):
    a, b = (side.ravel() for side in np.meshgrid(edges(bits), edges(bits)))
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    one   = {8: 64, 16: 16384, 32: 1 << 30}[bits]

    for op, exact in ((xs3.vladd, lambda r, memory: r + memory),
                      (xs3.vlsub, lambda r, memory: memory - r),
                      (xs3.vlmul, lambda r, memory: floor(Fraction(r * memory, one)
                                                          + Fraction(1, 2)))):
        expected = [symmetric(exact(*pair), bits) for pair in pairs]
        np.testing.assert_array_equal(op(a, b, bits), expected, op.__name__)


@pytest.mark.parametrize(("op", "depth", "bits"), [
    (xs3.vdepth8, 8, 16), (xs3.vdepth8, 8, 32), (xs3.vdepth16, 16, 32)])
def test_depth_at_the_edges(op, depth, bits):
    expected = [symmetric(floor(Fraction(value, 2 ** (bits - depth)) + Fraction(1, 2)), depth)
                for value in edges(bits)]
    np.testing.assert_array_equal(op(edges(bits), bits), expected)


@pytest.mark.parametrize(("bits", "count"), [(8, 32), (16, 16)])
def test_vlmaccr_saturates_once_for_all_products(bits, count):
    """The first products alone would pass the limit."""
    ones = [1] * (count // 2) + [-1] * (count // 2)
    acc  = [0] * 15 + [2 ** 31 - 2]

    assert xs3.vlmaccr(acc, ones, [100] * count, bits)[0] == 2 ** 31 - 2
    assert xs3.vlmaccr(acc, [1] * count, [100] * count, bits)[0] == 2 ** 31 - 1
    acc[-1] = -2 ** 31
    assert xs3.vlmaccr(acc, ones, [100] * count, bits)[0] == -2 ** 31 + 1


def test_vlmacc_saturates_every_product():
    acc = [2 ** 31 - 2] * 16
    assert (xs3.vlmacc(xs3.vlmacc(acc, [2] * 32, [1] * 32, 8), [-2] * 32, [1] * 32, 8)
            == 2 ** 31 - 3).all()


def test_products_of_32_bits_saturate_at_40():
    """A product of 2**62 adds 2**32, after its low 30 bits are rounded away, halves up."""
    most = 2 ** 39 - 1
    acc  = [most - 2 ** 32, most - 2 ** 32 + 1, -most + 2 ** 32, -most + 2 ** 32 - 1, 0, 0, 0, 0]
    c    = [2 ** 31] * 2 + [-2 ** 31] * 2 + [2 ** 29, 2 ** 29 - 1, -2 ** 29, -2 ** 29 - 1]
    ones = [2 ** 31] * 4 + [1] * 4

    assert xs3.vlmacc(acc, c, ones, 32).tolist() == [most, most, -most, -most, 1, 0, 0, -1]
    assert xs3.vlmaccr([5, 1, 2, 3, 4, 5, 6, most - 7], [2 ** 30] * 8, [1] * 8, 32).tolist() == [
        most, 5, 1, 2, 3, 4, 5, 6]
    assert xs3.vlmaccr([0] * 7 + [7 - most], [-2 ** 30] * 8, [1] * 8, 32)[0] == -most


@pytest.mark.parametrize(("call", "message"), [
    (lambda: xs3.vlsat([0], [-1], 16),
     r"^Shift of channel 0 must be between 0 and 31 bits, not -1$"),
    (lambda: xs3.vlsat([0, 0], [3, 32], 8), r"^Shift of channel 1 must be .* 31 bits, not 32$"),
    (lambda: xs3.vlsat([0], [40], 32), r"^Shift of channel 0 must be .* 39 bits, not 40$"),
    (lambda: xs3.vladd([0], [0], 64), r"^Mode must be 8, 16 or 32 bits, not 64$"),
    (lambda: xs3.vdepth8([0], 8), r"^VDEPTH8 needs a mode of 16 or 32 bits, not 8$"),
    (lambda: xs3.vdepth16([0], 16), r"^VDEPTH16 needs a mode of 32 bits, not 16$")])
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_shift_must_be_an_int():
    with pytest.raises(TypeError, match=r"^Shift must be an int, not float$"):
        xs3.vlashr([0], 1.0, 8)
