# SPDX-License-Identifier: Apache-2.0
"""Cut a pass into several passes with fewer outputs and smaller windows."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from xymac.hdl.isa import BANKS, AguMode, Axis, Move, Op, Reduce, Shape, bias_rows, records

from .waits import scalars_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.hdl.isa import Access, Pass

__all__ = ["COLS", "ROWS", "TILES", "can_cut", "cut_pass"]

TILES, ROWS, COLS = range(3)  #: The output loops, over tiles, rows and columns.
_INDEPENDENT = Op.MAC, Op.CROSS  #: Operations whose outputs are independent.


def can_cut(pass_: Pass, loop: int) -> bool:
    """Whether ``cut_pass`` can cut a pass along an output loop, ``TILES``, ``ROWS`` or ``COLS``.

    Passes that repeat, hold accumulators or reduce their results cannot be cut. Passes with
    parameters for the first tile only cannot be cut along ``TILES``.
    """
    accumulate, epilogue, control = pass_.accumulate, pass_.epilogue, pass_.control
    accesses = pass_.operands.x, pass_.operands.y, epilogue.z
    return (accumulate.op in _INDEPENDENT and not (accumulate.hold or accumulate.resume)
            and pass_.reduction.reduce is Reduce.NONE and not scalars_of(pass_)
            and not (control.repeat or control.back)
            and all((each.mode, each.move) == (AguMode.LINEAR, Move.NONE) for each in accesses)
            and pass_.loop.outer[loop] > 1 and not (loop == TILES and epilogue.once))


def cut_pass(pass_: Pass, loop: int, bounds: Sequence[int], ways: int) -> list[Pass]:
    """Passes for the loop indices between successive ``bounds``, which together replace ``pass_``.

    ``bounds`` ascend from 0 to the loop count; ``ways`` are the MACs per lane. ValueError for a
    pass that cannot be cut.
    """
    if not can_cut(pass_, loop):
        raise ValueError(f"Output loop {loop} of the pass cannot be cut")
    return [_part(pass_, loop, first, end - first, ways)
            for first, end in pairwise(bounds)]


def _part(pass_, loop, first, count, ways):
    """The part of a pass with ``count`` indices of an output loop from ``first`` on."""
    operands, epilogue, own = pass_.operands, pass_.epilogue, pass_.loop
    outer  = tuple(count if index == loop else size for index, size in enumerate(own.outer))
    unit   = BANKS if pass_.accumulate.op is Op.CROSS else 1
    beside = epilogue.beats - 1 if operands.x_shape is Shape.LANES else 0
    x, y, z = (replace(access, base=access.base + first * access.outer[loop])
               for access in (operands.x, operands.y, epilogue.z))
    fields = {"outer": outer, "x": _narrow(x, outer, own.taps, beside, unit),
              "y": _narrow(y, outer, own.taps),
              "z": _narrow(z, outer, (1, 1, 1), epilogue.beats - 1)}
    if loop in (ROWS, COLS):
        name = "rows" if loop == ROWS else "cols"
        fields[name] = _skip(getattr(own, name), first)
    if loop == TILES and pass_.accumulate.bias_row is not None:
        fields["bias_row"] = pass_.accumulate.bias_row + first * records(pass_) * bias_rows(ways)
    return replace(pass_, **fields)


def _skip(axis, first):
    """The padding clip without the first ``first`` outputs."""
    if not axis.step:
        return axis
    pad = axis.pad - first * axis.step
    return Axis(max(pad, 0), axis.step, axis.size + min(pad, 0))


def _narrow(access: Access, outer: Sequence[int], taps: Sequence[int], beside: int = 0,
            unit: int = 1) -> Access:
    """An access with its window reduced to the addresses its loops reach.

    Every step covers ``beside`` further addresses; window bounds are multiples of ``unit``.
    """
    reach = [(count - 1) * stride for count, stride in zip(
        (*outer, *taps), (*access.outer, *access.taps), strict=True)]
    low   = access.base + sum(min(0, each) for each in reach)
    high  = access.base + sum(max(0, each) for each in reach) + beside
    return replace(access, low=max(access.low, low // unit * unit),
                   high=min(access.high, high // unit * unit + unit - 1))
