# SPDX-License-Identifier: Apache-2.0
"""Permutations of dimensions: the same elements with renamed dimensions."""

from dataclasses import replace

import numpy as np

from xymac.hdl.isa import BANKS
from xymac.host.ir.move import Permutation
from xymac.host.lower.base import Lowering
from xymac.host.memory.constants import Constants
from xymac.host.memory.layout import TensorLayout

__all__ = ["PermuteLowering"]


class PermuteLowering(Lowering):
    """A permutation of dimensions. If the memory order matters, a reordering follows."""

    forms   = (Permutation,)
    is_view = True

    def source_layouts(self, preferred):
        """The preferred output layout with renamed dimensions, else flat."""
        [x] = self.inputs
        if preferred is None:
            return (TensorLayout.flat(x, self.ways),)
        order = tuple(self.form.order[axis] for axis in preferred.order)
        return (TensorLayout.of(x, order, self.ways, inner=preferred.inner,
                                parts=preferred.parts),)

    def target_layout(self, sources):
        """The input's layout with renamed dimensions."""
        [source] = sources
        return self.view_of((replace(source.like(self.inputs[0]), memory=source.memory),))

    def view_of(self, sources):
        """Output layout over the input's memory."""
        [source] = sources
        return replace(source, shape=self.output.shape, before=0, behind=0,
                       order=tuple(map(self.form.order.index, source.order)))

    def constants(self, sources):
        """None."""
        return Constants(np.zeros(0, np.uint16), BANKS * self.ways ** 2)

    def passes(self, sources, target, constants):
        """None."""
        return []
