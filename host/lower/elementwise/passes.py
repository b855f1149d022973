# SPDX-License-Identifier: Apache-2.0
"""Activations and conversions as passes: an output element per input element, at the same index."""

from xymac.hdl.isa import CELL_BITS
from xymac.host.ir.elementwise import ElementMaps, IndexedMaps, TabledMaps
from xymac.host.lower.base import Lowering
from xymac.host.lower.orders import refuse_layout
from xymac.host.lower.scratch import with_room
from xymac.host.memory.layout import TensorLayout

from .maps import are_runs, is_along, map_passes, pack_maps, scratch_layouts

__all__ = ["ElementwiseLowering", "TabledLowering"]


class ElementwiseLowering(Lowering):
    """An activation or a conversion."""

    forms = ElementMaps, IndexedMaps

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self.fixed = () if self.form.axis is None else (self.form.axis,)
        # Elements beyond the image must not set the overflow flag.
        self.writes_runs = are_runs(self.form)
        self.takes_strips = not self.form.flags and self.form.axis is None and inputs[0].bits == 8

    def source_layouts(self, preferred):
        """The preferred output layout, else the input order.

        If parameters differ along a dimension, it forms the runs or is outermost.
        """
        [x], axis = self.inputs, self.form.axis
        if preferred is not None and is_along(self.form, preferred):
            return (preferred.like(x),)
        if axis is None:
            return (TensorLayout.flat(x, self.ways),)
        others  = [other for other in range(len(x.shape)) if other != axis]
        layouts = (TensorLayout.of(x, (*others, axis), self.ways),
                   TensorLayout.of(x, (axis, *others), self.ways, inner=len(others)))
        return (min((layout for layout in layouts if is_along(self.form, layout)),
                    key=lambda layout: layout.groups),)

    def refuses(self, sources):
        """An input whose vectors are not aligned with the parameters."""
        [source], form = sources, self.form
        if is_along(form, source):
            return None
        return refuse_layout(f"Parameters differ along dimension {form.axis}, which does not lie "
                             f"apart from others in an input of shape {source.shape} in the order "
                             f"{source.order}")

    def target_layout(self, sources):
        """The input layout."""
        [source] = sources
        target = source.like(self.output)
        return with_room(target, scratch_layouts(self.form, target))

    def can_overwrite(self, sources, target):
        """Whether there is a single map, between elements of equal width."""
        return len(self.form.maps) == 1 and sources[0].bits == target.bits <= CELL_BITS

    def constants(self, sources):
        """Map weights and records."""
        return pack_maps(self.form, sources[0])

    def passes(self, sources, target, constants):
        """A sweep for every map."""
        return map_passes(self.form, {"a": sources[0], "out": target}, constants)


class TabledLowering(ElementwiseLowering):
    """Elementwise lowering with its own tables."""

    forms        = (TabledMaps,)
    needs_tables = True

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self.tables = self.form.tables
