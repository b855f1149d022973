# SPDX-License-Identifier: Apache-2.0
"""A tensor with a replaced box: both inputs are copied."""

from dataclasses import replace

from xymac.hdl.isa import CELL_BITS
from xymac.host.ir.pick import Update
from xymac.host.lower.move.copies import CopyLowering
from xymac.host.lower.orders import refuse_apart, refuse_inner
from xymac.host.lower.sweep import Loop, copy
from xymac.host.memory.layout import TensorLayout

__all__ = ["UpdateLowering"]


class UpdateLowering(CopyLowering):
    """A tensor with a box replaced by a second tensor; the box ends at run ends."""

    forms = (Update,)
    changes_parts = True

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        x, update   = inputs
        self._first = self.form.first
        #: Dimensions that the box covers in part.
        self._cut   = [axis for axis, (part, size) in enumerate(
            zip(update.shape, x.shape, strict=True)) if part < size]

    @classmethod
    def takes(cls, layer, inputs):
        """Whether elements have fewer than 32 bits."""
        return inputs[0].bits <= CELL_BITS

    def source_layouts(self, preferred):
        """The preferred output layout, if the box has full runs there.

        Otherwise a run has as many dimensions as the box has full dimensions at the end.
        """
        rank  = len(self.output.shape)
        inner = rank - 1 - max(self._cut, default=-1)
        order = tuple(range(rank))
        if preferred is not None and len(preferred.parts) == 1 and (
                {*self._cut} <= {*preferred.outer_axes}):
            order, inner = preferred.order, preferred.inner
        return tuple(TensorLayout.of(x, order, self.ways, inner=inner) for x in self.inputs)

    def refuses(self, sources):
        """Inputs in different layouts, or partial runs in the box."""
        first, second = sources
        if (first.order, first.inner, first.parts) != (second.order, second.inner, second.parts):
            return refuse_apart(first.arrangement, second.arrangement)
        return refuse_inner("Updating", self._cut, first)

    def target_layout(self, sources):
        """The input layout."""
        return sources[0].like(self.output)

    def tile_axes(self):
        """The longest dimension that the box fully covers."""
        shape = self.output.shape
        axes  = [axis for axis in range(len(shape)) if axis not in self._cut]
        return [(max(axes, key=lambda axis: shape[axis]), 1)] if axes else []

    def inputs_in_place(self, sources, target):
        """The first input may share the output's address."""
        [source, _] = sources
        return (replace(source, memory=target.memory, row=target.row, offset=target.offset,
                        gap=0), None)

    def passes(self, sources, target, constants):
        """A copy from the first input, unless it is in place, then from the second input over
        it."""
        source, update = sources
        one    = self.one(constants)
        passes = []
        if source != self.inputs_in_place(sources, target)[0]:
            passes += copy(source, target, one, source.pitch, _loops(source, target, source.shape))
        start = sum(self._first[axis] * target.step(axis) for axis in self._cut)
        return passes + copy(update, target, one, update.pitch,
                             _loops(update, target, update.shape), z_offset=start)


def _loops(source, target, shape):
    """Loops over the runs of a tensor with shape ``shape``."""
    return [Loop(shape[axis], source.step(axis), 0, target.step(axis))
            for axis in source.outer_axes]
