# SPDX-License-Identifier: Apache-2.0
"""Curves and softmax in float64, in steps of the output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.golden.mli1 import lut as mli1
from xymac.golden.mli2 import Affine
from xymac.golden.mli2 import lut as mli2

if TYPE_CHECKING:
    from xymac.host.kit.case import Case

__all__ = ["CURVES", "arguments_of", "exact_curve", "nearest", "real_of", "step_of", "summed_axes"]

CURVES = ("sigmoid", "tanh", "softmax")  #: Operations with an exact curve.
#: Tables of the libraries, {(dialect, operation): table}.
_TABLES  = {("mli-1", "sigmoid"): mli1.SIGMOID, ("mli-1", "tanh"): mli1.TANH,
            ("mli-2", "sigmoid"): mli2.SIGMOID, ("mli-2", "tanh"): mli2.TANH}
_ENTRIES = {"sigmoid": 24, "tanh": 48}  #: Entries per unit in int16 tables of tflm, from 0 on.


def exact_curve(case: Case) -> np.ndarray:
    """A Case's curve in output steps, zero point included: float64, before rounding and limits.

    ValueError for other operations.
    """
    x = real_of(case.inputs[0])
    if case.operation == "softmax":
        axes   = summed_axes(case, x.ndim)
        powers = x * getattr(case.layer, "beta", 1.0)
        powers = np.exp(powers - powers.max(axis=axes, keepdims=True))
        value  = powers / powers.sum(axis=axes, keepdims=True)
    elif case.operation == "sigmoid":
        value = (1 + np.tanh(x / 2)) / 2
    elif case.operation == "tanh":
        value = np.tanh(x)
    else:
        raise ValueError(f"{case.operation} has no curve")
    step, zero = step_of(case)
    return value / step + zero


def arguments_of(case: Case) -> tuple[np.ndarray, float, int] | None:
    """A sigmoid's or tanh's arguments as real numbers, float64, and its table in the library: the
    distance between two entries and the number of the entry at 0, (0.0, 0) without a table.

    None for other operations.
    """
    if case.operation not in _ENTRIES:
        return None
    x = case.inputs[0]
    if case.dialect == "tflm":
        return real_of(x), 1 / _ENTRIES[case.operation] if x.bits == 16 else 0.0, 0
    table = _TABLES[case.dialect, case.operation]
    return real_of(x), 2.0 ** -table.frac_bits, table.offset


def nearest(value: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Float64 values rounded to the nearest integer, half up, within the type's limits."""
    ends = np.iinfo(dtype)
    return np.clip(np.floor(value + 0.5), ends.min, ends.max).astype(dtype)


def summed_axes(case: Case, rank: int) -> tuple[int, ...]:
    """Softmax dimensions with a common sum: in tflm the last, in MLI all or the layer's axis."""
    axis = rank - 1 if case.dialect.startswith("tflm") else getattr(case.layer, "axis", -1)
    return tuple(range(rank)) if axis < 0 else (axis,)


def real_of(x: Any) -> np.ndarray:
    """A tensor's elements as real numbers, float64."""
    data = x.data.astype(np.float64)
    if getattr(x, "quantisation", None) is not None:
        return (data - x.quantisation.zero_point) * x.quantisation.scale
    step, zero = _step(getattr(x, "format", x))
    return (data - zero) * step


def step_of(case: Case) -> tuple[float, int]:
    """A curve's output (step, zero point); int8 curves in tflm have a fixed step."""
    if case.dialect.startswith("tflm"):
        is_short = case.dtype.itemsize == 1
        if case.operation == "tanh":
            return (2.0 ** -7, 0) if is_short else (2.0 ** -15, 0)
        out = case.layer.out
        return (2.0 ** -8, -128) if is_short else (out.scale, out.zero_point)
    out  = case.run_layer().output
    return _step(getattr(out, "format", out))


def _step(form: Any) -> tuple[float, int]:
    """(step, zero point) in an MLI format."""
    if isinstance(form, Affine):
        held: Any = form  # of a single scale
        return held.scale * 2.0 ** -float(held.scale_frac_bits), held.zero_point
    return 2.0 ** -float(form.frac_bits), 0
