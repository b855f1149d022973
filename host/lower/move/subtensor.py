"""A part of a tensor: some indices of a dimension, one of each in front of that."""

from golden.mli1 import Subtensor
from host.lower.base import Lowering
from host.memory.layout import TensorLayout

from .choice import choose_moves
from .strides import pair_part, strides_of

__all__ = ["SubtensorLowering"]


class SubtensorLowering(Lowering):
    """A part of a tensor, moved to where it lies by itself."""

    layers = (Subtensor,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self._axis = len(layer.start) - 1

    def source_layouts(self, preferred):
        """That preferred with the dimensions that the output lacks in front, else flat."""
        [x], axis = self.inputs, self._axis
        if preferred is not None and 0 in preferred.outer_axes:
            order = (*range(axis), *(other + axis for other in preferred.order))
            return (TensorLayout.of(x, order, self.ways, inner=preferred.inner,
                                    parts=preferred.parts),)
        return (TensorLayout.flat(x, self.ways),)

    def target_layout(self, sources):
        """In the order of the input; ValueError if runs of that have several parts."""
        [source], axis = sources, self._axis
        inside = source.order[len(source.order) - source.inner:]
        if len(source.parts) > 1:
            raise ValueError(f"Subtensor cannot cut an input that lies in pieces of "
                             f"{source.parts} elements")
        return TensorLayout.of(
            self.output, [other - axis for other in source.order if other >= axis], self.ways,
            inner=sum(other >= axis for other in inside))

    def constants(self, sources):
        """What the move needs."""
        [source] = sources
        [move]   = self._moves(source, self.target_layout(sources))
        return move.constants(self.ways)

    def passes(self, sources, target, constants):
        """Those of one move."""
        [source] = sources
        [move]   = self._moves(source, target)
        return move.passes(constants)

    def _moves(self, source, target):
        steps = strides_of(source)
        first = sum(index * steps[axis] for axis, index in enumerate(self.layer.start))
        axes  = range(self._axis, len(source.shape))
        return choose_moves([pair_part(source, target, x=first, axes=axes)])
