# SPDX-License-Identifier: Apache-2.0
"""lib_nn floating-point functions: means and softmax.

All arithmetic is float32 in the library's order; exponentials are rounded to float32. No core has
floating point, so the host computes these functions.
Source: lib_nn 0.4.0, src/c/mean.c, softmax.c.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from .memory import read_count, view, view_floats, writable

__all__ = ["ACTIONS", "PROTOTYPES", "read_double", "read_float", "round_away"]

_F32  = np.float32
_MOST = 256  #: Softmax output steps from 0 to 1, and table entries.
_SUMS = 5    #: Threads of the library; each has its own sum.


def round_away(values: np.ndarray) -> float | np.ndarray:
    """Nearest integers to float32 values, halves away from zero; float64."""
    values = values.astype(np.float64)
    return np.trunc(values + np.copysign(0.5, values))


def read_double(name: str, value: float | np.floating) -> float:
    """A scale, more than 0; ValueError for other values."""
    number = _read_number(name, value)
    if not 0 < number < np.inf:
        raise ValueError(f"{name} must be a finite number above 0, not {number:g}")
    return number


def _read_number(name, value):
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, not {type(value).__name__}") from None


def read_float(name: str, value: float | np.floating) -> np.float32:
    """A float32; ValueError for values that are not numbers."""
    number = _read_number(name, value)
    if not abs(number) <= np.finfo(_F32).max:
        raise ValueError(f"{name} must be a finite float32, not {number:g}")
    return _F32(number)


def _mean(dtype, input, output, start_dim_size, mean_dim_size, end_dim_size, *scales):
    """Means along the middle of three dimensions; ``scales`` are zero points, if any, and scale."""
    sizes = [read_count(f"{name}_dim_size", value, 1) for name, value in (
        ("start", start_dim_size), ("mean", mean_dim_size), ("end", end_dim_size))]
    *zeros, scale = (read_float(name, value) for name, value in zip(
        ("in_zero_point", "out_zero_point", "scale_mul")[-len(scales):], scales, strict=True))
    in_zero, out_zero = zeros or (_F32(0), _F32(0))
    sums = view("input", input, dtype, tuple(sizes)).sum(axis=1, dtype=np.int64)
    sums = sums + int(-in_zero * _F32(sizes[1]))
    most = int(np.abs(sums).max())
    if most >> 31:
        raise ValueError(f"Sums must have 32 bits, not be up to {most}")
    limits = np.iinfo(dtype)
    values = np.clip(sums.astype(_F32) * scale + out_zero, _F32(limits.min), _F32(limits.max))
    writable("output", output, dtype, (sizes[0], sizes[2]))[...] = round_away(values)


def _look_up(X, lut, start, count):
    """Element exponentials from their table, float32."""
    places = view("X", X, np.int8, (count,), start).astype(np.int64) + _MOST // 2
    return view_floats("lut", lut, _MOST)[places]


def _sum(values):
    """Sequential float32 sum from 0."""
    return np.cumsum(np.concatenate([np.zeros(1, _F32), values]), dtype=_F32)[-1]


def _inverse(total):
    return _F32(1) / total * _F32(_MOST)


def _shares(values, inverse):
    """int8 softmax outputs from exponentials."""
    return np.clip(round_away(values * inverse) - _MOST // 2, -128, 127).astype(np.int8)


def _exp_sum(Y, X, lut, elm_start, elm_count):
    start, count = read_count("elm_start", elm_start), read_count("elm_count", elm_count)
    total = _sum(_look_up(X, lut, start, count))
    view_floats("Y", Y, 1)[0] = total


def _exp_div(Y, X, lut, inv_sum, elm_start, elm_count):
    start, count = read_count("elm_start", elm_start), read_count("elm_count", elm_count)
    values = _shares(_look_up(X, lut, start, count), read_float("inv_sum", inv_sum))
    writable("Y", Y, np.int8, (count,), start)[:] = values


def _inv_sum(inv_sum, sums):
    total = _F32(0)
    for each in view_floats("sums", sums, _SUMS):
        total = total + each
    view_floats("inv_sum", inv_sum, 1)[0] = _inverse(total)


def _exponentials(arguments):
    with np.errstate(over="ignore"):  # Beyond float32 they are infinite, as in C.
        return np.exp(arguments.astype(np.float64)).astype(_F32)


def _table(zero_point, scale, lut):
    zero  = read_count("zero_point", zero_point, low=-1 << 31)
    steps = (np.arange(_MOST) - zero).astype(_F32)
    values = _exponentials(steps * read_float("scale", scale))
    view_floats("lut", lut, _MOST)[:] = values


def _reference(Y, X, zero_point, scale, length):
    count = read_count("length", length, 1)
    zero, step = read_float("zero_point", zero_point), read_float("scale", scale)
    x = view("X", X, np.int8, (count,)).astype(_F32)
    values = _exponentials((x - zero) * step - (x.max() - zero) * step)
    shares = values / _sum(values) * _F32(_MOST) - _F32(128.5)
    writable("Y", Y, np.int8, (count,))[:] = np.trunc(shares).astype(np.int8)


def _single(Y, X, lut, offset):
    count  = read_count("offset", offset)
    values = _look_up(X, lut, 0, count)
    if count:
        writable("Y", Y, np.int8, (count,))[:] = _shares(values, _inverse(_sum(values)))


_MEAN = ("input", "output", "start_dim_size", "mean_dim_size", "end_dim_size")

#: Arguments of the functions by name.
PROTOTYPES = {
    "mean_int8":                 (*_MEAN, "in_zero_point", "out_zero_point", "scale_mul"),
    "mean_int16":                (*_MEAN, "scale_mul"),
    "softmax_exp_sum":           ("Y", "X", "lut", "elm_start", "elm_count"),
    "softmax_exp_div":           ("Y", "X", "lut", "inv_sum", "elm_start", "elm_count"),
    "softmax_calculate_inv_sum": ("inv_sum", "sums"),
    "softmax_generate_exp_lut":  ("zero_point", "scale", "lut"),
    "softmax_ref":               ("Y", "X", "zero_point", "scale", "length"),
    "softmax_single":            ("Y", "X", "lut", "offset"),
}

#: What the functions do with their arguments in order.
ACTIONS = {
    "mean_int8": partial(_mean, np.int8), "mean_int16": partial(_mean, np.int16),
    "softmax_exp_sum": _exp_sum, "softmax_exp_div": _exp_div,
    "softmax_calculate_inv_sum": _inv_sum, "softmax_generate_exp_lut": _table,
    "softmax_ref": _reference, "softmax_single": _single,
}
