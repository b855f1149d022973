# SPDX-License-Identifier: Apache-2.0
"""Boxes (strided slices) of a tensor: moved, or used in place."""

from dataclasses import replace
from itertools import accumulate

from xymac.hdl.isa import CELL_BITS
from xymac.host.ir.move import Box
from xymac.host.lower.base import Lowering
from xymac.host.lower.orders import refuse_layout
from xymac.host.memory.layout import TensorLayout

from .choice import choose_moves
from .copy import CopyMove
from .strides import Dim, ElementMove, merge_dims, pair_strides, strides_of

__all__ = ["BoxLowering"]


class BoxLowering(Lowering):
    """A box of a tensor, moved to its own layout, or a view if it is contiguous."""

    forms = (Box,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self.box = self.form

    @classmethod
    def takes(cls, box, inputs):
        """Elements up to 16 bits."""
        return inputs[0].bits <= CELL_BITS

    def source_layouts(self, preferred):
        """``preferred`` with the removed dimensions outermost, else flat."""
        [x], box = self.inputs, self.box
        if preferred is not None and 0 in preferred.outer_axes:
            order = (*box.gone, *(box.axes[axis] for axis in preferred.order))
            parts = preferred.parts if box.count == x.shape else None
            return (TensorLayout.of(x, order, self.ways, inner=preferred.inner, parts=parts),)
        return (TensorLayout.flat(x, self.ways),)

    def refuses(self, sources):
        """Parts of runs that the box cuts."""
        [source] = sources
        if len(source.parts) == 1 or self._pieces(source) is not None:
            return None
        axis  = source.order[-1]
        first = self.box.first[axis]
        return refuse_layout(
            f"The output must begin and end between pieces of {source.parts} elements of the "
            f"input, not at {first} and {first + self.box.count[axis]} in steps of "
            f"{self.box.step[axis]}")

    def target_layout(self, sources):
        """The input's dimension order."""
        [source]     = sources
        self.is_view = self._lies_together(source)
        target       = self._lay_output(source)
        return replace(target, memory=source.memory) if self.is_view else target

    def view_of(self, sources):
        """Layout of the box inside the input."""
        [source]    = sources
        row, offset = divmod(source.offset + self._start(source) // self.ways, source.row_groups)
        return replace(self._lay_output(source), memory=source.memory, row=source.row + row,
                       offset=offset)

    def constants(self, sources):
        """Move constants."""
        [source] = sources
        return self._move(source, self._lay_output(source)).constants(self.ways)

    def passes(self, sources, target, constants):
        """Move passes; none for a view."""
        [source] = sources
        return [] if self.is_view else self._move(source, target).passes(constants)

    def _lay_output(self, source):
        """TensorLayout of the output in the input's dimension order."""
        box   = self.box
        inner = source.order[len(source.order) - source.inner:]
        parts = source.parts[self._pieces(source)] if len(source.parts) > 1 else None
        return TensorLayout.of(
            self.output, [box.axes.index(axis) for axis in source.order if axis in box.axes],
            self.ways, inner=sum(axis in box.axes for axis in inner), parts=parts)

    def _pieces(self, source):
        """Slice of the parts inside the box; None if the box cuts a part."""
        axis   = source.order[-1]
        starts = list(accumulate(source.parts, initial=0))
        ends   = self.box.first[axis], self.box.first[axis] + self.box.count[axis]
        if (source.inner == 1 and self.box.step[axis] == 1 and axis not in self.box.gone
                and {*ends} <= {*starts}):
            return slice(*map(starts.index, ends))
        return None

    def _start(self, source):
        """Distance from the input's first element to the box's first, padding included, elements.
        """
        steps = strides_of(source)
        if len(source.parts) > 1:
            steps[source.order[-1]] = 0
        start = sum(index * steps[axis] for axis, index in enumerate(self.box.first))
        if len(source.parts) > 1:
            before = source.parts[:self._pieces(source).start]
            start += sum(-(-part // self.ways) * self.ways for part in before)
        return start

    def _lies_together(self, source):
        """Whether the box's vectors are contiguous in the input and contain no other elements."""
        box   = self.box
        inner = source.order[len(source.order) - source.inner:]
        split = next((place for place, axis in enumerate(source.order) if box.count[axis] > 1),
                     len(source.order))
        behind = (*source.order[split + 1:], *inner)
        return (all(box.is_whole(axis, source.shape) for axis in behind)
                and all(box.step[axis] == 1 for axis in source.order[split:split + 1]))

    def _move(self, source, target):
        """The fastest move; runs of several parts move as whole vectors."""
        box   = self.box
        steps = strides_of(source)
        start = self._start(source)
        if len(source.parts) == 1:
            strides = [steps[axis] * box.step[axis] for axis in box.axes]
            [move]  = choose_moves([pair_strides(source, target, strides, x=start)],
                                   core=self.core)
            return move
        places = strides_of(target)
        *outer, _ = (axis for axis in source.order if axis in box.axes)
        dims   = [Dim(box.count[axis], steps[axis] * box.step[axis],
                      places[box.axes.index(axis)]) for axis in outer]
        run    = Dim(target.pitch * self.ways, 1, 1)
        return CopyMove(ElementMove(source, target, tuple(merge_dims([*dims, run])), start))
