# SPDX-License-Identifier: Apache-2.0
"""Lower table activations to lookup passes."""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS
from xymac.host.ir.table import TableForm
from xymac.host.lower.base import Lowering
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.lower.sweep import elementwise, sweep_runs
from xymac.host.memory.constants import lane_words
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import pack_records

__all__ = ["TableLowering"]

class TableLowering(Lowering):
    """Table lookup pass; wider results lie behind the output and are rounded by a second pass."""

    forms = (TableForm,)
    fixed = ()
    writes_runs = True

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self.tables = self.form.tables

    def source_layouts(self, preferred):
        """The next layer's preferred layout, else a flat layout."""
        [x] = self.inputs
        return (TensorLayout.flat(x, self.ways) if preferred is None else preferred.like(x),)

    def target_layout(self, sources):
        """The input's layout, with room behind it for wider results."""
        [source] = sources
        target = source.like(self.output)
        return target if self.form.narrow is None else with_room(target, [self._wide(target)])

    def constants(self, sources):
        """A word of ones, and the requantisation parameters if the form scales its argument."""
        words, lanes = lane_words(np.ones(1, np.int8), self.ways), BANKS * self.ways
        if not self.form.records:
            return words
        return replace(words, bias=pack_records([np.full(lanes, record)
                                                 for record in self.form.records], self.ways))

    def passes(self, sources, target, constants):
        """The lookup pass, and a rounding pass if the form has wider results."""
        [source], form, looked_up = sources, self.form, target
        if form.narrow is not None:
            [looked_up] = place_behind(target, [self._wide(target)])
        one, row = constants.word(0, 8, self.ways), constants.y_row if form.records else None
        passes = sweep_runs(elementwise(source.bits, form.bits, x=source.access(), y=one,
                                        z=looked_up.access(), bias_row=row, **form.look_up),
                            source, looked_up)
        if form.narrow is None:
            return passes
        narrow = elementwise(form.bits, target.bits, x=looked_up.access(), y=one,
                             z=target.access(), **form.narrow)
        return passes + sweep_runs(narrow, looked_up, target)

    def _wide(self, target):
        return replace(target, bits=self.form.bits, behind=0)
