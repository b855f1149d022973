# SPDX-License-Identifier: Apache-2.0
"""From exact sums to elements: scale, shift, limits, zero point and table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.hdl.isa import OWN_TABLES, TABLES, Op, RoundMode, Scale, Table

from .fields import container_clip

if TYPE_CHECKING:
    import numpy.typing as npt

    from xymac.host.memory.tables import OwnTable


__all__ = ["Requantiser", "divide_round"]

_LIMITS = {Scale.BITS32: (-(1 << 31), (1 << 31) - 1), Scale.BITS16: (-(1 << 15), (1 << 15) - 1),
           Scale.SYMMETRIC16: (1 - (1 << 15), (1 << 15) - 1)}
_UPPER  = 8  #: Bits of a table entry below the LSB of an 8-bit output.


@dataclass(frozen=True)
class Requantiser:
    """A pass's output stage, in unlimited integers.

    Parameters
    ----------
    bits : int, output element width
    records : tuple of int or int64 arrays: packed multiplier and shifts (see ``hdl.isa``) and an
        addend, each if the pass has one, then the bias; or empty
    fields : dict, Pass fields
    tables : tuple of OwnTable for the first codes of ``OWN_TABLES``
    """

    bits:    int
    records: tuple[int | np.ndarray, ...] = ()
    fields:  dict[str, Any] = field(default_factory=dict)
    tables:  tuple[OwnTable, ...] = ()

    @classmethod
    def narrow(cls, bits: int, clip: tuple[int, int]) -> Requantiser:
        """Requantiser that rounds 16-bit elements to ``bits``, ties towards +inf."""
        return cls(bits, (), {"shift": 16 - bits, "rounding": RoundMode.UP, "clip": clip})

    def compute(self, sums: npt.ArrayLike) -> np.ndarray:
        """Elements for exact ``sums`` without bias, an int64 array shaped like ``sums``.

        Per-channel parameters apply along the last dimension.
        """
        mode = self.fields.get("rounding", RoundMode.CONVERGENT)
        sums = np.asarray(sums).astype(object)
        *parameters, bias = (np.asarray(record).astype(object) for record in self.records or (0,))
        if self.fields.get("op", Op.MAC) not in (Op.MAX, Op.MIN):
            sums = sums + bias
        if self.fields.get("scale", Scale.NONE) is Scale.NONE:
            sums = divide_round(sums, self.fields.get("shift", 0), mode)
        else:
            sums = self._scale(sums, mode, *parameters)
        low, high = self.fields.get("clip", container_clip(self.bits))
        elements  = np.clip(sums, low, high) + self.fields.get("zero", 0)
        if self.fields.get("table", Table.NONE) is not Table.NONE:
            return self._look_up(elements)
        return _wrap(elements, self.bits).astype(np.int64)

    def _scale(self, sums, mode, first, addend=None):
        """Scaled sums; ``first`` packs the multiplier and both shifts."""
        post  = first >> 37 & 63
        short = np.clip(divide_round(sums, first >> 32 & 31, mode), *_LIMITS[self.fields["scale"]])
        if addend is None:
            addend = (post > 31) * (1 << 30) if mode is RoundMode.TWICE else 0
        if mode is RoundMode.TWICE:  # bit 30 counts as a sign where a sum is negative
            addend = addend % (1 << 31) - ((addend & 1 << 30) << 1) * (short < 0)
        return divide_round(short * _wrap(first, 32) + addend, post, mode)

    def _look_up(self, elements):
        """Table values at ``elements``, interpolated linearly between two entries."""
        code, shift = self.fields["table"], self.fields.get("table_shift", 0)
        mode  = self.fields.get("table_rounding", RoundMode.CONVERGENT)
        table = self.tables[OWN_TABLES.index(code)] if code in OWN_TABLES else TABLES[code]
        index = np.clip((elements >> shift) + table.offset, 0, len(table.values) - 2).astype(int)
        here, there = (np.array(table.values, object)[index + more] for more in range(2))
        value = _wrap(here - divide_round(_wrap(here - there, 16) * (elements & (1 << shift) - 1),
                                     shift, mode), 16)
        value = value if self.bits == 16 else np.minimum(divide_round(value, _UPPER, mode), 127)
        return value.astype(np.int64)


def divide_round(values: Any, shift: npt.ArrayLike, mode: RoundMode) -> Any:
    """``values / 2**shift``, rounded; a left shift is exact."""
    left   = np.maximum(-np.asarray(shift), 0).astype(object)
    shift  = np.asarray(np.maximum(shift, 0)).astype(object)
    values = values << left
    half   = (1 << shift) >> 1
    if mode is RoundMode.FLOOR:
        return values >> shift
    rounded = values + half >> shift
    if mode is RoundMode.CONVERGENT:
        tie     = (values & (1 << shift) - 1) == half
        rounded = rounded - (tie & (shift > 0)) * (rounded & 1)
    return rounded


def _wrap(values, bits):
    return (values + (1 << bits - 1) & (1 << bits) - 1) - (1 << bits - 1)
