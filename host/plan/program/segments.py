# SPDX-License-Identifier: Apache-2.0
"""Cut programs longer than program memory into sequential segments.

Memories and held accumulators persist between segments; scalars do not.
"""

from __future__ import annotations

from bisect import bisect
from itertools import pairwise
from typing import TYPE_CHECKING

from xymac.hdl.isa import Program, Reduce

from .waits import scalars_made, scalars_of, set_waits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.hdl.config import CoreConfig
    from xymac.hdl.isa import Pass

__all__ = ["cut_program", "find_ends", "find_longest"]


def cut_program(passes: Sequence[Pass], config: CoreConfig) -> tuple[Program, ...]:
    """Tuple of Programs no longer than program memory, with their waits set.

    The tuple is as short as possible, and empty for no passes. ValueError if loops or scalars leave
    no position to cut.
    """
    if not passes:
        return ()
    if len(passes) <= config.passes:
        return (Program(set_waits(passes, config)),)
    ends, segments, start = sorted(find_ends(passes)), [], 0
    while start < len(passes):
        place = bisect(ends, start + config.passes)
        end   = ends[place - 1] if place else 0
        if end <= start:
            raise ValueError(
                f"A program must have 1 to {config.passes} passes on size {config.name}, not "
                f"{len(passes)}: it cannot be cut between passes {start} and "
                f"{min(start + config.passes, len(passes) - 1)}")
        segments.append(Program(set_waits(passes[start:end], config)))
        start = end
    return tuple(segments)


def find_longest(passes: Sequence[Pass]) -> tuple[int, int]:
    """The longest pass run within a segment: its first pass, and its pass count.
    """
    ends = [0, *sorted(find_ends(passes))]
    return max(((first, end - first) for first, end in pairwise(ends)), key=lambda run: run[1],
               default=(0, 0))


def find_ends(passes: Sequence[Pass]) -> list[int]:
    """Pass counts after which a segment may end: no loop is open and no scalar is live."""
    ends, live = [], set()
    inside = {index for end, pass_ in enumerate(passes) if pass_.control.repeat
              for index in range(end - pass_.control.back, end)}
    for index in reversed(range(len(passes))):
        if not live and index not in inside:
            ends.append(index + 1)
        pass_ = passes[index]
        reduction = pass_.reduction
        if reduction.reduce is Reduce.POP or (
                reduction.reduce is Reduce.RANK and not reduction.fresh):
            live.add(Reduce.RANK)
        elif pass_.reduction.reduce is Reduce.RANK:
            live -= {Reduce.RANK, Reduce.MAX, Reduce.MIN}
        elif pass_.reduction.reduce is not Reduce.NONE:
            (live.difference_update if pass_.reduction.fresh else live.update)(scalars_made(pass_))
        live |= scalars_of(pass_)
    return ends
