# SPDX-License-Identifier: Apache-2.0
"""Passes repeated over dimensions that exceed the loops of a pass."""

from dataclasses import replace
from itertools import product

from xymac.hdl.isa import Move

__all__ = ["repeat_passes"]

_ADVANCE = 1 << 15  # exclusive limit of the address advance per iteration


def repeat_passes(passes, around):
    """``passes`` for all indices in ``around``, Dims in the passes' access units.

    The innermost Dim becomes a program loop; the other Dims are unrolled.
    """
    around = [dim for dim in around if dim.count > 1]
    if around and max(abs(around[-1].x), abs(around[-1].z)) < _ADVANCE:
        *around, dim = around
        passes = [replace(pass_, x=replace(pass_.operands.x, move=Move.FIRST),
                          z=replace(pass_.epilogue.z, move=Move.SECOND)) for pass_ in passes]
        passes[-1] = replace(passes[-1], back=len(passes) - 1, repeat=dim.count - 1,
                             advance=(dim.x, dim.z))
    return [replace(pass_, x=_shift(pass_.operands.x, around, "x", index),
                    z=_shift(pass_.epilogue.z, around, "z", index))
            for index in product(*(range(dim.count) for dim in around)) for pass_ in passes]


def _shift(access, around, name, index):
    distance = sum(getattr(dim, name) * at for dim, at in zip(around, index, strict=True))
    return replace(access, base=access.base + distance)
