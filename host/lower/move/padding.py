# SPDX-License-Identifier: Apache-2.0
"""Padding: a tensor copy, and fills before and after it along each dimension."""

from dataclasses import replace
from math import prod

import numpy as np

from xymac.hdl.isa import BANKS, CELL_BITS
from xymac.host.ir.move import Padding
from xymac.host.ir.tile import cut_evenly, longest
from xymac.host.lower.orders import refuse_inner
from xymac.host.lower.sweep import Loop, copy, fill
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.packing import to_cells

from .copies import CopyLowering
from .run_move import RunMove

__all__ = ["PaddingLowering"]


class PaddingLowering(CopyLowering):
    """Padding with a constant."""

    forms = (Padding,)

    def __init__(self, layer, inputs, ways):
        super().__init__(layer, inputs, ways)
        self._widths, self._value = self.form.widths, self.form.value

    @classmethod
    def takes(cls, layer, inputs):
        """Elements up to 16 bits."""
        return inputs[0].bits <= CELL_BITS

    def source_layouts(self, preferred):
        """The layout with a single run dimension whose output needs the fewest vectors."""
        [x], ways = self.inputs, self.ways
        if preferred is not None and preferred.inner == 1 and len(preferred.parts) == 1:
            return (TensorLayout.of(x, preferred.order, ways),)
        rank    = len(x.shape)
        channel = 0 if self.form.rows else rank - 1
        axes    = sorted(range(rank), key=lambda axis: (axis != channel, -axis))
        layouts = [TensorLayout.of(x, (*(other for other in range(rank) if other != axis), axis),
                                   ways) for axis in axes]
        return (min(layouts, key=lambda layout: self.target_layout((layout,)).groups,
                    default=TensorLayout.flat(x, ways)),)

    def refuses(self, sources):
        """Runs of several dimensions that padding would split."""
        [source] = sources
        inner = source.order[len(source.order) - source.inner:]
        if self._runs_of(source) or len(inner) == 1 or not any(map(any, (
                self._widths[axis] for axis in inner))):
            return None
        return refuse_inner("Padding", inner, source)

    def target_layout(self, sources):
        """The input's order."""
        [source], widths = sources, self._widths
        inner = source.order[len(source.order) - source.inner:]
        parts = source.parts
        if self._runs_of(source):
            parts = (sum(parts) + sum(widths[inner[0]]),)
        elif len(inner) == 1:
            before, after = widths[inner[0]]
            parts = tuple(part for part in (before, *parts, after) if part)
        return replace(source.like(self.output), parts=parts)

    def tile_axes(self):
        """Image rows, columns of a single row, else the longest dimension of the input."""
        [x], down = self.inputs, self.form.rows
        if down is None:
            return longest(x.shape)
        return [(down if x.shape[down] > 1 else down + 1, 1)]

    def tile_ranges(self, axis, count, unit):
        """Ranges of the input; the first and the last range include their padding."""
        before, size = self._widths[axis][0], self.inputs[0].shape[axis]
        parts = cut_evenly(size, count, unit)
        return parts and [(before + first if first else 0,
                           before + end if end < size else self.output.shape[axis])
                          for first, end in parts]

    def _runs_of(self, source):
        """RunMove along the innermost dimension of the TensorLayout ``source``, or None.

        None if this dimension has no padding, if its runs have several parts, or if copies are
        faster, as on a core without parallel products.
        """
        axis  = source.order[-1] if source.order else 0
        wider = source.inner == 1 and len(source.parts) == 1 and any(self._widths[axis])
        if not wider or not self.parallel or (self._value and source.bits > 8):
            return None
        count = 1
        for other in reversed(source.outer_axes):
            count *= source.shape[other]
            if any(self._widths[other]):
                break
        before, after = self._widths[axis]
        runs   = RunMove.of_padding(source.shape[axis], before, after, apart=source.distance,
                                count=count, ways=self.ways)
        groups = (-(-size // self.ways) for size in (before, source.shape[axis], after))
        plain  = count * sum(BANKS * -(-held // BANKS) for held in groups)
        return runs if runs.cycles <= plain else None

    def constants(self, sources):
        """Weights 1 for copies and 0 for fills, then RunMove weights to route elements to other
        lanes.
        """
        constants, runs = super().constants(sources), self._runs_of(sources[0])
        if runs is None:
            return constants
        cells = to_cells(runs.words, 8, constants.row_cells)
        return replace(constants, weights=np.concatenate([constants.weights, cells]))

    def passes(self, sources, target, constants):
        """Copy the tensor, and fill before and after it along each dimension."""
        [source], widths = sources, self._widths
        axes  = source.outer_axes
        pads  = [widths[axis] for axis in axes]
        runs  = self._runs_of(source)
        inner = widths[source.order[-1]] if source.inner == 1 and runs is None else (0, 0)
        # Address strides in vectors, and sizes, for the output's dimensions and runs.
        steps = [*(target.step(axis) for axis in axes), 1]
        sizes = [*source.dims, source.pitch if runs is None else target.pitch]
        pads.append(tuple(-(-width // self.ways) for width in inner))
        start = [0]
        for (before, _), step in zip(pads, steps, strict=True):
            start.append(start[-1] + before * step)

        loops  = [Loop(source.shape[axis], source.step(axis), 0, target.step(axis))
                  for axis in axes]
        zero   = self.zero(constants)
        passes = (copy(source, target, self.one(constants), source.pitch, loops, z_offset=start[-1])
                  if runs is None else self._move_runs(runs, source, target, loops, start[-1],
                                                       constants))
        for depth, ((before, after), step) in enumerate(zip(pads, steps, strict=True)):
            around = [Loop(loop.count, 0, 0, loop.z) for loop in loops[:depth]]
            behind = start[depth + 1] + sizes[depth] * step
            for width, offset in ((before, start[depth]), (after, behind)):
                if width:
                    passes += self._set_value(fill(source, target, zero, width * step, around,
                                                   offset))
        return passes

    def _move_runs(self, runs, source, target, loops, offset, constants):
        """Passes for the runs and the padding around their elements."""
        whole = 0
        while whole < len(loops) and prod(loop.count for loop in loops[whole:]) > runs.count:
            whole += 1
        words = constants.word(2, 8, 1, runs.words.size // constants.row_cells)
        return runs.passes(source, target, words, loops[:whole], offset, self._value)

    def _set_value(self, passes):
        """Passes of zeros changed to write the padding value."""
        if not self._value:
            return passes
        return [replace(pass_, zero=self._value, clip=(0, 0)) for pass_ in passes]
