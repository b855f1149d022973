# SPDX-License-Identifier: Apache-2.0
"""Places of largest elements of a tensor that X cannot hold: found in parts, one after the other.

Some indices of the dimension are searched together, or the elements of one index in parts. Of these
the largest are a tensor that is searched like any other. The host moves elements, and counts from
where a part begins.
"""

from dataclasses import replace

import numpy as np

from xymac.host.ir.tile import along, cut_evenly

from ..graph import Node
from ..plan import Plan
from ..rows import AllocationError
from ..step import PlanRun
from .ranks import plan_ranks
from .runs import Runs, SearchStep

__all__ = ["SearchPlan", "plan_search"]


def plan_search(config, node, lowering, *, c_order):
    """The SearchPlan of a layer, or None where not even the smallest parts fit.

    Parameters
    ----------
    config : CoreConfig
    node : Node, whose layer X cannot hold
    lowering : its Lowering, which has a ``search``
    c_order : bool, see ``Plan``
    """
    [x], search = lowering.inputs, lowering.search

    def plan(layer, part):
        return Plan(config, [Node(layer, (0,), node.name)], part, c_order=c_order)

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
    """As few ranges of ``size`` as can be planned, with the Plans by their lengths: {(first, end):
    list of Plan}; None if there are none."""
    for parts in range(2, size + 1):
        ranges, plans = cut_evenly(size, parts), {}
        try:
            for first, end in sorted(ranges, key=lambda each: each[0] - each[1]):
                if end - first not in plans:
                    plans[end - first] = plan(first, end)
        except AllocationError:
            continue
        return {each: plans[each[1] - each[0]] for each in ranges}
    return None


class SearchPlan:
    """What a Plan is, of a layer that is searched in parts.

    Parameters
    ----------
    lowering : Lowering of the whole
    ranges : dict from ranges (first, end) to lists of Plans: of indices of the dimension, one; or
        with ``in_parts`` of elements of each index, two, that of the part and that of the largest
    """

    states = ((),)

    def __init__(self, lowering, ranges, *, in_parts=False):
        self._search, self._output = lowering.search, lowering.output
        self._ranges, self._in_parts = ranges, in_parts
        plans = [first for first, *_ in ranges.values()]
        if in_parts:
            [*_, (_, last)] = ranges.values()
            plans = [*plans, last] * self._output.shape[0]
        self.program  = tuple(pass_ for plan in plans for pass_ in plan.program)
        self.segments = tuple(segment for plan in plans for segment in plan.segments)
        self.steps    = (SearchStep.of(plans, f"searched in {len(ranges)} parts"),)

    def load(self, device):
        """Nothing: every part is loaded when its turn comes."""

    def run(self, device, x, states=None):
        """Run on a Tensor; returns a PlanRun. There are no ``states``; errors are those of
        ``Plan``."""
        search  = Runs(device)
        axis    = self._search.axis
        places  = np.arange(x.data.size).reshape(x.shape)
        indices = [(...,)] if axis < 0 else [(*(slice(None),) * axis, index)
                                             for index in range(x.shape[axis])]
        if self._in_parts:
            rows = [self._find(search, x, x.data[at].ravel(), places[at].ravel())
                    for at in indices]
        else:
            rows = [row for (first, end), [plan] in self._ranges.items()
                    for slices in [along(x.shape, axis, first, end)]
                    for row in places[slices].ravel()[search.run(plan, x.take(slices))]]
        data = np.array(rows, self._output.data.dtype).reshape(self._output.shape)
        return PlanRun((replace(self._output, data=data),), (search.overflow,), search.result,
                       (None,), self.states)

    def _find(self, search, x, values, places):
        """The place of the largest of some elements, which are searched in parts."""
        best = []
        for (first, end), [plan, _] in self._ranges.items():
            [place] = search.run(plan, replace(x, data=values[first:end])).ravel()
            best.append(first + place)
        [*_, (_, last)] = self._ranges.values()
        [part] = search.run(last, replace(x, data=values[best])).ravel()
        return places[best[part]]
