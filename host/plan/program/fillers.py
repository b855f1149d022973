# SPDX-License-Identifier: Apache-2.0
"""Work in place of waits: later passes that depend on nothing new move ahead.

A pass that waits for results of the pass before is idle for the depth of the pipeline. A later pass
that neither needs nor disturbs anything in between takes these cycles if it comes before the
waiting pass. Copies of a state, beside the matrices of a streaming network, are such passes. A long
copy is cut, so that it fills several waits.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from xymac.hdl.isa import BANKS, Adjust, AguMode, Axis, Op, Reduce
from xymac.host.cycles.model import predict

from .flow import PassScoreboard
from .footprint import Footprint
from .waits import scalars_of, set_waits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.hdl.config import CoreConfig
    from xymac.hdl.isa import Pass

__all__ = ["fill_waits", "may_move"]

_REACH = 8  #: Passes behind a waiting pass to look for work.
_MOST  = 3  #: Passes to move ahead of it.
_NEAR  = 4  #: Passes before and behind a changed place that its cycles are compared with.


def fill_waits(passes: Sequence[Pass], config: CoreConfig) -> list[tuple[int, Pass]]:
    """The passes in the order to run them, each with its index in ``passes``.

    Passes of a loop, and passes with held sums or scalars, keep their places, and no pass moves
    across a loop. The order is unchanged if the cycle model finds no faster program. A pass may
    come in two parts, with the same index.
    """
    unchanged = [*enumerate(passes)]
    if not 2 < len(passes) < config.passes:
        return unchanged
    order = _Order(unchanged, config)
    order.fill()
    made = order.pairs
    if len(made) > config.passes or _cycles(made, config) >= _cycles(unchanged, config):
        return unchanged
    return made


class _Order:
    """Passes with their indices, in an order that changes.

    Parameters
    ----------
    pairs : list of (index, Pass)
    config : CoreConfig
    """

    def __init__(self, pairs: Sequence[tuple[int, Pass]], config: CoreConfig) -> None:
        self.pairs, self._config = [*pairs], config
        self._prints = {}
        self._fixed  = {number for end, (_, pass_) in enumerate(pairs) if pass_.control.repeat
                        for number in range(end - pass_.control.back, end + 1)}

    def fill(self) -> None:
        """Move passes ahead wherever this is faster."""
        flow, place = PassScoreboard(self._config), 0
        while place < len(self.pairs):
            index, pass_ = self.pairs[place]
            if index not in self._fixed and place and (
                    flow.reads_early(pass_, whole=False) or scalars_of(pass_)):
                moved = self._find(flow, place)
                if moved is not None:
                    self.pairs = moved
                    pass_ = self.pairs[place][1]
                if flow.reads_early(pass_, whole=False):
                    flow.wait()
            flow.run(pass_, whole=index in self._fixed)
            place += 1

    def _find(self, flow, place):
        """A faster order that differs from ``place`` on, or None."""
        near, taken = [], []
        for later in range(place, min(place + 1 + _REACH, len(self.pairs))):
            index, pass_ = self.pairs[later]
            if index in self._fixed:
                break
            if (later > place and may_move(pass_) and not flow.reads_early(pass_, whole=False)
                    and not any(self._print(pass_).meets(self._print(other)) for other in near)):
                taken.append(later)
                for cut in (True, False):
                    order = self._move(place, taken, cut=cut)
                    if order is not None and self._is_faster(order, place, later):
                        return order
                if len(taken) == _MOST:
                    break
            else:
                near.append(pass_)
        return None

    def _move(self, place, taken, *, cut):
        """The order with the passes ``taken`` before ``place``; with ``cut``, the last of them
        leaves what exceeds the wait. None if that is nothing.
        """
        ahead = [self.pairs[later] for later in taken]
        rest  = [pair for later, pair in enumerate(self.pairs[place:], place)
                 if later not in taken]
        if cut:
            index, pass_ = ahead.pop()
            parts = _cut(pass_, self._config.depth // BANKS + 1)
            if parts is None:
                return None
            first, second = parts
            ahead.append((index, first))
            rest.insert(taken[-1] - place - len(taken) + 1, (index, second))
        return [*self.pairs[:place], *ahead, *rest]

    def _is_faster(self, order, place, later):
        """Whether an ``order`` is faster from ``place`` to just behind ``later``."""
        first = max(0, place - _NEAR)
        count = len(self.pairs) - min(len(self.pairs), later + 1 + _NEAR)
        own, others = (pairs[first:len(pairs) - count] for pairs in (order, self.pairs))
        if len(own) > self._config.passes or not self._fixed.isdisjoint(
                index for index, _ in others):
            return False
        return _cycles(own, self._config) < _cycles(others, self._config)

    def _print(self, pass_):
        key = id(pass_)
        if key not in self._prints:
            self._prints[key] = pass_, Footprint.of(pass_, self._config)
        return self._prints[key][1]


def _cycles(pairs, config):
    """Predicted cycles of the passes of (index, Pass) pairs as a program."""
    return predict(set_waits([pass_ for _, pass_ in pairs], config), config).cycles


def may_move(pass_: Pass) -> bool:
    """Whether a pass has neither held sums nor scalars, and is in no loop."""
    accumulate, reduction = pass_.accumulate, pass_.reduction
    return not (accumulate.hold or accumulate.resume or accumulate.op is Op.SHARE
                or reduction.reduce is not Reduce.NONE or reduction.anchored or reduction.inverted
                or reduction.adjust is not Adjust.NONE or pass_.control.repeat)


def _cut(pass_, outputs):
    """Two passes: the first ``outputs`` of a pass without records in a single loop, and the others.

    None for other passes, or if the others are fewer.
    """
    loop, operands, z = pass_.loop, pass_.operands, pass_.epilogue.z
    count = loop.outer[2]
    plain = (loop.outer[:2] == (1, 1) and pass_.accumulate.op is Op.MAC
             and pass_.accumulate.bias_row is None and loop.rows == loop.cols == Axis()
             and {operands.x.mode, operands.y.mode, z.mode} == {AguMode.LINEAR})
    if not plain or count < 2 * outputs:
        return None
    return tuple(replace(pass_, outer=(1, 1, end - start), **{
        name: replace(access, base=access.base + start * access.outer[2])
        for name, access in (("x", operands.x), ("y", operands.y), ("z", z))})
        for start, end in pairwise((0, outputs, count)))
