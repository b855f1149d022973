# SPDX-License-Identifier: Apache-2.0
"""Last L2 normalisation step: every element times the table value for the sum."""

from dataclasses import replace

from xymac.hdl.isa import BANKS, Scale, Table, Width
from xymac.host.ir.normalise import ROOT_BITS
from xymac.host.ir.sums import first_record
from xymac.host.lower.relative import Area, RelativeAccess
from xymac.host.lower.sweep import elementwise, sweep

from .elements import HALF

__all__ = ["InverseRoot"]


class InverseRoot:
    """The inverse root in Y, and the pass multiplying and shifting by it.

    Passes write the root, and 32 times a shift to the Tiles ``shifts``: ``least``, plus 1 for every
    two sum bits.
    """

    def __init__(self, form, elements, target, space):
        self._form, self._elements, self._space = form, elements, space
        self._bits   = elements.source.bits, target.bits
        self._target = RelativeAccess.to(target, Area.TARGET)
        self._root   = space.in_y(1)
        self._record = space.records(first_record(2, 0, 0), 0)
        self.shifts  = space.in_records(self._record, space.upper_word)
        self.least   = ROOT_BITS - 2 - form.frac_bits

    @property
    def look_up(self):
        """Fields for the pass whose sums are the table argument, and which writes the root."""
        table = self._form.table
        code  = table if isinstance(table, Table) else self._space.table(table)
        return {"clip": (0, HALF - 1), "table": code, "table_shift": self._form.table_shift,
                "table_rounding": self._form.rounding, **self._root.output(0)}

    def multiply(self):
        """Passes writing the output, the shortest first, so that the next can follow at once."""
        share = elementwise(*self._bits, x=self._elements.access(),
                            y=replace(self._root.words(0), outer=(0, 0, 0)),
                            y_width=Width.BITS16, z=self._target, scale=Scale.BITS32,
                            rounding=self._form.rounding, bias_row=self._record,
                            x_zero=self._elements.zero)
        return sweep(share, self._elements.source.groups, (BANKS, 0, BANKS))[::-1]
