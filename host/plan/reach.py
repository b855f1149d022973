# SPDX-License-Identifier: Apache-2.0
"""Windows and strides within the fields of a pass.

A gather has an address for every element, and a pass holds the first address of a window in 16
bits. Further elements must lie in a window that begins earlier. Strides have 16 bits, signed.
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

__all__ = ["GATHERED", "fit_fields"]

GATHERED = 1 << 16  #: Elements at the beginning of X where windows of gathers may begin.
STRIDE   = (1 << 15) - 1  #: Largest distance between the addresses of two indices.


def fit_fields(passes: Sequence[Pass], node: Node) -> list[Pass] | Refusal:
    """The passes of a Node with windows and strides in the range of their fields.

    Windows of gathers begin within ``GATHERED`` elements. Strides of loops with a single index
    become 0 beyond ``STRIDE``. A Refusal for a gather whose window must begin later, since its
    addresses wrap, and for a larger stride of several indices.
    """
    made = []
    for pass_ in passes:
        if any(max(map(abs, (*access.outer, *access.taps))) > STRIDE
               for access in (pass_.operands.x, pass_.operands.y, pass_.epilogue.z)):
            pass_ = _shorten(pass_, node)
            if isinstance(pass_, Refusal):
                return pass_
        x = pass_.operands.x
        if pass_.accumulate.op is Op.GATHER and x.low >= GATHERED:
            if _wraps(pass_):
                return Refusal(RefusalKind.X_MEMORY, f"{node.title} gathers elements of X memory "
                               f"from element {x.low} on",
                               because=f"such a window begins before element {GATHERED}")
            pass_ = replace(pass_, x=replace(x, low=GATHERED - 1, mode=AguMode.LINEAR))
        made.append(pass_)
    return made


def _shorten(pass_: Pass, node: Node) -> Pass | Refusal:
    """The pass with 0 for every unused stride; a Refusal if a used stride is too large."""
    accesses = {"x": pass_.operands.x, "y": pass_.operands.y, "z": pass_.epilogue.z}
    for name, access in accesses.items():
        outer, taps = ([stride if count > 1 else 0 for count, stride in zip(
            counts, strides, strict=True)] for counts, strides in (
                (pass_.loop.outer, access.outer), (pass_.loop.taps, access.taps)))
        longest = max(map(abs, outer + taps))
        if longest > STRIDE:
            kind = RefusalKind.Y_MEMORY if name == "y" else RefusalKind.X_MEMORY
            return Refusal(kind, f"{node.title} has a stride of {longest} addresses",
                           because=f"a pass holds strides of up to {STRIDE}")
        accesses[name] = replace(access, outer=tuple(outer), taps=tuple(taps))
    return replace(pass_, **accesses)


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
