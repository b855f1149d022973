# SPDX-License-Identifier: Apache-2.0
"""Places of a whole tensor that lies as a single run, each place in a group of its own."""

from dataclasses import replace

from xymac.golden.mli2 import ArgMax
from xymac.host.lower.base import Lowering
from xymac.host.lower.search import Search
from xymac.host.memory.layout import TensorLayout

__all__ = ["HeapOrder", "SingleRunLowering", "search_places"]


class HeapOrder(ArgMax):
    """An ``ArgMax`` of passes alone: the same places in the order of the heap, the smallest first.

    With the elements of these in front, what follows goes into that very heap.
    """


def search_places(layer, x):
    """The ``Search`` of a layer that ranks elements of a QuantTensor like ``x``: in parts where
    elements have one format."""
    if getattr(x.format, "dim", -1) >= 0:
        return Search(layer.axis)
    single = layer.topk == 1
    return Search(layer.axis, replace(layer, axis=-1),
                  None if single else HeapOrder(layer.topk))


class SingleRunLowering(Lowering):
    """What is asked of a tensor as one slice."""

    @property
    def search(self):
        """By indices of the dimension, or in parts."""
        return search_places(self.layer, self.inputs[0])

    def source_layouts(self, preferred):
        """As a single run."""
        return (TensorLayout.flat(self.inputs[0], self.ways),)

    def target_layout(self, sources):
        """Places of 32 bits.

        ValueError if the input lies in several parts.
        """
        [source] = sources
        if len(source.parts) > 1 or source.groups != source.pitch:
            raise ValueError(f"The input must lie in one piece, not in {source.parts}")
        return TensorLayout.of(self.output, (1, 0), self.ways)
