"""Zeros around an image: a copy of what is inside, and zeros along each dimension."""

from dataclasses import replace

from golden.mli1 import Layout, Padding2d
from host.lower.sweep import Loop, copy, fill
from host.lower.tile import Tile, along, cut_evenly
from host.memory.layout import TensorLayout

from .copies import CopyLowering, check_outer

__all__ = ["PaddingLowering"]


class PaddingLowering(CopyLowering):
    """Zeros around an image."""

    layers = (Padding2d,)

    def source_layouts(self, preferred):
        """That whose output takes fewest groups, of those with one dimension in a run."""
        [x], ways = self.inputs, self.ways
        if preferred is not None and preferred.inner == 1 and len(preferred.parts) == 1:
            return (TensorLayout.of(x, preferred.order, ways),)
        channel = 0 if self.layer.layout is Layout.CHW else 2
        axes    = (channel, *(axis for axis in (2, 1, 0) if axis != channel))
        layouts = [TensorLayout.of(x, (*(other for other in range(3) if other != axis), axis), ways)
                   for axis in axes]
        return (min(layouts, key=lambda layout: self.target_layout((layout,)).groups),)

    def target_layout(self, sources):
        """In the order of the input; ValueError if that would take groups apart."""
        [source], widths = sources, self.layer.widths
        inner = source.order[3 - source.inner:]
        parts = source.parts
        if len(inner) == 1:
            before, after = widths[inner[0]]
            parts = tuple(part for part in (before, *parts, after) if part)
        elif any(map(any, (widths[axis] for axis in inner))):
            check_outer("Padding", inner, source)
        return replace(source.like(self.output), parts=parts)

    def cut(self, count, *, constants=False):
        """Rows of the input, the first and the last ones with what is beside them; columns where
        there is a single row."""
        [x], layer = self.inputs, self.layer
        rows = 1 if layer.layout is Layout.CHW else 0
        down = 0 if x.shape[rows] > 1 else 1
        axis = rows + down
        ranges = None if constants else cut_evenly(x.shape[axis], count)
        return ranges and [self._tile(down, axis, *range_) for range_ in ranges]

    def _tile(self, down, axis, first, end):
        """Indices ``first`` to ``end`` of a dimension of the input."""
        [x], pad     = self.inputs, list(self.layer.pad)
        before, last = pad[2 * down], end == x.shape[axis]
        start, stop  = (before + first if first else 0), end + before + last * pad[2 * down + 1]
        pad[2 * down:2 * down + 2] = 0 if first else before, last * pad[2 * down + 1]
        return Tile(replace(self.layer, pad=tuple(pad)), (along(x.shape, axis, first, end),),
                    along(self.output.shape, axis, start, stop))

    def passes(self, sources, target, constants):
        """Copy what is inside, and fill what is before and behind along each dimension."""
        [source], widths = sources, self.layer.widths
        axes  = source.outer_axes
        pads  = [widths[axis] for axis in axes]
        inner = widths[source.order[-1]] if source.inner == 1 else (0, 0)
        # Groups from one index to the next, and sizes, of the output's dimensions and its runs.
        steps = [*(target.step(axis) for axis in axes), 1]
        sizes = [*source.dims, source.pitch]
        pads.append(tuple(-(-width // self.ways) for width in inner))
        start = [0]
        for (before, _), step in zip(pads, steps, strict=True):
            start.append(start[-1] + before * step)

        loops  = [Loop(source.shape[axis], source.step(axis), 0, target.step(axis))
                  for axis in axes]
        zero   = self.zero(constants)
        passes = copy(source, target, self.one(constants), source.pitch, loops, z_offset=start[-1])
        for depth, ((before, after), step) in enumerate(zip(pads, steps, strict=True)):
            around = [Loop(loop.count, 0, 0, loop.z) for loop in loops[:depth]]
            behind = start[depth + 1] + sizes[depth] * step
            for width, offset in ((before, start[depth]), (after, behind)):
                if width:
                    passes += fill(source, target, zero, width * step, around, offset)
        return passes
