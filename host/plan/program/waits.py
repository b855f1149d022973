# SPDX-License-Identifier: Apache-2.0
"""Set the passes' wait flags."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from xymac.hdl.isa import Adjust, Reduce

from .flow import PassScoreboard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.hdl.config import CoreConfig
    from xymac.hdl.isa import Pass

__all__ = ["scalars_made", "scalars_of", "set_waits"]

_RANGE = {Reduce.MAX, Reduce.MIN}


def set_waits(passes: Sequence[Pass], config: CoreConfig) -> list[Pass]:
    """The Pass list with ``wait`` set where a pass may read unwritten data, and ``last`` on the
    final pass.

    ValueError for no pass, or for more passes than program memory holds.
    """
    return list(_set_waits(tuple(passes), config))


@lru_cache(maxsize=4)  # the search for forerunners asks for the passes of a plan, and its end again
def _set_waits(passes, config):
    if not 1 <= len(passes) <= config.passes:
        raise ValueError(f"A program must have 1 to {config.passes} passes on size "
                         f"{config.name}, not {len(passes)}")
    waits, folds, flow = [False] * len(passes), set(), PassScoreboard(config)
    ranging = False  # a pass that reads or writes the range scalars may be in flight
    looped = {other for index, pass_ in enumerate(passes) if pass_.control.repeat
              for other in range(index - pass_.control.back, index + 1)}
    for index in _order(passes):
        pass_ = passes[index]
        waits[index] |= not folds.isdisjoint(scalars_of(pass_))
        waits[index] |= flow.reads_early(pass_, whole=index in looped)
        waits[index] |= pass_.reduction.reduce is Reduce.RANGE and ranging
        if waits[index]:
            flow.wait()
        flow.run(pass_, whole=index in looped)
        made    = scalars_made(pass_) if pass_.reduction.reduce is not Reduce.RANGE else set()
        folds   = made | (set() if waits[index] else folds)
        ranging = bool(_RANGE & (made | scalars_of(pass_))) or (ranging and not waits[index])
    return tuple(_controlled(pass_, wait=wait, last=index == len(passes) - 1)
                 for index, (pass_, wait) in enumerate(zip(passes, waits, strict=True)))


def _controlled(pass_, *, wait, last):
    """The pass with these flags."""
    if (pass_.control.wait, pass_.control.last) == (wait, last):
        return pass_
    return replace(pass_, wait=wait, last=last)


def _order(passes):
    """Yield pass indices in execution order, each loop body twice."""
    index, repeated = 0, set()
    while index < len(passes):
        yield index
        pass_ = passes[index]
        if pass_.control.back > index:
            raise ValueError(f"Pass {index} must go back at most {index} passes, not "
                             f"{pass_.control.back}")
        if pass_.control.repeat and index not in repeated:
            repeated.add(index)
            index -= pass_.control.back
        else:
            index += 1


def scalars_of(pass_: Pass) -> set[Reduce]:
    """Set of Reduce: reductions whose scalars a pass reads."""
    range_ = pass_.reduction.anchored or pass_.reduction.adjust in (Adjust.SHIFT, Adjust.TABLE)
    total  = pass_.reduction.inverted or pass_.reduction.adjust is Adjust.PLACES
    return (_RANGE if range_ else set()) | ({Reduce.SUM} if total else set())


def scalars_made(pass_: Pass) -> set[Reduce]:
    """Set of Reduce: reductions whose scalars a pass writes; the heap writes the range scalars."""
    if pass_.reduction.reduce in (Reduce.RANK, Reduce.POP, Reduce.RANGE):
        return _RANGE
    return {pass_.reduction.reduce} - {Reduce.NONE}
