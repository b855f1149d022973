# SPDX-License-Identifier: Apache-2.0
"""Rounding of a right shift."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from xymac.hdl.isa import RoundMode

__all__ = ["shift_right"]

Ints = TypeVar("Ints", int, np.ndarray)


def shift_right(value: Ints, shift: int, rounding: RoundMode) -> Ints:
    """Divide by ``2**shift``, ``shift`` at least 1, and round."""
    if rounding is RoundMode.FLOOR:
        return value >> shift
    middle  = 1 << shift - 1
    shifted = value + middle >> shift
    if rounding is RoundMode.CONVERGENT:
        tie = value & (1 << shift) - 1 == middle
        shifted -= tie & shifted
    return shifted  # pyright: ignore[reportReturnType]  # it has the type of value
