# SPDX-License-Identifier: Apache-2.0
"""Sums of products: weights, sum limits, and scale parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from xymac.host.errors import Refusal, RefusalKind

__all__ = ["check_largest", "check_sums", "first_record", "fit_weights", "largest_sum"]


def fit_weights(weights: np.ndarray) -> np.ndarray:
    """Integer weights as int8, or as int16 if necessary; Refusal if they need more bits."""
    for dtype in (np.int8, np.int16):
        limits = np.iinfo(dtype)
        if limits.min <= weights.min() and weights.max() <= limits.max:
            return weights.astype(dtype)
    raise Refusal(RefusalKind.VALUE, "Weights less their zero point must have 16 bits, not "
                  f"{weights.min()} to {weights.max()}")


def check_sums(weights: np.ndarray, bias: int | np.ndarray, peak: int, limit: int) -> None:
    """Raise Refusal if a partial sum, in any order, can exceed ``limit``.

    ``peak`` is the largest input magnitude. A partial sum is at most ``|bias| + sum(|weight|)
    * peak``, for every order and every input.
    """
    check_largest(largest_sum(weights, bias, peak), limit)


def check_largest(largest: int, limit: int) -> None:
    """Raise Refusal if the largest partial-sum magnitude exceeds ``limit``."""
    if largest > limit:
        raise Refusal(RefusalKind.VALUE, f"Sums must stay within {limit} for every input, not "
                      f"{largest}")


def largest_sum(weights: np.ndarray, bias: int | np.ndarray, peak: int) -> int:
    """Largest possible partial-sum magnitude over all outputs; see ``check_sums``."""
    sums = np.abs(bias) + peak * np.abs(weights.astype(np.int64)).reshape(len(weights), -1).sum(1)
    return int(sums.max())


def first_record(mul: Any, pre: Any, post: Any) -> Any:
    """A scaled sum's packed multiplier and shifts (see ``xymac.hdl.isa``), int64.

    ValueError for a shift that does not fit its field: 0 to 31 before the product, 0 to 63 after
    it.
    """
    for name, shifts, most in (("before", pre, 31), ("behind", post, 63)):
        if np.min(shifts) < 0 or np.max(shifts) > most:
            raise ValueError(f"A shift {name} the product must be between 0 and {most}, not "
                             f"{int(np.min(shifts))} to {int(np.max(shifts))}")
    return mul & 0xFFFFFFFF | pre << 32 | post << 37
