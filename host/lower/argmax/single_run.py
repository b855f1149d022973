# SPDX-License-Identifier: Apache-2.0
"""Largest element positions for a tensor laid out as a single run, each in its own vector."""

from dataclasses import replace

from xymac.host.ir.operation import Operation
from xymac.host.ir.places import Ranking
from xymac.host.lower.base import Lowering
from xymac.host.lower.orders import refuse_layout
from xymac.host.lower.search import Search
from xymac.host.memory.layout import TensorLayout

__all__ = ["SingleRunLowering", "search_places"]


def search_places(form, x, output):
    """The ``Search`` for a Ranking of the elements of a Tensor like ``x``.

    The search is in parts where all elements have the same format. If positions in heap order come
    first in a tensor, further elements enter the same heap.
    """
    axis = -1 if form.axis is None else form.axis
    if getattr(x.format, "dim", -1) >= 0:
        return Search(axis)
    whole, heap = (Operation(replace(form, axis=None, is_sorted=each), (1, form.count), output)
                   for each in (True, False))
    return Search(axis, whole, None if form.count == 1 else heap)


class SingleRunLowering(Lowering):
    """Lowering for a Ranking whose tensor is a single slice."""

    forms = (Ranking,)

    @property
    def search(self):
        """By dimension indices, or in parts."""
        return search_places(self.form, self.inputs[0], self.output)

    def source_layouts(self, preferred):
        """As a single run."""
        return (TensorLayout.flat(self.inputs[0], self.ways),)

    def refuses(self, sources):
        """An input in several pieces, or in another order than that of the positions."""
        [source] = sources
        order = [axis for axis in source.order if source.shape[axis] > 1]
        if len(source.parts) > 1 or source.groups != source.pitch:
            return refuse_layout(f"The input must be contiguous, not in pieces {source.parts}")
        if order != sorted(order):
            return refuse_layout(f"The input must lie in the order of its positions, not in the "
                                 f"order {source.order}")
        return None

    def target_layout(self, sources):
        """Positions as 32-bit integers."""
        return TensorLayout.of(self.output, (1, 0), self.ways)
