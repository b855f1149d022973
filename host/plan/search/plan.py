# SPDX-License-Identifier: Apache-2.0
"""Plan an argmax search in a tensor larger than X, in sequential parts.

A part is a range along the axis, or a range of elements at a single axis index. In the second case
the parts' largest elements form a tensor for a final search. The host moves elements and adds each
part's offset to its indices.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from xymac.host.errors import Refusal
from xymac.host.executable.steps import COPY, TAKE
from xymac.host.ir.tile import along, cut_evenly

from ..emit import Ends
from ..plan import Plan
from .emit import add_part, add_values, emit_search
from .ranks import plan_ranks
from .step import SearchStep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xymac.hdl.config import CoreConfig
    from xymac.host.executable.builder import Builder
    from xymac.host.lower.base import Lowering
    from xymac.host.lower.search import Search

    from ..graph import Node
    from .ranks import RankPlan

__all__ = ["SearchPlan", "plan_search"]


def plan_search(config: CoreConfig, node: Node, lowering: Lowering, *,
                c_order: bool) -> SearchPlan | RankPlan | None:
    """A layer's SearchPlan or RankPlan, or None if even the smallest parts do not fit.

    Parameters
    ----------
    config : CoreConfig
    node : Node, whose layer does not fit X
    lowering : its Lowering, which has a ``search``
    c_order : bool, see ``Plan``
    """
    [x], search = lowering.inputs, cast("Search", lowering.search)

    def plan(layer, part):
        return Plan.of(config, [replace(node, layer=layer, sources=(0,))], part, c_order=c_order)

    count  = 1 if search.axis < 0 else x.shape[search.axis]
    ranges = _fewest(count, lambda first, end: [
        plan(node.layer, x.take(along(x.shape, search.axis, first, end)))])
    if count > 1 and ranges is not None:
        return SearchPlan(lowering, ranges)
    if search.whole is None:
        return None
    if search.heap is not None:
        return plan_ranks(plan, lowering)

    def plan_part(first, end):
        parts = -(-size // (end - first))
        return [plan(search.whole, replace(x, data=np.zeros(length, x.data.dtype)))
                for length in (end - first, parts)]

    size   = x.data.size // count
    ranges = _fewest(size, plan_part)
    return None if ranges is None else SearchPlan(lowering, ranges, in_parts=True)


def _fewest(size, plan):
    """Dict, (first, end) to a Plan list: the fewest fitting ranges of ``size``; None if no range
    fits. ``plan`` returns a list of Plans or Refusals.
    """
    for parts in range(2, size + 1):
        ranges, plans = cast("list[tuple[int, int]]", cut_evenly(size, parts)), {}
        for first, end in sorted(ranges, key=lambda each: each[0] - each[1]):
            if end - first not in plans:
                plans[end - first] = plan(first, end)
            if any(isinstance(each, Refusal) for each in plans[end - first]):
                break
        else:
            return {each: plans[each[1] - each[0]] for each in ranges}
    return None


class SearchPlan:
    """Plan of a search layer in parts; see ``Planned``.

    Parameters
    ----------
    lowering : Lowering of the whole layer
    ranges : dict, (first, end) to Plans: a single Plan for axis indices; with ``in_parts`` two
        Plans for elements at each index, first for the part, then for the parts' largest elements
    in_parts : bool, ranges count elements at each axis index
    """

    states, cell_blanks = ((),), {}

    def __init__(self, lowering: Lowering, ranges: Mapping[tuple[int, ...], Sequence[Plan]], *,
                 in_parts: bool = False) -> None:
        self._search, self._output = cast("Search", lowering.search), lowering.output
        [self._x] = lowering.inputs
        self._ranges, self._in_parts = ranges, in_parts
        plans = [first for first, *_ in ranges.values()]
        if in_parts:
            [*_, (_, last)] = ranges.values()
            plans = [*plans, last] * self._output.shape[0]
        self.program  = tuple(pass_ for plan in plans for pass_ in plan.program)
        self.segments = tuple(segment for plan in plans for segment in plan.segments)
        self.steps    = (SearchStep.of(plans, f"searched in {len(ranges)} parts"),)

    def emit(self, builder: Builder, ends: Ends, *, alone: bool = False) -> None:
        """See ``Planned``."""
        [(source, slices)], [(_, target, part)] = ends.sources, ends.targets
        x       = self._x
        source  = add_part(builder, x, source, slices)
        result  = builder.add_value(self._output)
        axis    = self._search.axis
        places  = np.arange(x.data.size).reshape(x.shape)
        if self._in_parts:
            indices = [(...,)] if axis < 0 else [(*(slice(None),) * axis, index)
                                                 for index in range(x.shape[axis])]
            for row, at in enumerate(indices):
                self._emit_parts(builder, source, places[at].ravel(), result, slice(row, row + 1))
        else:
            for (first, end), [plan] in self._ranges.items():
                taken = along(x.shape, axis, first, end)
                emit_search(plan, builder, (source, taken), places[taken].ravel(), result,
                            slice(first, end) if axis >= 0 else slice(None))
        builder.compute(COPY, (result,), target, part)

    def _emit_parts(self, builder, source, places, result, row):
        """Search ``places`` in parts and store the largest element's index in a result row.
        """
        best = builder.add_indices(len(self._ranges))
        for index, ((first, end), [plan, _]) in enumerate(self._ranges.items()):
            values = add_values(builder, self._x, source, places[first:end])
            emit_search(plan, builder, (values, ()), places[first:end], best,
                        slice(index, index + 1))
        [*_, (_, last)] = self._ranges.values()
        values = builder.add_value(replace(self._x, data=np.zeros(
            len(self._ranges), self._x.data.dtype)))
        builder.compute(TAKE, (source, best), values)
        found  = builder.add_value(last.blanks[0])
        last.emit(builder, Ends(((values, ()),), ((0, found, ()),)))
        builder.compute(TAKE, (best, found), result, (row,))
