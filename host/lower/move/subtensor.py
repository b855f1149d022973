"""A part of a tensor as a copy of its groups."""

from dataclasses import replace
from itertools import accumulate
from math import prod

from golden.mli1 import Subtensor
from host.lower.sweep import Loop, copy
from host.memory.layout import TensorLayout

from .copies import CopyLowering, check_outer

__all__ = ["SubtensorLowering"]


class SubtensorLowering(CopyLowering):
    """A part of a tensor: some indices of a dimension, one of each in front of that."""

    layers = (Subtensor,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        [x] = inputs
        self._axis = len(layer.start) - 1
        steps = [prod(x.shape[axis + 1:]) for axis in range(len(layer.start))]
        # First element, and how many, in the flattened input.
        self._first = sum(index * step for index, step in zip(layer.start, steps, strict=True))
        self._count = layer.first_out_dim_size * steps[-1]

    def source_layouts(self, preferred):
        """That preferred with the dimensions that the output lacks in front, else flat in parts."""
        [x], axis = self.inputs, self._axis
        if preferred is not None and 0 in preferred.outer_axes:
            order = (*range(axis), *(other + axis for other in preferred.order))
            return (TensorLayout.of(x, order, self.ways, inner=preferred.inner,
                                    parts=preferred.parts),)
        parts = (self._first, self._count, x.data.size - self._first - self._count)
        return (TensorLayout.flat(x, self.ways, tuple(part for part in parts if part)),)

    def target_layout(self, sources):
        """A part of the input, or in its order; ValueError if that would take groups apart."""
        [source], axis = sources, self._axis
        if self._flat_part(source) is not None:
            return TensorLayout.flat(self.output, self.ways)
        check_outer("Subtensor", range(axis + 1), source)
        order = tuple(other - axis for other in source.order if other >= axis)
        return replace(source.like(self.output), order=order)

    def passes(self, sources, target, constants):
        """A copy of a part, or of some runs."""
        [source], axis, one = sources, self._axis, self.one(constants)
        offset = self._flat_part(source)
        if offset is not None:
            return copy(source, target, one, target.groups, x_offset=offset)
        offset = sum(index * source.step(other) for other, index in enumerate(self.layer.start))
        loops  = [Loop(self.layer.first_out_dim_size if other == axis else source.shape[other],
                       source.step(other), 0, target.step(other - axis))
                  for other in source.outer_axes if other >= axis]
        return copy(source, target, one, source.pitch, loops, x_offset=offset)

    def _flat_part(self, source):
        """Groups before the part of a flat layout that is the output, or None if there is none."""
        if source.inner != len(source.order) or source.order != tuple(range(source.inner)):
            return None
        starts = list(accumulate(source.parts, initial=0))
        if self._first not in starts[:-1] or (
                source.parts[starts.index(self._first)] != self._count):
            return None
        return sum(-(-part // self.ways) for part in source.parts[:starts.index(self._first)])
