# SPDX-License-Identifier: Apache-2.0
"""Integer means: division by a count as MLI does it."""

from __future__ import annotations

__all__ = ["full_reciprocal", "reciprocal"]


def reciprocal(count: int) -> tuple[int, int]:
    """Multiplier and right shift that divide a sum over ``count`` elements.

    Powers of two below 32 only shift. For other counts the multiplier is ``1 / count`` truncated to
    15 bits, so a mean can be 1 below the exactly rounded mean.
    Source: embARC MLI 1.1, kernels/pooling/mli_krn_reduce_sum2d.h.
    """
    if count < 32 and count & count - 1 == 0:
        return 1, count.bit_length() - 1
    quotient = (1 << 31) // count
    zeros    = 32 - quotient.bit_length()
    return quotient << zeros >> 17, 14 + zeros


def full_reciprocal(count: int) -> tuple[int, ...]:
    """``1 / count`` as a full 15-bit multiplier, 0x4000 .. 0x7fff, and a right shift.

    Source: embARC MLI 2.0, kernels/pooling/impl/mli_krn_avepool_hwc_ref.h.
    """
    multiplier, shift = reciprocal(count)
    return (1 << 14, shift + 14) if multiplier == 1 else (multiplier, shift)
