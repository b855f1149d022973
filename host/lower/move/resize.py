# SPDX-License-Identifier: Apache-2.0
"""Images in another size, in which every output pixel copies an input pixel."""

from dataclasses import replace
from itertools import product

import numpy as np

from xymac.host.ir.resize import Resampling
from xymac.host.lower.base import Lowering
from xymac.host.lower.orders import refuse_inner
from xymac.host.lower.scratch import place_behind, with_room
from xymac.host.memory.layout import TensorLayout

from .combs import Comb, comb_places
from .copy import CopyMove
from .strides import Dim, ElementMove, merge_dims, strides_of

__all__ = ["ResizeLowering"]

_IMAGE   = (1, 2)  # rows and columns
_AT_ONCE = 16      # most moves of a single step, before two steps with fewer moves are used


class ResizeLowering(Lowering):
    """An image in another size.

    Rows and columns are resized together if that takes few moves, else in two steps: first along
    the dimension with less growth.
    """

    forms       = (Resampling,)
    writes_runs = True

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        [x] = inputs
        self._combs   = {axis: comb_places(places) for axis, places in self.form.axes.items()}
        rows, columns = map(len, self._combs.values())
        self._steps   = [_IMAGE]
        if rows * columns > max(rows + columns, _AT_ONCE):
            self._steps = [(axis,) for axis in sorted(
                _IMAGE, key=lambda axis: self.output.shape[axis] / x.shape[axis])]

    def source_layouts(self, preferred):
        """The preferred output layout, if its rows and columns step by whole runs; else pixel
        order.
        """
        [x] = self.inputs
        if preferred is not None and {*_IMAGE} <= {*preferred.outer_axes}:
            return (preferred.like(x),)
        return (TensorLayout.of(x, range(4), self.ways),)

    def refuses(self, sources):
        """A layout in which rows and columns do not step by whole runs."""
        return refuse_inner("Resizing", _IMAGE, *sources)

    def target_layout(self, sources):
        """The input's layout, with free space for the intermediate image."""
        [source] = sources
        return with_room(source.like(self.output), self._between(source))

    def constants(self, sources):
        """Weight 1 for the copies."""
        return CopyMove.constants(self.ways)

    def passes(self, sources, target, constants):
        """Passes for all moves, step by step."""
        layouts = [*sources, *place_behind(target, self._between(*sources)), target]
        return [pass_ for axes, source, out in zip(self._steps, layouts, layouts[1:], strict=False)
                for region in self._regions(axes, source, out)
                for pass_ in CopyMove(region).passes(constants)]

    def tile_axes(self):
        """Rows and columns, the longer first, then the longer other dimension."""
        shape = self.output.shape
        other = max((0, 3), key=lambda axis: shape[axis])
        return [(axis, 1) for axis in (*sorted(_IMAGE, key=lambda axis: -shape[axis]), other)]

    @staticmethod
    def cost_of(tiles):
        """Number of different forms, each of which needs a plan."""
        return len({tile.layer.form for tile in tiles})

    def _between(self, source):
        """TensorLayouts between two steps, a list with at most one entry."""
        [x], layouts = self.inputs, []
        for axes in self._steps[:-1]:
            shape = tuple(self.output.shape[axis] if axis in axes else size
                          for axis, size in enumerate(x.shape))
            layouts.append(source.like(replace(x, data=np.zeros(shape, x.data.dtype))))
        return layouts

    def _regions(self, axes, source, target):
        """Regions for all Combs of the dimensions ``axes``; runs move as whole vectors."""
        here, there = strides_of(source), strides_of(target)
        whole = [[Comb(0, 0, 1, 1, size)] for size in source.shape]
        combs = [self._combs[axis] if axis in axes else whole[axis] for axis in source.outer_axes]
        run   = Dim(source.pitch * self.ways, 1, 1)
        for chosen in product(*combs):
            pairs = list(zip(source.outer_axes, chosen, strict=True))
            dims  = [Dim(comb.count, comb.x_step * here[axis], comb.z_step * there[axis])
                     for axis, comb in pairs]
            yield ElementMove(source, target, tuple(merge_dims([*dims, run])),
                         sum(comb.x * here[axis] for axis, comb in pairs),
                         sum(comb.z * there[axis] for axis, comb in pairs))
