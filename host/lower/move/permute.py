"""A permutation of dimensions as one copy: the order in memory is another, so elements stay."""

from dataclasses import replace

from golden import mli1, mli2
from host.lower.sweep import copy
from host.memory.layout import TensorLayout

from .copies import CopyLowering

__all__ = ["PermuteLowering"]


class PermuteLowering(CopyLowering):
    """A permutation of dimensions."""

    layers = (mli1.Permute, mli2.Permute)

    def source_layouts(self, preferred):
        """As the output is preferred, the dimensions by their other names; else flat."""
        [x] = self.inputs
        if preferred is None:
            return (TensorLayout.flat(x, self.ways),)
        order = tuple(self.layer.order[axis] for axis in preferred.order)
        return (TensorLayout.of(x, order, self.ways, inner=preferred.inner,
                                parts=preferred.parts),)

    def target_layout(self, sources):
        """As the input, the dimensions by their other names."""
        [source] = sources
        return replace(source.like(self.output),
                       order=tuple(map(self.layer.order.index, source.order)))

    def passes(self, sources, target, constants):
        """A copy of all groups."""
        [source] = sources
        return copy(source, target, self.one(constants), source.groups)
