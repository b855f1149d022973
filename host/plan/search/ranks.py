# SPDX-License-Identifier: Apache-2.0
"""Plan a top-k search in a tensor larger than X: a heap carried from part to part.

Each part's input is the heap's elements, in heap order, followed by the next elements. The host
moves elements and tracks their indices.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from xymac.host.errors import Refusal
from xymac.host.executable.steps import COPY, TAKE

from ..emit import Ends
from .emit import add_part
from .step import SearchStep

if TYPE_CHECKING:
    from collections.abc import Callable

    from xymac.host.executable.builder import Builder
    from xymac.host.lower.base import Lowering
    from xymac.host.lower.search import Search
    from xymac.host.plan.plan import Plan

__all__ = ["RankPlan", "plan_ranks"]


def plan_ranks(plan: Callable, lowering: Lowering) -> RankPlan | None:
    """The RankPlan with the fewest parts, or None if no part size fits.

    Parameters
    ----------
    plan : function from a layer and a Tensor to their Plan or a Refusal
    lowering : Lowering of the whole layer, whose ``search`` has a ``heap``
    """
    [x], search = lowering.inputs, cast("Search", lowering.search)
    slices, kept = lowering.output.shape
    further = x.data.size // slices - kept

    def plan_part(layer, count):
        return plan(layer, replace(x, data=np.zeros(kept + count, x.data.dtype)))

    def plan_parts(count):
        return plan_part(search.heap, count), plan_part(search.whole, (further - 1) % count + 1)

    sizes = [-(-further // parts) for parts in range(2, further + 1)]
    for count in dict.fromkeys(sizes if _fits(plan_parts, 1) else ()):
        if plans := _fits(plan_parts, count):
            return RankPlan(lowering, count, *plans)
    return None


def _fits(plan_parts, count):
    """Plans for a part size, or None if they do not fit."""
    plans = plan_parts(count)
    return None if any(isinstance(plan, Refusal) for plan in plans) else plans


class RankPlan:
    """Plan of a ranking layer in parts; see ``Planned``.

    Parameters
    ----------
    lowering : Lowering of the whole layer
    count : int, elements per part in addition to the heap
    heap, last : Plans, for all parts but the last and for the last part
    """

    states, cell_blanks = ((),), {}

    def __init__(self, lowering: Lowering, count: int, heap: Plan, last: Plan) -> None:
        self._axis, self._output = cast("Search", lowering.search).axis, lowering.output
        [self._x] = lowering.inputs
        self._count, self._heap, self._last = count, heap, last
        slices, self._kept = self._output.shape
        parts = -(-(lowering.inputs[0].data.size // slices - self._kept) // count)
        plans = ([heap] * (parts - 1) + [last]) * slices
        self.program  = tuple(pass_ for plan in plans for pass_ in plan.program)
        self.segments = tuple(segment for plan in plans for segment in plan.segments)
        self.steps    = (SearchStep.of(plans, f"searched in {parts} parts"),)

    def emit(self, builder: Builder, ends: Ends, *, alone: bool = False) -> None:
        """See ``Planned``."""
        [(source, slices)], [(_, target, part)] = ends.sources, ends.targets
        source = add_part(builder, self._x, source, slices)
        result = builder.add_value(self._output)
        places = np.arange(self._x.data.size).reshape(self._x.shape)
        every  = [places] if self._axis < 0 else np.moveaxis(places, self._axis, 0)
        for row, own in enumerate(every):
            self._emit_slice(builder, source, own.ravel(), result, slice(row, row + 1))
        builder.compute(COPY, (result,), target, part)

    def _emit_slice(self, builder, source, places, result, row):
        """Store the sorted top indices among ``places`` in a result row."""
        held = builder.add_constant(places[:self._kept])
        for first in range(self._kept, places.size, self._count):
            further = places[first:first + self._count]
            part = builder.add_constant(np.concatenate([places[:self._kept], further]))
            builder.compute(COPY, (held,), part, (slice(0, self._kept),))
            values = builder.add_value(replace(self._x, data=np.zeros(
                self._kept + len(further), self._x.data.dtype)))
            builder.compute(TAKE, (source, part), values)
            plan  = self._heap if first + self._count < places.size else self._last
            found = builder.add_value(plan.blanks[0])
            plan.emit(builder, Ends(((values, ()),), ((0, found, ()),)))
            held = builder.add_indices(self._kept)
            builder.compute(TAKE, (part, found), held)
        builder.compute(COPY, (held,), result, (row,))
