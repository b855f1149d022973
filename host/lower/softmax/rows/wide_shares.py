# SPDX-License-Identifier: Apache-2.0
"""Passes for a softmax over a row of 16-bit elements, with two tables.

1. The negative largest element goes to a bias: its sign, then its lowest 16 bits.
2. The scaled differences index the exponential table. The exponentials are written negative, then
   added up: the sum's bit length is a core scalar.
3. The 16 bits after the sum's leading bit index the table of its inverse, negative.
4. Both tables are negative, so that halves between two entries are rounded up; the product of both
   lookups is positive again.
"""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import (
    BANKS,
    AccumulatorRange,
    Adjust,
    Memory,
    Op,
    Pass,
    Reduce,
    RoundMode,
    Scale,
    Shape,
    Width,
    bias_rows,
)
from xymac.host.ir.fields import container_clip
from xymac.host.ir.normalise import TABLE_STEP
from xymac.host.ir.sums import check_largest, first_record
from xymac.host.lower.relative import Area, RelativeAccess
from xymac.host.lower.sweep import sweep
from xymac.host.memory.tables import OwnTable

__all__ = ["WideRow"]

#: An element's lowest 16 bits, as entry differences wrap.
_LOWEST_BITS, _LOWEST_STEP = OwnTable((-1 << 15, 0, -1 << 15, 0), 1), 15

_PEAK   = (1 << 16) - 1      #: Largest magnitude of an element difference.
_MORE   = 8                  #: Bits of a sum behind its last one, so that places can be taken off.
_NORMAL = 1 << 16, (1 << 17) - 1
_DIRECT = 64                 #: Maximum row elements for which padding has rows of Y.

_WIDE = {"x_width": Width.BITS16, "y_width": Width.BITS16, "z_width": Width.BITS16,
         "acc_range": AccumulatorRange.BITS40, "clip": container_clip(16)}
_LANES = _WIDE | {"x_shape": Shape.LANES, "y_shape": Shape.LANES}


class WideRow:
    """Passes over the first input row, and their workspace.

    Parameters
    ----------
    form : TableSoftmax; raises Refusal if its factor shifts differences beyond 32 bits
    source, target : TensorLayouts, not placed
    space : Workspace
    """

    def __init__(self, form, source, target, space):
        multiplier, exponent = form.factor
        self._form = form
        check_largest(_PEAK << max(exponent, 0), (1 << 31) - 1)
        self._space, self._ways = space, space.ways
        self._count, self._pitch = sum(source.parts), source.pitch
        self._padding = -self._count % space.ways
        self._source  = RelativeAccess.to(source, 0)
        self._target  = RelativeAccess.to(target, Area.TARGET)
        rows = -(-self._pitch // BANKS)
        self._powers, self._signed = (space.in_x(rows).groups(0) for _ in range(2))
        self._partial  = space.in_x(2).groups(0)
        self._inverse  = space.in_y(1)
        self._record   = space.records(int(first_record(multiplier, 0, 31 - exponent)),
                                       1 << 30 if exponent < 0 else 0, 0)
        self._one, self._minus = space.word(1), space.word(-1)

    def make(self):
        """All passes."""
        return [*self._write_bias(), *self._raise(), *self._count_bits(), *self._invert(),
                *self._share()]

    def _write_bias(self):
        """Passes writing the negative largest element to the bias words."""
        rows, groups = bias_rows(self._ways), BANKS * self._ways
        first  = self._record + 2 * rows
        # From the lowest word on: rows go down.
        low, middle, high = ((first + rows - 1 - place // self._ways) * groups
                             + place % self._ways * BANKS for place in range(3))
        z = RelativeAccess(low, first * groups, (first + rows) * groups - 1, area=Area.RECORDS,
                           row_units=groups)
        fields = yield from self._find_largest()
        fold = Pass(**_WIDE | fields | {"op": Op.MIN, "z": z, "z_memory": Memory.Y})
        yield replace(fold, clip=(-1, 0), outer=(1, 1, 2),
                      z=replace(z, base=middle, outer=(0, 0, high - middle)))
        yield replace(fold, clip=(-1 << 15, 1 << 15), table_shift=_LOWEST_STEP,
                      table=self._space.table(_LOWEST_BITS))

    def _find_largest(self):
        """Passes after which the least sum of others, whose fields are returned, is the largest
        element, negative."""
        ways, full = self._ways, self._count // self._ways
        eye  = np.eye(ways, dtype=int)
        x    = replace(self._source, taps=(0, 1, 0))
        if not self._padding or self._pitch * ways <= _DIRECT:
            places = np.arange((self._pitch if self._padding else 1) * ways)
            # The first element of a group is no padding.
            chosen = np.where(places < self._count, places % ways, 0)
            rows   = self._space.rows(-eye[chosen].ravel())
            stride = ways * (places.size > ways)
            return {"x": x, "y": replace(rows, taps=(0, stride, 1)), "taps": (1, self._pitch, ways)}
        rows = self._space.rows(eye.ravel())
        for index, first, groups, count in ((0, 0, full, ways), (1, full, 1, self._count % ways)):
            yield Pass(**_WIDE, op=Op.MAX, x=replace(x, base=x.base + first), y=rows,
                       taps=(1, groups, count), z=replace(
                           self._partial, base=self._partial.base + index * BANKS))
        return {"x": replace(self._partial, taps=(0, BANKS, 0)), "taps": (1, 2, 1),
                "y": self._space.rows(-eye[0])}

    def _sweep(self, **fields):
        """Passes over all row tiles, the last tile first."""
        pass_ = Pass(**_LANES | {"rounding": RoundMode.UP} | fields)
        pass_ = replace(pass_, x=replace(pass_.operands.x, outer=(0, 0, 0)),
                        z=replace(pass_.epilogue.z, outer=(0, 0, 0)))
        return sweep(pass_, self._pitch, (BANKS, 0, BANKS))[::-1]

    def _raise(self):
        """Passes writing negative exponentials."""
        return self._sweep(x=self._source, y=self._one, z=self._powers, bias_row=self._record,
                           scale=Scale.BITS32, addend=True, rounding=RoundMode.TWICE,
                           clip=(-_PEAK, 0), zero=(1 << 15) - 1, table_shift=TABLE_STEP,
                           table=self._space.table(self._form.powers), table_rounding=RoundMode.UP)

    def _count_bits(self):
        """Passes reducing the exponentials to their sum."""
        parts = self._sweep(x=self._powers, y=self._minus, z=self._signed)
        return [replace(part, reduce=Reduce.SUM, fresh=number == 0,
                        drop=self._padding if number == 0 else 0)
                for number, part in enumerate(parts)]

    def _invert(self):
        """Passes writing the sum's negative inverse to all lanes."""
        ways, full = self._ways, self._count // self._ways
        x     = replace(self._powers, outer=(0, 0, 0), taps=(0, 0, 1))
        whole = Pass(**_WIDE, x=x, y=self._space.row(-1 << _MORE), taps=(1, 1, self._pitch),
                     z=replace(self._partial, outer=(0, 0, 0)))
        if self._padding:
            if full:
                yield replace(whole, taps=(1, 1, full), hold=True, rounding=RoundMode.FLOOR)
            masks = np.where(np.arange(ways) < self._count % ways, -1 << _MORE, 0)
            whole = replace(whole, x=replace(x, base=x.base + full), taps=(1, 1, 1),
                            y=self._space.rows(masks), resume=full > 0)
        yield replace(whole, **self._inverse.output(0), adjust=Adjust.PLACES, shift=-_MORE,
                      rounding=RoundMode.UP, clip=_NORMAL, table_shift=TABLE_STEP,
                      table=self._space.table(self._form.inverses),
                      table_rounding=RoundMode.UP)

    def _share(self):
        """Passes writing the output."""
        return self._sweep(x=self._powers, y=replace(self._inverse.words(0), outer=(0, 0, 0)),
                           z=self._target, adjust=Adjust.PLACES, clip=(0, (1 << 15) - 1))
