# SPDX-License-Identifier: Apache-2.0
"""Curves and exponentials from small tables, straight lines or mirrored halves."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac import golden
from xymac.golden.fixed import container
from xymac.host.kit.floats.curves import CURVES, exact_curve, nearest
from xymac.host.kit.operands import operands_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from xymac.host.kit.case import Case

__all__ = ["changed_curves", "changed_exponentials", "exact_curves", "find_exact", "output_of"]

_FINEST = 8  #: Fractional bits of the argument in the finest table tried.
_ERRORS = (1024, 256, 64, 16)  #: Parts of an output step that floating point may be wrong by.


def exact_curves(case: Case) -> Iterator[tuple[str, Callable[..., np.ndarray]]]:
    """Pairs (words, function from a Case and its expected output to a device's output) for a curve
    or softmax in floating point.
    """
    if case.operation in CURVES:
        exact = "the results are the exact ones, as of floating point, {}"
        yield exact.format("rounded to the nearest"), lambda case, want: nearest(
            exact_curve(case), want.dtype)
        yield exact.format("rounded down"), lambda case, want: nearest(
            np.floor(exact_curve(case)), want.dtype)
        yield exact.format("rounded towards zero"), lambda case, want: nearest(
            np.trunc(exact_curve(case)), want.dtype)


def find_exact(cases: Sequence[Case], results: Sequence[np.ndarray]) -> str:
    """Words on results that are all exact ones, rounded, but for small errors before the rounding;
    "" if there are others.
    """
    if cases[0].operation not in CURVES:
        return ""
    most = 0.0
    for case, got in zip(cases, results, strict=True):
        ends = np.iinfo(got.dtype)
        most = max(most, float(np.abs(np.clip(exact_curve(case), ends.min, ends.max)
                                      - got).max(initial=0)))
    for parts in _ERRORS:
        if most <= 0.5 + 1 / parts:
            return (f"the results are the exact ones, rounded to the nearest with an error of up "
                    f"to 1/{parts} of a step, as of floating point")
    return ""


def changed_exponentials(case: Case) -> Iterator[tuple[str, Callable[..., np.ndarray]]]:
    """Pairs (words, function from a Case and its expected output to a device's output) for the
    softmax of ``case``: short tables of exponentials.
    """
    bits = 8 * case.inputs[0].data.dtype.itemsize
    for size in (1 << power for power in range(2, bits + 1)):
        for most in (size - 1, size):
            yield (f"differences from the largest element beyond {most:,} count as {most:,}",
                   partial(_near, most))
            yield (f"elements more than {most:,} below the largest one are the lowest output",
                   partial(_cut_off, most))


def _below(case):
    """Differences from the largest element of each row, int64, at most 0."""
    data = case.inputs[0].data.astype(np.int64)
    return data - data.max(axis=-1, keepdims=True)


def _near(most, case, want):
    data = case.inputs[0].data.astype(np.int64)
    return _at(case, data + np.maximum(-_below(case) - most, 0))


def _cut_off(most, case, want):
    return np.where(_below(case) < -most, np.iinfo(want.dtype).min if want.dtype.itemsize == 1
                    else 0, want)


def changed_curves(case: Case) -> Iterator[tuple[str, Callable[..., np.ndarray]]]:
    """Pairs as from ``changed_exponentials`` for a curve: from small tables, or mirrored halves."""
    yield "below the zero point of the input the curve is the mirrored one", _mirrored
    bits = 8 * case.inputs[0].data.dtype.itemsize
    for drop in range(1, bits - 3):
        entries = f"{1 << bits - drop:,} entries"
        yield f"the curve comes from a table of {entries}", partial(_cut, drop, 0)
        yield f"the curve comes from the nearest of {entries}", partial(_cut, drop, 1 << drop - 1)
        for half, rounding in ((0, "without rounding"), (1 << drop - 1, "rounded")):
            yield (f"the curve is interpolated linearly between {entries}, {rounding}",
                   partial(_interpolate, drop, half))
    if "x_frac_bits" in operands_of(case):
        for frac_bits in range(_FINEST + 1):
            apart = f"1/{1 << frac_bits} apart" if frac_bits else "1 apart"
            yield (f"the curve comes from entries {apart}, without interpolation",
                   partial(_spaced, frac_bits, False))
            yield (f"the curve comes from the nearest of entries {apart}",
                   partial(_spaced, frac_bits, True))


def _mirrored(case, want):
    """Outputs below 0 from the opposite arguments: of tanh with the other sign, of sigmoid less 1.

    All numbers are in the output's scale, in which sigmoid's 1 is beyond the range's end.
    """
    data  = case.inputs[0].data.astype(np.int64)
    zero  = operands_of(case).get("x_zero", 0)
    value = _at(case, 2 * zero - data)
    least, most = container(8 * want.dtype.itemsize)
    is_short = case.dialect == "tflm" and want.dtype.itemsize == 1
    total = 0 if case.operation == "tanh" or is_short else most + 1
    return np.where(data < zero, np.clip(total - value, least, most), want)


def _at(case, data):
    """The layer's outputs for other input elements ``data``, int64."""
    x = case.inputs[0]
    limits = np.iinfo(x.data.dtype)
    return output_of(case.layer, replace(x, data=np.clip(data, limits.min, limits.max).astype(
        x.data.dtype))).astype(np.int64)


def _cut(drop, half, case, want):
    return _at(case, case.inputs[0].data.astype(np.int64) + half >> drop << drop)


def _interpolate(drop, half, case, want):
    data  = case.inputs[0].data.astype(np.int64)
    below = data >> drop << drop
    low, high = _at(case, below), _at(case, below + (1 << drop))
    return low + ((high - low) * (data - below) + half >> drop)


def _spaced(frac_bits, is_nearest, case, want):
    """Values at arguments with ``frac_bits`` fractional bits, fewer than the input's."""
    x    = case.inputs[0]
    drop = operands_of(case)["x_frac_bits"] - frac_bits
    if drop <= 0:
        return want
    half = 1 << drop - 1 if is_nearest else 0
    data = (x.data.astype(np.int64) + half >> drop).astype(x.data.dtype)
    if hasattr(x, "format"):
        return output_of(case.layer, replace(x, data=data, format=replace(x.format,
                                                                     frac_bits=frac_bits)))
    return output_of(case.layer, replace(x, data=data, frac_bits=frac_bits))


def output_of(layer: Any, *inputs: Any) -> np.ndarray:
    """A layer's output elements for golden ``inputs``."""
    return np.asarray(golden.run(layer, *inputs).output.data)
