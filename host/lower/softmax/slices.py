# SPDX-License-Identifier: Apache-2.0
"""Sums along a tensor dimension: each is over a layout run, and a single loop computes all."""

from dataclasses import replace

from xymac.hdl.isa import Memory, Move, Width
from xymac.host.lower.orders import refuse_layout
from xymac.host.memory.layout import TensorLayout

__all__ = ["count_slices", "first_run", "refuse_runs", "repeat_for_runs", "run_layout"]


def count_slices(axis, x):
    """Count of separate sums in a tensor, along ``axis`` or, if ``axis`` is -1, over all elements.
    """
    return 1 if axis < 0 else x.data.size // x.shape[axis]


def run_layout(axis, x, ways):
    """Layout of ``x``, not placed: a single run, or a run for each sum if there are several."""
    if count_slices(axis, x) == 1:
        return TensorLayout.flat(x, ways)
    others = [other for other in range(len(x.shape)) if other != axis]
    return TensorLayout.of(x, (*others, axis), ways)


def refuse_runs(axis, source):
    """The Refusal for a source whose runs are not the elements of each sum."""
    return refuse_layout(f"The layer sums along dimension {axis}, its input of shape "
                         f"{source.shape} lies in the order {source.order}, {source.inner} of them "
                         f"together")


def first_run(layout):
    """The first run of a TensorLayout as a TensorLayout."""
    count = sum(layout.parts)
    return replace(layout, shape=(count,), order=(0,), inner=1)


def repeat_for_runs(passes, count, pitch, layouts):
    """Passes repeated for every further run of ``layouts`` in X, ``pitch`` vectors apart.

    ``layouts`` are the first runs; other accesses do not move.
    """
    def move(access, bits, memory):
        high = access.high + (count - 1) * pitch
        runs = memory is Memory.X and any(
            layout.bits == bits and layout.base <= access.base < layout.base + layout.groups
            for layout in layouts)
        return replace(access, high=high, move=Move.FIRST) if runs else access

    result = [replace(pass_, x=move(pass_.operands.x, _bits(pass_.operands.x_width), Memory.X),
                      z=move(pass_.epilogue.z, _bits(pass_.epilogue.z_width),
                             pass_.epilogue.z_memory)) for pass_ in passes]
    result[-1] = replace(result[-1], back=len(result) - 1, repeat=count - 1, advance=(pitch, 0))
    return result


def _bits(width):
    return 8 if width is Width.BITS8 else 16
