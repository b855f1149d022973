# SPDX-License-Identifier: Apache-2.0
"""Loops over output vectors: as many at once as there are banks, then the remaining vectors."""

from dataclasses import replace

from xymac.hdl.isa import BANKS, record_rows

__all__ = ["split_outputs", "strides"]


def strides(counts, *values):
    """Strides, 0 for loops with a single iteration, whose stride need not fit its field."""
    return tuple(stride if count > 1 else 0 for count, stride in zip(counts, values, strict=True))


def split_outputs(whole, target, side=1):
    """Passes for full output tiles and, with fewer beats, for the remaining vectors.

    The TensorLayout ``target`` packs ``side`` pixels together.
    """
    operands = whole.operands
    full, rest = divmod(target.pitch * side, BANKS)
    passes = []
    if full:
        passes.append(replace(whole, outer=(full, *whole.loop.outer[1:])))
    if rest:
        moved = {name: replace(access, base=access.base + full * access.outer[0])
                 for name, access in (("x", operands.x), ("y", operands.y),
                                      ("z", whole.epilogue.z))}
        above = record_rows(passes[0], target.ways) if passes else 0
        passes.append(replace(whole, **moved, outer=(1, *whole.loop.outer[1:]), beats=rest,
                              bias_row=whole.accumulate.bias_row + above))
    return passes
