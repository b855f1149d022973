# SPDX-License-Identifier: Apache-2.0
"""Per-channel parameters in Y for a pass: biases, and requantisation in scaled passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xymac.hdl.isa import CELL_BITS, Op, RoundMode, Scale, bias_rows, records

if TYPE_CHECKING:
    from xymac.hdl.isa import Pass

__all__ = ["Scaling", "read_records"]


@dataclass(frozen=True)
class Scaling:
    """Requantisation parameters per lane, int64 [lanes], as in ``xymac.hdl.isa``."""

    mul:    np.ndarray
    pre:    np.ndarray
    post:   np.ndarray
    addend: np.ndarray

    @classmethod
    def of_records(cls, first: np.ndarray, addend: np.ndarray) -> Scaling:
        """Unpack two 48-bit parameter words per lane, int64 [lanes]."""
        return cls(_low32(first), first >> 32 & 31, first >> 37 & 63, _low32(addend))

    def apply(self, pass_: Pass, acc: np.ndarray) -> np.ndarray:
        """Sums [outputs, lanes] in output units, before the clip."""
        low, high = {Scale.BITS32: (-(1 << 31), (1 << 31) - 1), Scale.BITS16: (-32768, 32767),
                     Scale.SYMMETRIC16: (-32767, 32767)}[pass_.epilogue.scale]
        lanes = slice(acc.shape[1])
        short = np.clip(_divide(acc, self.pre[lanes], pass_.epilogue.rounding), low, high)
        addend = self.addend[lanes]
        if pass_.epilogue.rounding is RoundMode.TWICE:
            if not pass_.epilogue.addend:
                addend = np.where(self.post[lanes] > 31, 1 << 30, 0)
            addend = addend % (1 << 31) - ((addend & 1 << 30) << 1) * (short < 0)
        # |short * mul| <= 2**62 and |addend| <= 2**31: 64 bits are enough.
        return _divide(short * self.mul[lanes] + addend, self.post[lanes], pass_.epilogue.rounding)


def _low32(value):
    return (value + (1 << 31) & (1 << 32) - 1) - (1 << 31)


def read_records(pass_: Pass, a: int, y: np.ndarray) -> tuple[np.ndarray | None, Scaling | None]:
    """Initial accumulators for output vector ``a``, int64 [lanes], and their Scaling or None.

    Returns (None, None) if the parameters lie beyond Y memory.

    Parameters
    ----------
    y : uint16 array [rows, ways, lanes]
    """
    if pass_.accumulate.bias_row is None:
        return np.zeros(y.shape[2], np.int64), None
    rows  = bias_rows(y.shape[1])
    first = pass_.accumulate.bias_row + (0 if pass_.epilogue.once else a * records(pass_) * rows)
    last  = first + (records(pass_) - 1 + (a if pass_.epilogue.once else 0)) * rows
    if last + rows > len(y):
        return None, None
    bias = _record(y[last:last + rows])
    if pass_.accumulate.op in (Op.MAX, Op.MIN):
        bias = bias * 0
    if pass_.epilogue.scale is Scale.NONE:
        return bias, None
    addend = _record(y[first + rows:first + 2 * rows]) if pass_.epilogue.addend else bias * 0
    return bias, Scaling.of_records(_record(y[first:first + rows]), addend)


def _record(cells):
    """Signed 48-bit value for each lane from the rows of a parameter set, int64 [lanes]."""
    cells = cells[::-1].reshape(-1, cells.shape[2]).astype(np.int64)
    top   = cells[2].astype(np.uint16).view(np.int16).astype(np.int64)
    return top * (1 << 2 * CELL_BITS) + (cells[1] << CELL_BITS) + cells[0]


def _divide(value, shift, rounding):
    """Divide by ``2**shift``, an array with 0 .. 63, and round; right up to 64 bits."""
    half  = np.where(shift > 0, value >> np.maximum(shift - 1, 0) & 1, 0)
    below = value & (np.int64(1) << np.maximum(shift - 1, 0)) - 1
    whole = value >> shift
    up = {RoundMode.FLOOR: 0, RoundMode.UP: half, RoundMode.TWICE: half,
          RoundMode.CONVERGENT: half & ((below != 0) | whole)}[rounding]
    return whole + up
