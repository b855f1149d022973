"""A part of a tensor: some indices of a dimension, one of each in front of that."""

from dataclasses import replace

from golden.mli1 import Subtensor
from host.lower.base import Lowering
from host.lower.tile import Tile, along, cut_evenly, whole
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

    def cut(self, count, *, constants=False):
        """Along the longest dimension, of the input nothing but what the output has of that and of
        those in front."""
        output = self.output
        axis   = max(range(len(output.shape)), key=lambda axis: output.shape[axis])
        ranges = None if constants else cut_evenly(output.shape[axis], count)
        return ranges and [self._tile(axis, *range_) for range_ in ranges]

    def _tile(self, axis, first, end):
        """Indices ``first`` to ``end`` of a dimension of the output."""
        [x], layer, cut = self.inputs, self.layer, self._axis
        source = list(whole(x.shape))
        for front, begin in enumerate(layer.start):
            source[front] = slice(begin, begin + (1 if front < cut else layer.first_out_dim_size))
        begin = source[cut + axis].start
        source[cut + axis] = slice(begin + first, begin + end)
        size  = source[cut].stop - source[cut].start
        layer = replace(layer, start=(0,) * len(layer.start), first_out_dim_size=size)
        return Tile(layer, (tuple(source),), along(self.output.shape, axis, first, end))

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
        return choose_moves([pair_part(source, target, x=first, axes=axes)], compact=self.compact)
