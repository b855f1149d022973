# SPDX-License-Identifier: Apache-2.0
"""Fields of a pass: limits of a container, and shifts by any number of bits."""

from xymac.hdl.isa import SHIFT_MAX, SHIFT_MIN

__all__ = ["ZERO_MAX", "container_clip", "shift_fields"]

ZERO_MAX = 32640  #: The largest zero point: what 16 bits less an 8-bit element leave.


def container_clip(bits):
    """Limits of a container of ``bits``."""
    return -(1 << bits - 1), (1 << bits - 1) - 1


def shift_fields(shift, rounding):
    """Fields of a right shift by any number of bits; beyond the limits nothing changes."""
    return {"shift": min(max(shift, SHIFT_MIN), SHIFT_MAX), "rounding": rounding}
