# SPDX-License-Identifier: Apache-2.0
"""Concatenation: each input is copied, unless it is computed in place as part of the output."""

from dataclasses import replace
from itertools import accumulate
from math import prod

from xymac.hdl.isa import CELL_BITS
from xymac.host.ir.move import Join, Stack
from xymac.host.ir.operation import Operation
from xymac.host.ir.tile import longest
from xymac.host.lower.base import Lowering
from xymac.host.lower.orders import refuse_inner, refuse_layout
from xymac.host.lower.sweep import Loop, copy
from xymac.host.memory.layout import TensorLayout

from .copies import CopyLowering

__all__ = ["ConcatLowering", "PackLowering"]


class ConcatLowering(CopyLowering):
    """Tensors concatenated along a dimension."""

    forms = (Join,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self._axis = self.form.axis

    @classmethod
    def takes(cls, layer, inputs):
        """Elements up to 16 bits."""
        return all(x.bits <= CELL_BITS for x in inputs)

    def source_layouts(self, preferred):
        """The smaller of two layouts: the joined dimension innermost, in parts, or outermost.

        A suitable ``preferred`` layout replaces both.
        """
        axis   = self._axis
        others = [other for other in range(len(self.inputs[0].shape)) if other != axis]
        orders = [((*others, axis), 1)]
        if preferred is not None and (preferred.inner == 1 or axis in preferred.outer_axes):
            orders = [(preferred.order, preferred.inner)]
        elif others:
            orders.append(((axis, *others), len(others)))
        choices = [tuple(TensorLayout.of(x, order, self.ways, inner=inner) for x in self.inputs)
                   for order, inner in orders]
        return min(choices, key=lambda layouts: sum(layout.groups for layout in layouts))

    def refuses(self, sources):
        """Inputs in different orders, or runs that the output would split."""
        first = sources[0]
        for number, source in enumerate(sources):
            if (source.order, source.inner) != (first.order, first.inner):
                return refuse_layout(
                    f"Input 0 lies in the order {first.order}, {first.inner} of them together, "
                    f"input {number} in {source.order}, {source.inner}")
        if self._leads(first):
            return None
        for number, source in enumerate(sources):
            if source.parts != first.parts and self._axis in first.outer_axes:
                return refuse_layout(f"Input 0 lies in pieces of {first.parts} elements, input "
                                     f"{number} in pieces of {source.parts}")
        return refuse_inner("Concat", (self._axis,), first)

    def _leads(self, layout):
        """Whether the joined dimension is the first one of a run, apart from sizes of 1: the output
        then has the runs of the inputs in sequence.
        """
        run = layout.order[len(layout.order) - layout.inner:]
        return self._axis in run and all(
            layout.shape[axis] == 1 for axis in run[:run.index(self._axis)])

    def target_layout(self, sources):
        """The common dimension order of the inputs."""
        first = sources[0]
        if self._leads(first):
            parts = sum((source.parts for source in sources), ())
            return replace(first.like(self.output), parts=parts)
        return first.like(self.output)

    def tile_axes(self):
        """The longest other dimension, or else the joined dimension."""
        scaled = {x.format.dim for x in (*self.inputs, self.output)
                  if hasattr(getattr(x, "format", None), "dim")}
        return [*longest(self.output.shape, {self._axis, *scaled}), (self._axis, 1)]

    def inputs_in_place(self, sources, target):
        """Layouts inside the output; None per input whose runs would be unequally spaced."""
        count, _, starts = self._alternation(sources, target)
        apart = count == prod(target.dims)  # the joined dimension is the run dimension
        return [replace(source, memory=target.memory, row=target.row, offset=start,
                        gap=target.pitch - source.pitch if apart else 0)
                if apart or count == 1 else None
                for source, start in zip(sources, starts, strict=True)]

    def passes(self, sources, target, constants):
        """Copies of every input into the output, repeated for the outer dimensions.

        Inputs computed in place need no copy.
        """
        count, sizes, starts = self._alternation(sources, target)
        parts, one = self.inputs_in_place(sources, target), self.one(constants)
        return [pass_ for source, part, size, start in zip(sources, parts, sizes, starts,
                                                           strict=True)
                if source != part
                for pass_ in copy(source, target, one, size, [Loop(count, size, 0, sum(sizes))],
                                  z_offset=start)]

    def _alternation(self, sources, target):
        """(alternations of the inputs in the output, vectors per input, first vector per input)."""
        place = target.order.index(self._axis)
        count = prod(target.shape[axis] for axis in target.order[:place])
        sizes = [source.groups // count for source in sources]
        return count, sizes, list(accumulate(sizes[:-1], initial=0))


class PackLowering(Lowering):
    """Tensors stacked along a new dimension: each input gains it with size 1, then they are joined.
    """

    forms = (Stack,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self._axis   = self.form.axis
        joined       = Join(self._axis)
        self._joined = ConcatLowering.for_core(
            self.core, Operation(joined, self.output.shape, self.output, len(inputs)),
            [self._widen(x) for x in inputs], ways, form=joined)
        self._place  = 0  # position of the dimension in its layouts' order

    @classmethod
    def takes(cls, layer, inputs):
        """Elements up to 16 bits."""
        return all(x.bits <= CELL_BITS for x in inputs)

    def source_layouts(self, preferred):
        """Layouts of the joined tensors, without the new dimension."""
        layouts     = self._joined.source_layouts(preferred)
        self._place = layouts[0].order.index(self._axis)
        return tuple(self._remove_axis(layout) for layout in layouts)

    def refuses(self, sources):
        """Inputs in different orders, or runs that the output would split."""
        return self._joined.refuses(self._add_axes(sources))

    def target_layout(self, sources):
        """The inputs' common dimension order."""
        return self._joined.target_layout(self._add_axes(sources))

    def constants(self, sources):
        """Copy words."""
        return self._joined.constants(self._add_axes(sources))

    def passes(self, sources, target, constants):
        """Input copies into the output."""
        return self._joined.passes(self._add_axes(sources), target, constants)

    def inputs_in_place(self, sources, target):
        """Layouts inside the output; None per input whose runs would be unequally spaced."""
        parts = self._joined.inputs_in_place(self._add_axes(sources), target)
        return tuple(part and self._remove_axis(part) for part in parts)

    def tile_axes(self):
        """The longest input dimension, or else the new dimension."""
        return [*longest(self.output.shape, {self._axis}), (self._axis, 1)]

    def _widen(self, x):
        """Tensor like ``x`` with the new dimension."""
        return replace(x, data=x.data.reshape((*x.shape[:self._axis], 1, *x.shape[self._axis:])))

    def _remove_axis(self, layout):
        """TensorLayout of an input, from the layout with the new dimension."""
        order = tuple(axis - (axis > self._axis) for axis in layout.order if axis != self._axis)
        inner = layout.inner - (self._axis not in layout.outer_axes)
        shape = (*layout.shape[:self._axis], *layout.shape[self._axis + 1:])
        return replace(layout, order=order, inner=inner, shape=shape)

    def _add_axes(self, sources):
        """TensorLayouts with the new dimension, from the input layouts."""
        return tuple(map(self._add_axis, sources))

    def _add_axis(self, layout):
        shape = (*layout.shape[:self._axis], 1, *layout.shape[self._axis:])
        order = [axis + (axis >= self._axis) for axis in layout.order]
        place = min(self._place, len(layout.outer_axes))  # before the run dimensions
        is_run = layout.inner == 0 and place == len(order)
        order.insert(place, self._axis)
        inner = layout.inner + is_run
        return replace(layout, shape=shape, order=tuple(order), inner=inner)
