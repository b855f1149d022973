"""The same elements in another shape, where they lie: no element moves."""

from dataclasses import replace
from math import prod

import numpy as np

from golden import tflm
from hdl.isa import BANKS
from host.lower.base import Lowering
from host.memory.constants import Constants
from host.memory.layout import TensorLayout

__all__ = ["ReshapeLowering", "rename_layout"]


class ReshapeLowering(Lowering):
    """Another shape. Where a layout cannot express it, a reordering comes in front."""

    layers  = (tflm.Reshape,)
    is_view = True

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self._wanted = None  # as the readers of the output would like it

    def source_layouts(self, preferred):
        """As the output is preferred, if a layout of the input can be so; else flat."""
        [x] = self.inputs
        self._wanted = self._wanted or preferred
        layout = None if preferred is None else rename_layout(preferred.like(self.output), x)
        return (layout or TensorLayout.flat(x, self.ways),)

    def target_layout(self, sources):
        """Where the input lies; ValueError if no layout of the output has its elements there."""
        [source] = sources
        return self.view_of((replace(source.like(self.inputs[0]), memory=source.memory),))

    def view_of(self, sources):
        """Where the input lies."""
        [source] = sources
        layout   = rename_layout(source, self.output, self._wanted)
        if layout is None:
            raise ValueError(f"Elements that lie as {source.arrangement} cannot have shape "
                             f"{self.output.shape} there")
        return layout

    def constants(self, sources):
        """None."""
        return Constants(np.zeros(0, np.uint16), BANKS * self.ways ** 2)

    def passes(self, sources, target, constants):
        """None."""
        return []


def rename_layout(layout, x, wanted=None):
    """TensorLayout of a Tensor like ``x`` whose elements, in C order, lie where those of ``layout``
    do, in C order; None if there is none.

    It is arranged as ``wanted``, if there is one and it can be, else with runs of one dimension, if
    there are such.
    """
    places = layout.places()
    choices = [] if wanted is None else [wanted.like(x)]
    for choice in (*choices, *_list_choices(layout, x, _order_of(places, x.shape))):
        if (choice.groups == layout.groups and np.array_equal(choice.places(), places)
                and (not layout.gap or choice.pitch == layout.pitch)):
            return replace(choice, row=layout.row, offset=layout.offset, gap=layout.gap,
                           memory=layout.memory)
    return None


def _order_of(places, shape):
    """Dimensions of a tensor from the largest step in memory on, those of one element in front of
    the next one that has more."""
    slots = np.empty(places.max() + 1, int)
    slots[places[places >= 0]] = np.flatnonzero(places >= 0)
    steps, size, step = [], 1, 0
    for count in reversed(shape):
        step = slots[size] - slots[0] if count > 1 else step
        steps.insert(0, step)
        size *= count
    return tuple(sorted(range(len(shape)), key=lambda axis: -steps[axis]))


def _list_choices(layout, x, order):
    """TensorLayouts of a Tensor like ``x`` in one order, runs of one dimension first."""
    for inner in (1, *range(2, len(order) + 1), 0):
        if inner <= len(order):
            run   = prod(x.shape[axis] for axis in order[len(order) - inner:])
            parts = layout.parts if sum(layout.parts) == run else (run,)
            yield TensorLayout.of(x, order, layout.ways, inner=inner, parts=parts)
