# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 activation tables, and the kernels' table lookup."""

from __future__ import annotations

from math import exp, sqrt, tanh
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.fixed import saturate, wrap
from xymac.golden.parameters.mli2.activation import argument_frac_bits
from xymac.golden.table import OUT_FRAC_BITS, sample_table

from .arithmetic import cast, shift_left, shift_round

if TYPE_CHECKING:
    from xymac.golden.formats import Affine
    from xymac.golden.table import Table
    from xymac.hdl.isa import RoundMode

__all__ = ["EXP", "OUT_FRAC_BITS", "ROOT", "ROOT_FRAC_BITS", "SIGMOID", "TANH", "affine_argument",
           "interpolate", "look_up"]

ROOT_FRAC_BITS = 17  #: Fractional bits of ROOT; other tables have OUT_FRAC_BITS.
_SHIFT_MAX     = 15  #: Argument bits that the interpolation uses.

# Source: embARC MLI 2.0, bricks, the tables that ``mli_krn_*_create_lut`` copies.
SIGMOID = sample_table(lambda x: 1 / (1 + exp(-x)), 320, 160, 4)
TANH    = sample_table(tanh, 344, 172, 5)
EXP     = sample_table(exp, 358, 356, 5)  #: Arguments <= 0.
#: 1 / sqrt(x) from 32 on.
ROOT    = sample_table(lambda x: 1 / sqrt(x), 97, -32, 0, ROOT_FRAC_BITS)


def affine_argument(table: Table, centred: np.ndarray, kind: Affine,
                    rounding: RoundMode) -> np.ndarray:
    """Argument for ``interpolate`` from centred values with the scale and fractional bits in
    ``kind``.
    """
    return shift_round(centred * kind.scales[0], kind.fractions[0] - argument_frac_bits(table), 32,
                       rounding)


def interpolate(table: Table, x: int | np.ndarray, frac_bits: int,
                rounding: RoundMode) -> np.ndarray:
    """Interpolated ``table`` value at ``x / 2**frac_bits``, 16 bits.

    ``x`` is an int64 array within 32 bits; ``frac_bits`` exceeds the table's fractional bits.
    Arguments beyond the table use its first or last two entries. The difference of two entries and
    the result wrap to 16 bits.
    Source: embARC MLI 2.0, bricks/impl/mli_prv_lut_ref.h, ``activation_lut_one_elem_interpolate``.
    """
    values = np.array(table.values, np.int64)
    shift  = frac_bits - table.frac_bits
    x      = x >> min(max(shift - _SHIFT_MAX, 0), _SHIFT_MAX)
    shift  = min(shift, _SHIFT_MAX)
    index  = np.clip((x >> shift) + table.offset, 0, len(values) - 2)
    fall   = wrap(values[index] - values[index + 1], 16) * (x & (1 << shift) - 1)
    return wrap(values[index] - cast(fall, shift, 32, 16, rounding), 16)


def look_up(table: Table, x: np.ndarray, frac_bits: int, rounding: RoundMode) -> np.ndarray:
    """``interpolate``, or the entry itself where ``x`` has no more fractional bits than the table.

    Source: embARC MLI 2.0, bricks/impl/mli_prv_lut_ref.h, ``compute_activation_lut``.
    """
    if frac_bits > table.frac_bits:
        return interpolate(table, x, frac_bits, rounding)
    index = saturate(shift_left(x, table.frac_bits - frac_bits, 32) + table.offset, 32)
    return np.array(table.values, np.int64)[np.clip(index, 0, len(table.values) - 1)]
