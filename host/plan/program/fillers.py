# SPDX-License-Identifier: Apache-2.0
"""Reorder passes: independent later passes run while a pass would wait.

A pass that waits for its predecessor's results idles for the pipeline depth. A later pass can use
these cycles if it shares no written location with the passes it overtakes. Streaming networks have
such passes: state copies beside matrix products. A long copy is cut, so that it fills several
waits.
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

_REACH = 8  #: Passes searched behind a waiting pass.
_MOST  = 3  #: Largest number of passes moved ahead of it.
_NEAR  = 4  #: Passes before and behind a change that take part in the cycle comparison.


def fill_waits(passes: Sequence[Pass], config: CoreConfig) -> list[tuple[int, Pass]]:
    """Passes in execution order, each with its index in ``passes``.

    Loop passes and passes with held accumulators or scalars keep their position, and no pass moves
    across a loop. The order is unchanged unless the cycle model predicts fewer cycles. Both parts
    of a cut pass have its index.
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
    """Passes with their indices, in an order that ``fill`` improves.

    Parameters
    ----------
    pairs : list of (index, Pass)
    config : CoreConfig
    """

    def __init__(self, pairs: Sequence[tuple[int, Pass]], config: CoreConfig) -> None:
        self.pairs, self._config = [*pairs], config
        self._footprints = {}
        self._fixed = {number for end, (_, pass_) in enumerate(pairs) if pass_.control.repeat
                       for number in range(end - pass_.control.back, end + 1)}

    def fill(self) -> None:
        """Move passes ahead of waiting passes wherever the cycle model predicts fewer cycles."""
        flow, position = PassScoreboard(self._config), 0
        while position < len(self.pairs):
            index, pass_ = self.pairs[position]
            if index not in self._fixed and position and (
                    flow.reads_early(pass_, whole=False) or scalars_of(pass_)):
                faster = self._find(flow, position)
                if faster is not None:
                    self.pairs = faster
                    pass_ = self.pairs[position][1]
                if flow.reads_early(pass_, whole=False):
                    flow.wait()
            flow.run(pass_, whole=index in self._fixed)
            position += 1

    def _find(self, flow, position):
        """A faster order that differs from ``position`` on, or None."""
        overtaken, moved = [], []
        for later in range(position, min(position + 1 + _REACH, len(self.pairs))):
            index, pass_ = self.pairs[later]
            if index in self._fixed:
                break
            if (later > position and may_move(pass_) and not flow.reads_early(pass_, whole=False)
                    and not self._meets(pass_, overtaken)):
                moved.append(later)
                for cut in (True, False):
                    order = self._move(position, moved, cut=cut)
                    if order is not None and self._is_faster(order, position, later):
                        return order
                if len(moved) == _MOST:
                    break
            else:
                overtaken.append(pass_)
        return None

    def _meets(self, pass_, others):
        """Whether the order of ``pass_`` and one of ``others`` matters."""
        own = self._footprint(pass_)
        return any(own.meets(self._footprint(other)) for other in others)

    def _move(self, position, moved, *, cut):
        """The order with the passes ``moved`` before ``position``.

        With ``cut``, the last moved pass is cut: the outputs that fill the wait move, the others
        stay. None if it cannot be cut.
        """
        ahead = [self.pairs[later] for later in moved]
        rest  = [pair for later, pair in enumerate(self.pairs[position:], position)
                 if later not in moved]
        if cut:
            index, pass_ = ahead.pop()
            parts = _cut(pass_, self._config.depth // BANKS + 1)
            if parts is None:
                return None
            first, second = parts
            ahead.append((index, first))
            rest.insert(moved[-1] - position - len(moved) + 1, (index, second))
        return [*self.pairs[:position], *ahead, *rest]

    def _is_faster(self, order, position, later):
        """Whether ``order`` takes fewer cycles near the passes ``position`` to ``later``.

        False near a loop, or if these passes exceed program memory.
        """
        first = max(0, position - _NEAR)
        count = len(self.pairs) - min(len(self.pairs), later + 1 + _NEAR)
        own, others = (pairs[first:len(pairs) - count] for pairs in (order, self.pairs))
        if len(own) > self._config.passes or not self._fixed.isdisjoint(
                index for index, _ in others):
            return False
        return _cycles(own, self._config) < _cycles(others, self._config)

    def _footprint(self, pass_):
        key = id(pass_)
        if key not in self._footprints:
            self._footprints[key] = pass_, Footprint.of(pass_, self._config)
        return self._footprints[key][1]


def _cycles(pairs, config):
    """Predicted cycles of (index, Pass) pairs as a program."""
    return predict(set_waits([pass_ for _, pass_ in pairs], config), config).cycles


def may_move(pass_: Pass) -> bool:
    """Whether a pass has neither held accumulators nor scalars, and does not end a loop."""
    accumulate, reduction = pass_.accumulate, pass_.reduction
    return not (accumulate.hold or accumulate.resume or accumulate.op is Op.SHARE
                or reduction.reduce is not Reduce.NONE or reduction.anchored or reduction.inverted
                or reduction.adjust is not Adjust.NONE or pass_.control.repeat)


def _cut(pass_, outputs):
    """Cut a pass with a single output loop and without records behind its first ``outputs``.

    Returns both parts; None for other passes, or if the second part would be the shorter one.
    """
    loop, operands, z = pass_.loop, pass_.operands, pass_.epilogue.z
    count = loop.outer[2]
    can_cut = (loop.outer[:2] == (1, 1) and pass_.accumulate.op is Op.MAC
               and pass_.accumulate.bias_row is None and loop.rows == loop.cols == Axis()
               and {operands.x.mode, operands.y.mode, z.mode} == {AguMode.LINEAR})
    if not can_cut or count < 2 * outputs:
        return None
    return tuple(replace(pass_, outer=(1, 1, end - start), **{
        name: replace(access, base=access.base + start * access.outer[2])
        for name, access in (("x", operands.x), ("y", operands.y), ("z", z))})
        for start, end in pairwise((0, outputs, count)))
