# SPDX-License-Identifier: Apache-2.0
"""Unroll pass loops longer than the core's maximum backward jump."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xymac.hdl.isa import BACK_MAX, Move

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.hdl.config import CoreConfig
    from xymac.hdl.isa import Pass

__all__ = ["unroll_loops", "write_out"]


def unroll_loops(passes: Sequence[Pass], config: CoreConfig) -> list[Pass]:
    """The Pass list with every loop unrolled beyond ``BACK_MAX`` passes or program memory.

    An unrolled loop has a body copy per iteration, with shifted access bases.
    """
    limit  = min(BACK_MAX, config.passes - 1)
    result = []
    for pass_ in passes:
        result.append(pass_)
        if pass_.control.repeat and pass_.control.back > limit:
            body    = result[len(result) - 1 - pass_.control.back:]
            result  = result[:len(result) - len(body)]
            result += write_out(body)
    return result


def write_out(body: Sequence[Pass]) -> list[Pass]:
    """Pass list: all loop iterations; a single pass without repeat is unchanged."""
    last = body[-1]
    return [_move_bases(part, tuple(iteration * step for step in last.control.advance))
            for iteration in range(last.control.repeat + 1) for part in body]


def _move_bases(pass_, moves):
    """A pass outside the loop, with access bases shifted by ``moves``."""
    operands = pass_.operands
    distance = {Move.NONE: 0, Move.FIRST: moves[0], Move.SECOND: moves[1]}
    accesses = {name: replace(access, base=access.base + distance[access.move], move=Move.NONE)
                for name, access in (("x", operands.x), ("y", operands.y), ("z", pass_.epilogue.z))}
    return replace(pass_, **accesses, back=0, repeat=0, advance=(0, 0))
