# SPDX-License-Identifier: Apache-2.0
"""Activation tables, and the kernels' table lookup."""

from __future__ import annotations

from math import exp, tanh
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.fixed import container, saturate
from xymac.golden.table import sample_table

from .arithmetic import shift_round

if TYPE_CHECKING:
    from xymac.golden.table import Table
    from xymac.hdl.isa import RoundMode

__all__ = ["EXP", "SIGMOID", "TANH", "apply_table", "look_up"]

_SHIFT_MAX = 15  #: Argument bits that the interpolation uses.

# Source: embARC MLI 1.1, private/src/mli_prv_lut.cc.
SIGMOID = sample_table(lambda x: 1 / (1 + exp(-x)), 180, 90, 3)
TANH    = sample_table(tanh, 178, 89, 4)
EXP     = sample_table(exp, 181, 179, 4)  #: Arguments <= 0.


def look_up(table: Table, x: np.ndarray, frac_bits: int, rounding: RoundMode) -> np.ndarray:
    """``table`` value at ``x / 2**frac_bits``, Q15.

    ``x`` is an int64 array within 16 bits, ``frac_bits`` any int (softmax has -1). Arguments
    between two entries are interpolated. Arguments beyond the table use its first or last two
    entries, which are equal.
    Source: embARC MLI 1.1, private/src/mli_prv_lut.cc.
    """
    values, last = np.array(table.values, np.int64), len(table.values) - 1
    shift = frac_bits - table.frac_bits
    if shift <= 0:
        return values[np.clip((x << -shift) + table.offset, 0, last)]
    if shift > _SHIFT_MAX:
        x, shift = x >> min(shift - _SHIFT_MAX, 16), _SHIFT_MAX
    index    = np.clip((x >> shift) + table.offset, 0, last - 1)
    fraction = x & (1 << shift) - 1
    fall     = (values[index] - values[index + 1]) * fraction
    return saturate(values[index] - shift_round(fall, shift, rounding, container(32)), 16)


def apply_table(table: Table, x: np.ndarray, frac_bits: int, bits: int,
                rounding: RoundMode) -> np.ndarray:
    """``look_up`` as a ``bits``-bit output: Q15 for 16, rounded once more to Q7 for 8."""
    values = look_up(table, x, frac_bits, rounding)
    return shift_round(values, 16 - bits, rounding, container(bits))
