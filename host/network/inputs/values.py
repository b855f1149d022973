# SPDX-License-Identifier: Apache-2.0
"""Quantise floating-point values to tensor elements, and convert elements back."""

import numpy as np

from xymac.golden import tflm
from xymac.host.errors import InputError

__all__ = ["dequantise", "fit_values", "is_scaled", "quantise", "takes_type"]


def quantise(values, blank):
    """Elements in the Tensor ``blank``'s format for finite ``values``, as from QUANTIZE.

    ``clip(round(value / scale) + zero_point)``; the division is in float32, halves round away from
    zero.
    """
    kind = blank.quantisation
    with np.errstate(over="ignore"):
        exact = (np.asarray(values, np.float32) / np.float32(kind.scale)).astype(np.float64)
    limits = np.iinfo(blank.data.dtype)
    steps  = np.trunc(exact + np.copysign(0.5, exact)) + kind.zero_point
    return np.clip(steps, limits.min, limits.max).astype(blank.data.dtype)


def dequantise(data, blank):
    """Real values of elements ``data`` in the golden Array ``blank``'s format, float64.

    None if the format has no single scale.
    """
    kind = getattr(blank, "quantisation", None)
    if kind is not None and len(kind.scales) == 1:
        return (np.asarray(data, np.float64) - kind.zero_point) * kind.scale
    if hasattr(blank, "frac_bits"):
        return np.asarray(data, np.float64) / 2.0 ** blank.frac_bits
    return np.asarray(data, np.float64) if np.asarray(data).dtype.kind == "f" else None


def is_scaled(blank):
    """Whether ``quantise`` supports the format of the Array ``blank``."""
    return (isinstance(blank, tflm.Tensor) and blank.quantisation is not None
            and blank.data.dtype.kind != "b")


def takes_type(blank, dtype):
    """Whether ``fit_values`` converts the numpy type ``dtype`` to the Array ``blank``'s type."""
    wanted = blank.data.dtype
    return dtype == wanted or (dtype.kind == "f" and (is_scaled(blank) or wanted.kind == "f"))


def fit_values(what, blank, data):
    """Convert ``data`` to the Array ``blank``'s type.

    Integer elements of this type stay unchanged; floating-point values are quantised for a
    TensorFlow Lite Tensor. Returns (elements, description of the conversion, a str).
    InputError, beginning with ``what``, for non-finite values.
    """
    wanted = blank.data.dtype
    if wanted.kind != "f" and data.dtype == wanted:
        return data.astype(wanted), ""
    with np.errstate(over="ignore"):
        real = data.astype(np.float32)
    if not np.all(np.isfinite(real)):
        raise InputError(f"{what} must be finite in float32")
    if not is_scaled(blank):
        return real, ""
    kind = blank.quantisation
    return quantise(real, blank), (f"quantised by scale {kind.scale:g} and zero point "
                                   f"{kind.zero_point}")
