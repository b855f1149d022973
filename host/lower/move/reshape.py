# SPDX-License-Identifier: Apache-2.0
"""Reshape in place: another shape at the same addresses."""

from dataclasses import replace
from math import lcm, prod

import numpy as np

from xymac.hdl.isa import BANKS
from xymac.host.ir.move import Rename, first_steps
from xymac.host.lower.base import Lowering
from xymac.host.lower.orders import refuse_layout
from xymac.host.memory.constants import Constants
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.windows import WindowLayout

__all__ = ["ReshapeLowering", "rename_layout"]


class ReshapeLowering(Lowering):
    """Reshape without passes; if no layout expresses it, a reordering precedes it."""

    forms   = (Rename,)
    is_view = True
    takes_strips = True

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self._wanted = None  # layout preferred by the output's readers

    def source_layouts(self, preferred):
        """The preferred output layout, if an input layout matches it, else flat."""
        [x] = self.inputs
        self._wanted = self._wanted or preferred
        layout = None if preferred is None else rename_layout(preferred.like(self.output), x)
        return (layout or TensorLayout.flat(x, self.ways),)

    def refuses(self, sources):
        """Element addresses that no output layout has."""
        if self.view_of(self._unplaced(sources)) is not None:
            return None
        return refuse_layout(f"Elements that lie as {sources[0].arrangement} cannot have shape "
                             f"{self.output.shape} there")

    def target_layout(self, sources):
        """The input's memory."""
        return self.view_of(self._unplaced(sources))

    def _unplaced(self, sources):
        [source] = sources
        if isinstance(source, WindowLayout):
            return sources
        return (replace(source.like(self.inputs[0]), memory=source.memory),)

    def view_of(self, sources):
        """Output layout over the input's memory."""
        [source] = sources
        if isinstance(source, WindowLayout):
            return replace(source, array=self.output.shape)
        return rename_layout(source, self.output, self._wanted)

    def tile_axes(self):
        """The first dimension larger than 1, in steps that both shapes have."""
        [x]  = self.inputs
        ends = [first_steps(each.shape) for each in (x, self.output)]
        if None in ends:
            return []
        (_, source), (axis, target) = ends
        return [(axis, lcm(source, target) // target)]

    def constants(self, sources):
        """None."""
        return Constants(np.zeros(0, np.uint16), BANKS * self.ways ** 2)

    def passes(self, sources, target, constants):
        """None."""
        return []


def rename_layout(layout, x, wanted=None):
    """TensorLayout of a Tensor like ``x`` with the same address per C-order element, or None.

    ``layout`` defines the addresses. The arrangement follows ``wanted`` if possible, else layouts
    with a single dimension per run have priority.
    """
    if sum(layout.parts) != _run_of(layout):  # a hint for a tensor of another shape
        return None
    places = layout.places()
    choices = [] if wanted is None else [wanted.like(x)]
    for choice in (*choices, *_list_choices(layout, x, _order_of(places, x.shape))):
        if (sum(choice.parts) == _run_of(choice) and choice.groups == layout.groups
                and (not layout.gap or choice.pitch == layout.pitch)
                and np.array_equal(choice.places(), places)):
            return replace(choice, row=layout.row, offset=layout.offset, gap=layout.gap,
                           memory=layout.memory)
    return None


def _first_steps(shape):
    """(first dimension larger than 1, its C-order stride in elements), or None."""
    axis = next((axis for axis, size in enumerate(shape) if size > 1), None)
    return None if axis is None else (axis, prod(shape[axis + 1:]))


def _order_of(places, shape):
    """Axes by decreasing memory stride; an axis of size 1 precedes the next larger one."""
    slots = np.empty(places.max() + 1, int)
    slots[places[places >= 0]] = np.flatnonzero(places >= 0)
    steps, size, step = [], 1, 0
    for count in reversed(shape):
        step = slots[size] - slots[0] if count > 1 else step
        steps.insert(0, step)
        size *= count
    return tuple(sorted(range(len(shape)), key=lambda axis: -steps[axis]))


def _list_choices(layout, x, order):
    """TensorLayouts of a Tensor like ``x`` in a given dimension order.

    Layouts with one dimension per run precede layouts with several parts, whose runs join several
    runs in ``layout``.
    """
    parted = []
    for inner in (1, *range(2, len(order) + 1), 0):
        if inner <= len(order):
            choice = TensorLayout.of(x, order, layout.ways, inner=inner)
            yield choice
            times, rest = divmod(_run_of(choice), _run_of(layout))
            if not rest:
                several = replace(choice, parts=layout.parts * times)
                if inner == 1:
                    yield several
                else:
                    parted.append(several)
    yield from parted


def _run_of(layout):
    """Elements per run."""
    return prod(layout.shape[axis] for axis in layout.order[len(layout.order) - layout.inner:])
