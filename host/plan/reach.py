# SPDX-License-Identifier: Apache-2.0
"""Gathers of bytes from the end of a large X memory.

A gather has an address for every element, and a pass holds the first address of a window in 16
bits. Further elements must lie in a window that begins earlier.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xymac.hdl.isa import AguMode, Op
from xymac.host.errors import Refusal, RefusalKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.hdl.isa import Pass

    from .graph import Node

__all__ = ["GATHERED", "reach_windows"]

GATHERED = 1 << 16  #: Elements at the beginning of X where windows of gathers may begin.


def reach_windows(passes: Sequence[Pass], node: Node) -> list[Pass] | Refusal:
    """The passes of a Node, with windows of gathers that begin within ``GATHERED`` elements.

    A Refusal for a gather with a window that must begin later, since its addresses wrap.
    """
    made = []
    for pass_ in passes:
        x = pass_.operands.x
        if pass_.accumulate.op is Op.GATHER and x.low >= GATHERED:
            if _wraps(pass_):
                return Refusal(RefusalKind.X_MEMORY, f"{node.title} gathers elements of X memory "
                               f"from element {x.low} on",
                               because=f"such a window begins before element {GATHERED}")
            pass_ = replace(pass_, x=replace(x, low=GATHERED - 1, mode=AguMode.LINEAR))
        made.append(pass_)
    return made


def _wraps(pass_: Pass) -> bool:
    """Whether addresses of a gather leave the window, at whose other end they go on."""
    access, loop = pass_.operands.x, pass_.loop
    if access.mode is AguMode.LINEAR:
        return False
    ways = [(count - 1) * stride for count, stride in zip(
        (*loop.outer, *loop.taps), (*access.outer, *access.taps), strict=True)]
    return (access.mode is AguMode.BIT_REVERSED
            or access.base + sum(way for way in ways if way < 0) < access.low
            or access.base + sum(way for way in ways if way > 0) > access.high)
