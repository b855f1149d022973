# SPDX-License-Identifier: Apache-2.0
"""Image batches, computed in a pass loop."""

from dataclasses import replace
from math import prod

from xymac.hdl.isa import BACK_MAX, Move
from xymac.host.ir.pixels import NHWC
from xymac.host.lower.orders import refuse_layout

__all__ = ["refuse_images", "repeat_images"]


def refuse_images(source):
    """Refusal unless images are contiguous, pixel by pixel."""
    if source.order == NHWC and source.inner == 1:
        return None
    return refuse_layout(f"The input must lie as {NHWC}, not as {source.arrangement}")


def repeat_images(passes, source, target):
    """Repeat the first image's passes for all images of a batch, the outermost dimension.

    ``source`` and ``target`` are image TensorLayouts; without a batch they hold one image.
    """
    count = prod(source.dims[:-2])
    if count == 1:
        return passes
    steps = source.step(source.order[0]), target.step(target.order[0])
    if len(passes) > BACK_MAX + 1:
        return [_move(pass_, index * steps[0], index * steps[1])
                for index in range(count) for pass_ in passes]
    moved = [replace(pass_, x=replace(pass_.operands.x, move=Move.FIRST),
                     z=replace(pass_.epilogue.z, move=Move.SECOND)) for pass_ in passes]
    moved[-1] = replace(moved[-1], back=len(moved) - 1, repeat=count - 1, advance=steps)
    return moved


def _move(pass_, x, z):
    """The pass with other bases."""
    return replace(pass_, x=replace(pass_.operands.x, base=pass_.operands.x.base + x),
                   z=replace(pass_.epilogue.z, base=pass_.epilogue.z.base + z))
