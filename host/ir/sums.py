# SPDX-License-Identifier: Apache-2.0
"""Sums of products: weights, limits of the sums, and the records that scale them."""

import numpy as np

from .refuse import NoPassesError

__all__ = ["check_largest", "check_sums", "first_record", "fit_weights", "largest_sum"]


def fit_weights(weights):
    """Integer weights as int8, or as int16 if they have to; NoPassesError if that is too narrow."""
    for dtype in (np.int8, np.int16):
        limits = np.iinfo(dtype)
        if limits.min <= weights.min() and weights.max() <= limits.max:
            return weights.astype(dtype)
    raise NoPassesError(f"Weights less their zero point must have 16 bits, not {weights.min()} to "
                        f"{weights.max()}")


def check_sums(weights, bias, peak, limit):
    """Raise NoPassesError unless no partial sum can pass ``limit``, in whatever order.

    ``peak`` is the largest magnitude of an input. A partial sum of the bias and any of the products
    is at most ``|bias| + sum(|weight|) * peak``, which no other order and no input can exceed.
    """
    check_largest(largest_sum(weights, bias, peak), limit)


def check_largest(largest, limit):
    """The same of the largest magnitude of a partial sum."""
    if largest > limit:
        raise NoPassesError(f"Sums must stay within {limit} for every input, not {largest}")


def largest_sum(weights, bias, peak):
    """What no partial sum of any output exceeds; see ``check_sums``."""
    sums = np.abs(bias) + peak * np.abs(weights.astype(np.int64)).reshape(len(weights), -1).sum(1)
    return int(sums.max())


def first_record(mul, pre, post):
    """The first parameters of a scaled sum as ``xymac.hdl.isa`` packs them; int64 arrays.

    ValueError for a shift that would end up in another field: before the product up to 31, behind
    it up to 63.
    """
    for name, shifts, most in (("before", pre, 31), ("behind", post, 63)):
        if np.min(shifts) < 0 or np.max(shifts) > most:
            raise ValueError(f"A shift {name} the product must be between 0 and {most}, not "
                             f"{int(np.min(shifts))} to {int(np.max(shifts))}")
    return mul & 0xFFFFFFFF | pre << 32 | post << 37
