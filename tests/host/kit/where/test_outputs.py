# SPDX-License-Identifier: Apache-2.0
"""Limits mixed up, shifts of numbers below 0, divisors of means, and comparisons."""

from functools import partial

import numpy as np
import pytest

from .devices import (
    convolve,
    limited,
    patches,
    pool,
    requantise,
    rounded,
    saturated,
    scaled,
    sentence_of,
    where,
)

FAR = 1 << 40


def _limits(change):
    """Limits of a function from lower and upper limit and zero point; the upper one is last."""
    def limit(values, given):
        low, high = change(given["low"], given["high"], given.get("out_zero", 0))
        return np.minimum(np.maximum(values, low), high)
    return limit


@pytest.mark.parametrize(("change", "sentence"), [
    (lambda low, high, zero: (low, FAR), "the upper limit of the output is left out"),
    (lambda low, high, zero: (-FAR, high), "the lower limit of the output is left out"),
    (lambda low, high, zero: (high, low),
     "the limits of the output are exchanged, so that every output is the lower limit"),
    (lambda low, high, zero: (high, FAR), "upper limit of the output counts as its lower limit"),
    (lambda low, high, zero: (-FAR, low), "lower limit of the output counts as its upper limit"),
    (lambda low, high, zero: (low + zero, high + zero),
     "the limits of the output hold before the zero point is added"),
    (lambda low, high, zero: (low + zero, high),
     "the lower limit of the output holds before the zero point is added"),
    (lambda low, high, zero: (-high if high >= 0 else low, high),
     "the lower limit of the output is minus its upper limit if that is below 0"),
    (lambda low, high, zero: (low, high - 1), "the upper limit of the output is 1 lower"),
    (lambda low, high, zero: (zero, high), "the lower limit of the output is its zero point")])
def test_limits_are_named(change, sentence):
    assert sentence in where(partial(requantise, limit=_limits(change)), "requantise")


@pytest.mark.parametrize(("operation", "device"), [
    ("conv2d", convolve), ("max_pool", pool), ("average_pool", pool)])
def test_limits_of_layers_are_named(operation, device):
    swapped = _limits(lambda low, high, zero: (high, low))
    missing = _limits(lambda low, high, zero: (-FAR, high))

    assert "exchanged, so that every output is the lower limit" in where(
        partial(device, limit=swapped), operation)
    assert "the lower limit of the output is left out" in where(
        partial(device, limit=missing), operation)


def _half_first(x, shift):
    """Half is added, then zeros move in from the left of 32 bits."""
    half = np.where(shift > 0, np.int64(1) << np.maximum(shift - 1, 0), 0)
    return np.where(shift > 0, (x + half & (1 << 32) - 1) >> shift, x)


def _cut(x, shift):
    return np.where(shift > 0, (x & (1 << 32) - 1) >> shift, x)


def _nearest(x, shift):
    """The shift alone is unsigned, not the remainder."""
    return np.where(shift > 0, rounded(x, shift) - (x >> shift) + _cut(x, shift), x)


@pytest.mark.parametrize(("last", "rounding"), [
    (_half_first, "rounds the second shift half up, "),
    (_cut, "cuts the second shift without rounding, "), (_nearest, "")])
def test_unsigned_shifts_are_named(last, rounding):
    words = f"{rounding}shifts numbers below 0 to the right as unsigned numbers of 32 bits"

    assert sentence_of(partial(requantise, last=last), "requantise").startswith(words)
    assert sentence_of(partial(convolve, last=last), "fully_connected").startswith(words)


@pytest.mark.parametrize(("options", "sentence"), [
    ({"count": lambda count, given: count + 1}, "divides by one more than the elements"),
    ({"count": lambda count, given: np.full_like(count, given["kernel"][0])},
     "the mean divides by the kernel height only"),
    ({"count": lambda count, given: 1 << np.ceil(np.log2(count)).astype(int)},
     "the mean divides by the next higher power of 2"),
    ({"divide": lambda total, count: (total * ((256 + count // 2) // count) + 128) >> 8},
     "a reciprocal of 8 fractional bits, rounded, and rounds half up"),
    ({"divide": lambda total, count: total * (65536 // count) >> 16},
     "a reciprocal of 16 fractional bits, cut, and rounds down")])
def test_divisors_of_a_mean_are_named(options, sentence):
    assert sentence in where(partial(pool, **options), "average_pool")


def test_a_mean_over_whole_kernels_has_a_rule():
    device = partial(pool, count=lambda count, given: np.full_like(count, np.prod(given["kernel"])))

    assert sentence_of(device, "average_pool").startswith(
        "pads with 0 instead of the zero point, counts padding in the mean; ")


def _unsigned(case):
    given    = case.operands
    given["x"] = given["x"].astype(int) & 255
    largest  = patches(given, case.shape, -1)[0].max(axis=(3, 4))
    return saturated(np.clip((largest ^ 128) - 128, given["low"], given["high"]), case)


def test_unsigned_comparisons_are_named():
    assert where(_unsigned, "max_pool").endswith(
        "the maximum compares elements as unsigned numbers")


def _running(size, bits):
    """Saturation after every few products, before the bias."""
    def device(case):
        given = case.operands
        x     = given["x"].astype(int).reshape(-1, given["weights"].shape[1]) - given["x_zero"]
        most  = 1 << bits - 1
        acc   = np.zeros(case.shape, int)
        for first in range(0, x.shape[1], size):
            part = x[:, first:first + size] @ given["weights"][:, first:first + size].astype(int).T
            acc  = np.clip(acc + part.reshape(case.shape), -most, most - 1)
        values = scaled(acc + given.get("bias", 0), given["multiplier"], given["shift"])
        return saturated(limited(values + given["out_zero"], given), case)
    return device


def test_a_sum_that_saturates_before_the_bias_is_named():
    words = where(_running(64, 20), "fully_connected")

    assert "the sum saturates at 20 bits after every " in words
    assert words.endswith(", before the bias")


def test_a_narrow_sum_of_a_mean_is_named():
    def divide(total, count):
        total = (total + 2048 & 4095) - 2048
        half  = np.abs(total) + count // 2
        return np.sign(total) * (half // count)

    assert where(partial(pool, divide=divide), "average_pool").endswith(
        "the sum wraps at 12 bits")


def _added(bits, sign, case):
    """A sum or difference whose inputs are shifted left by fewer ``bits`` than the library's."""
    given = case.operands
    left  = given["left_shift"] - bits
    first, second = (scaled((given[name].astype(np.int64) - given[f"{name}_zero"]) << left,
                            given[f"{name}_multiplier"], given[f"{name}_shift"])
                     for name in ("x", "z"))
    values = scaled(first + sign * second, given["multiplier"], given["shift"] + bits)
    return saturated(limited(values + given["out_zero"], given), case)


@pytest.mark.parametrize(("operation", "sign", "bits"), [
    ("add", 1, 1), ("add", 1, 2), ("add", 1, -1), ("sub", -1, 2), ("sub", -1, -1)])
@pytest.mark.parametrize("kind", ["int8", "int16"])
def test_left_shifts_of_pairs_are_named(operation, sign, kind, bits):
    words = "longer" if bits < 0 else "shorter"

    assert sentence_of(partial(_added, bits, sign), operation, "tflm", kind).split(";")[0].endswith(
        f"the left shift of the inputs is {words} than the library's by {abs(bits)} or more bits")


def test_a_left_shift_that_is_much_shorter_gives_the_same_sums():
    """Of the drawn multipliers, which are mostly powers of 2."""
    assert "shorter than the library's by 2 or more bits" in sentence_of(
        partial(_added, 4, 1), "add")


def test_the_left_shift_of_the_library_is_right():
    assert sentence_of(partial(_added, 0, 1), "add").startswith("all ")


def _passes(axes, case):
    """Means along one side of the window, rounded, and then along the other one."""
    given     = case.operands
    taken, on = patches(given, case.shape, 0)
    counts    = on.sum(axis=axes[0] - 1)[None, ..., None]
    half      = np.sign(total := taken.sum(axis=axes[0])) * (np.maximum(counts, 1) // 2)
    means     = np.trunc((total + half) / np.maximum(counts, 1))
    number    = np.maximum((counts > 0).sum(axis=3), 1)
    total     = means.sum(axis=3)
    values    = np.trunc((total + np.sign(total) * (number // 2)) / number).astype(int)
    return saturated(limited(values, given), case)


@pytest.mark.parametrize(("axes", "words"), [
    ((4, 3), "each row and then of the rows"), ((3, 3), "each column and then of the columns")])
def test_a_mean_in_two_passes_is_named(axes, words):
    assert f"the mean is that of {words}, both rounded half away from zero" in sentence_of(
        partial(_passes, axes), "average_pool")
