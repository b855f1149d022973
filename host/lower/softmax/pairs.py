# SPDX-License-Identifier: Apache-2.0
"""Softmax over two-byte rows: a function of their difference, looked up."""

from dataclasses import replace
from math import prod

import numpy as np

from xymac.hdl.isa import BANKS, Pass, RoundMode, Width
from xymac.host.ir.normalise import RowSoftmax
from xymac.host.lower.relative import Area, RelativeAccess
from xymac.host.memory.packing import width_of
from xymac.host.memory.tables import OwnTable

from .row_shares import RowLowering

__all__ = ["PairLowering"]

_MOST  = 255  #: The largest difference of two bytes.
_UPPER = 8    #: Bits below an element in an entry.


class PairLowering(RowLowering):
    """A softmax of bytes to 8 or 16 bits along a dimension with one or two elements."""

    forms = (RowSoftmax,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        [x] = inputs
        entries = _outputs(self.form, x.shape[-1])
        if self.form.bits == 8:
            entries = [output << _UPPER for output in entries]
        self._own = OwnTable((*entries, entries[-1]), _MOST)

    @classmethod
    def takes(cls, form, inputs):
        """Whether a row has two bytes, or a single byte with a 16-bit output."""
        [x] = inputs
        return x.shape[-1] in ((2,) if form.bits == 8 else (1, 2))

    def make(self, space, sources, target):
        """A pass over row groups that fill the lanes, and a pass over the remaining rows."""
        [source] = sources
        each     = max(1, BANKS // source.pitch)  # rows
        groups   = each * source.pitch
        weights  = replace(space.matrix(self._weights(each, source)).access(0, 0), outer=(0, 0, 0))
        look_up  = {"y": weights, "table": space.table(self._own), "clip": (-_MOST, _MOST),
                    "x_width": Width.BITS8, "y_width": Width.BITS8,
                    "z_width": width_of(self.output.bits),
                    "table_rounding": RoundMode.UP}
        passes, (count, rest) = [], divmod(prod(source.shape[:-1]), each)
        for first, many, rows in ((0, count, each), (count, 1, rest)):
            if many and rows:
                loops = {"outer": (0, 0, groups), "offset": first * groups}
                passes.append(Pass(
                    x=RelativeAccess.to(source, 0, taps=(0, 0, 1), **loops),
                    z=RelativeAccess.to(target, Area.TARGET, **loops), outer=(1, 1, many),
                    taps=(1, 1, rows * source.pitch), beats=rows * source.pitch, **look_up))
        return passes

    def _weights(self, rows, source):
        """Weights [lanes, elements of ``rows`` rows]: a lane subtracts the other row element from
        its own.
        """
        slots   = source.slots()
        size    = source.pitch * source.ways
        weights = np.zeros((BANKS * source.ways, rows * size), np.int8)
        for row in range(rows):
            for own, other in (slots, slots[::-1]) if len(slots) > 1 else ():
                lane = row * size + own
                weights[lane, lane], weights[lane, row * size + other] = 1, -1
        return weights


def _outputs(form, count):
    """Outputs by the difference from the other element, in ascending order.

    A single-element row has the same output everywhere.
    """
    if count == 1:
        return np.repeat(form.evaluate(form.bits, np.zeros((1, 1), np.int8)).ravel(),
                         2 * _MOST + 1).tolist()
    below = np.arange(_MOST + 1, dtype=np.int64)
    rows  = np.stack([np.full_like(below, 127), 127 - below], axis=1)
    larger, smaller = form.evaluate(form.bits, rows).T
    return np.concatenate([smaller[::-1], larger[1:]]).tolist()
