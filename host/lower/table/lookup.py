# SPDX-License-Identifier: Apache-2.0
"""A function of a byte as a pass with a lookup in its own table.

The table entries hold the outputs in their upper bytes, from the input -128 on, and the last entry
twice: an index never exceeds the entry before the last.
"""

import numpy as np

from xymac.hdl.isa import ELEMENT_BITS, OWN_TABLES, RoundMode
from xymac.host.ir.fields import container_clip
from xymac.host.ir.table import ByteTable
from xymac.host.lower.base import Lowering
from xymac.host.lower.sweep import elementwise, sweep_runs
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.tables import OwnTable

__all__ = ["LookupLowering"]

_OFFSET = 128  #: Index of the entry for 0.
_UPPER  = 8    #: Bits below an element in an entry.


class LookupLowering(Lowering):
    """A layer that is a function of a byte."""

    forms        = (ByteTable,)
    fixed        = ()
    needs_tables = True
    takes_strips = True
    writes_runs  = True

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        entries = [output << _UPPER for output in self.form.outputs]
        self.tables = (OwnTable((*entries, entries[-1]), _OFFSET),)

    def source_layouts(self, preferred):
        """The preferred output layout, else the input order."""
        [x] = self.inputs
        return (TensorLayout.flat(x, self.ways) if preferred is None else preferred.like(x),)

    def target_layout(self, sources):
        """The input layout."""
        [source] = sources
        return source.like(self.output)

    def can_overwrite(self, sources, target):
        """Input and output have 8 bits each."""
        return sources[0].bits == target.bits

    def constants(self, sources):
        """A word with 1 in every lane."""
        return lane_words(np.ones(1, np.int8), self.ways)

    def passes(self, sources, target, constants):
        """A pass over all full outputs, and a pass over the remaining vectors."""
        [source] = sources
        look_up  = elementwise(
            source.bits, target.bits, x=source.access(), y=constants.word(0, 8, self.ways),
            z=target.access(), clip=container_clip(ELEMENT_BITS), table=OWN_TABLES[0],
            table_rounding=RoundMode.UP)
        return sweep_runs(look_up, source, target)
