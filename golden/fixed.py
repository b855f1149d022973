# SPDX-License-Identifier: Apache-2.0
"""Integers with a given width: saturation, wrapping, exact products."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .array import Ints

__all__ = ["container", "in_range", "matmul", "saturate", "wrap"]


def container(bits: int) -> tuple[int, int]:
    """Lowest and highest signed ``bits``-bit integer."""
    return -(1 << bits - 1), (1 << bits - 1) - 1


def saturate(x: int | np.ndarray, bits: int) -> np.ndarray:
    """Clamp ``x`` to the signed ``bits``-bit range; numpy scalar for an int."""
    return np.clip(x, *container(bits))


def wrap(x: Ints, bits: int) -> Ints:
    """Keep the low ``bits`` bits of ``x`` (int64) as a signed integer."""
    half = 1 << bits - 1
    return (x + half & 2 * half - 1) - half


def in_range(x: np.ndarray, bits: int) -> bool:
    """Whether every value of ``x`` is a signed ``bits``-bit integer."""
    return bool(np.array_equal(x, saturate(x, bits)))


def _magnitude(x):
    return max(-int(x.min()), int(x.max()), 0)


def matmul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Exact int64 product of two integer matrices.

    Every partial sum lies within ``largest = max|a| * max|b| * n``. Up to 2**53, float64 represents
    all partial sums, so BLAS is exact in any order and with or without fused operations: 16-bit
    factors have products up to 2**30 and allow ``n`` up to 2**23. Beyond 2**53 the function
    uses int64. The limit 2**62 leaves room for a bias and allows ``n`` up to 2**32.
    OverflowError if ``largest`` exceeds 2**62.
    """
    largest = _magnitude(a) * _magnitude(b) * a.shape[-1]
    if largest <= 1 << 53:
        return np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(np.int64)
    if largest <= 1 << 62:
        return np.matmul(a.astype(np.int64), b.astype(np.int64))
    raise OverflowError(f"Matrix product must stay within 2**62, but may reach {largest}")
