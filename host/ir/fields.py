# SPDX-License-Identifier: Apache-2.0
"""Pass fields: an element type's clip limits, and shifts by any number of bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xymac.hdl.isa import SHIFT_MAX, SHIFT_MIN

if TYPE_CHECKING:
    from xymac.hdl.isa import RoundMode

__all__ = ["ZERO_MAX", "affine_clip", "container_clip", "shift_fields"]

ZERO_MAX = 32640  #: Largest zero point: an 8-bit element minus it has 16 bits.


def container_clip(bits: int) -> tuple[int, int]:
    """Limits for a signed ``bits``-bit integer."""
    return -(1 << bits - 1), (1 << bits - 1) - 1


def affine_clip(limits: tuple[int, int], zero: int) -> dict[str, Any]:
    """Fields that saturate to 16 bits, add a zero point and clip to the 8-bit ``limits``."""
    low, high = limits
    return {"clip": (max(low - zero, -(1 << 15)), min(max(low, high) - zero, (1 << 15) - 1)),
            "zero": zero}


def shift_fields(shift: int, rounding: RoundMode) -> dict[str, Any]:
    """Fields for a right shift; a shift beyond the field's limits is limited to them."""
    return {"shift": min(max(shift, SHIFT_MIN), SHIFT_MAX), "rounding": rounding}
