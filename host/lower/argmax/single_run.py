# SPDX-License-Identifier: Apache-2.0
"""Positions of the largest elements of a tensor laid out as a single run, each in its own vector.
"""

from dataclasses import replace

from xymac.golden.mli2 import ArgMax
from xymac.host.lower.base import Lowering
from xymac.host.lower.search import Search
from xymac.host.memory.layout import TensorLayout

__all__ = ["HeapOrder", "SingleRunLowering", "search_places"]


class HeapOrder(ArgMax):
    """An ``ArgMax`` computed by passes alone: the same positions in heap order, the smallest first.

    If its results come first in a tensor, further elements enter the same heap.
    """


def search_places(layer, x):
    """The ``Search`` of a layer that ranks the elements of a QuantTensor like ``x``.

    The search is in parts where all elements have the same format.
    """
    if getattr(x.format, "dim", -1) >= 0:
        return Search(layer.axis)
    single = layer.topk == 1
    return Search(layer.axis, replace(layer, axis=-1),
                  None if single else HeapOrder(layer.topk))


class SingleRunLowering(Lowering):
    """Lowering of an ``ArgMax`` whose tensor is a single slice."""

    @property
    def search(self):
        """By dimension indices, or in parts."""
        return search_places(self.layer, self.inputs[0])

    def source_layouts(self, preferred):
        """As a single run."""
        return (TensorLayout.flat(self.inputs[0], self.ways),)

    def target_layout(self, sources):
        """Positions as 32-bit integers."""
        [source] = sources
        if len(source.parts) > 1 or source.groups != source.pitch:
            raise ValueError(f"The input must lie in one piece, not in {source.parts}")
        return TensorLayout.of(self.output, (1, 0), self.ways)
