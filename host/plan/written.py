# SPDX-License-Identifier: Apache-2.0
"""Choose host-written input layouts, and propagate strip layouts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from xymac.host.errors import Refusal
from xymac.host.lower.move.reshape import ReshapeLowering
from xymac.host.lower.move.strips.restrip import can_restrip
from xymac.host.memory.strips import StripLayout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.host.lower.base import Lowering
    from xymac.host.memory.windows import AxisWindows, WindowLayout

    from .graph import Node

__all__ = ["find_strips", "prefers_strips", "written_layouts"]


def written_layouts(nodes: Sequence[Node], lowerings: Sequence[Lowering], count: int, number: int,
                    shape: tuple[int, ...]) -> tuple[WindowLayout, ...]:
    """Host-written TensorLayouts (a tuple) for a value with shape ``shape``.

    They are the ``written_layouts`` of the value's only reader, or of the reader after a reshape. A
    value with several readers has none. Each layout has fewer vectors than earlier layouts with the
    same strip height.

    Parameters
    ----------
    nodes, lowerings : lists of Node and their Lowerings
    count : int, inputs and states; node ``index`` outputs value ``count + index``
    number : int, value number
    shape : tuple of int, value shape
    """
    readers = [index for index, node in enumerate(nodes) if number in node.sources]
    if len(readers) != 1 or len(nodes[readers[0]].sources) > 1:
        return ()
    [reader] = readers
    lowering = lowerings[reader]
    if not isinstance(lowering, ReshapeLowering):
        kept = []
        for layout in lowering.written_layouts():
            if (all(layout.groups < other.groups for other in kept
                    if _height(other) == _height(layout))
                    and _takes_strips(nodes, lowerings, count, reader, layout)):
                kept.append(layout)
        return tuple(kept)
    layouts = written_layouts(nodes, lowerings, count, count + reader, lowering.output.shape)
    return tuple(replace(layout, array=shape) for layout in layouts if layout.is_complete)


def _height(layout):
    """Rows per strip; None for other layouts."""
    return cast("AxisWindows", layout.strip).stride if isinstance(layout, StripLayout) else None


def _takes_strips(nodes, lowerings, count, index, layout):
    """Whether layer ``index`` accepts its only input at ``layout``, and its readers accept the
    output, as strips or as pixels.

    Parameters
    ----------
    nodes, lowerings : lists of Node and their Lowerings
    count : int, inputs and states; node ``index`` outputs value ``count + index``
    index : int, layer index
    layout : TensorLayout, possibly with windows or strips
    """
    if isinstance(layout, StripLayout) and lowerings[index].reads_strips(layout):
        return False
    target = lowerings[index].find_target((layout,))
    if isinstance(target, Refusal):
        return False
    if not isinstance(target, StripLayout) or (target.in_banks and target.array == target.image):
        return True
    return _go_on(nodes, lowerings, count, index, target)


def _go_on(nodes, lowerings, count, index, target):
    """Whether all readers of layer ``index``'s output prefer the strip layout ``target``."""
    return all(prefers_strips(nodes, lowerings, count, other, target)
               for other, node in enumerate(nodes) if count + index in node.sources)


def prefers_strips(nodes: Sequence[Node], lowerings: Sequence[Lowering], count: int, index: int,
                   layout: StripLayout) -> bool:
    """Whether layer ``index`` prefers an input at the StripLayout ``layout`` to a pixel layout.

    It does if it accepts ``layout`` and its output is not in strips, is not larger, or has only
    readers that prefer strips.
    """
    lowering = lowerings[index]
    if (len(nodes[index].sources) > 1 or not lowering.takes_strips
            or not _takes_strips(nodes, lowerings, count, index, layout)):
        return False
    target = lowering.target_layout((layout,))
    return (not isinstance(target, StripLayout) or target.groups <= layout.groups
            or _go_on(nodes, lowerings, count, index, target))


def find_strips(nodes: Sequence[Node], lowerings: Sequence[Lowering], count: int, index: int,
                layout: StripLayout) -> tuple[StripLayout, int] | None:
    """(StripLayout for layer ``index``, its read rows' end), or None.

    Candidates are the layer's written layouts to which the StripLayout ``layout`` can be copied.
    Layouts whose outputs all readers prefer in strips come first, then layouts with fewer cycles.
    """
    wanted = []
    for strips in lowerings[index].written_layouts():
        if isinstance(strips, StripLayout) and can_restrip(layout, strips):
            target = lowerings[index].target_layout((strips,))
            going  = _go_on(nodes, lowerings, count, index, target)
            wanted.append((not going, len(wanted), (strips, _end_of(strips, target))))
    return min(wanted)[2] if wanted else None


def _end_of(strips, target):
    """Index after the last row in the last output row's windows."""
    height = target.strip.stride
    step   = strips.strip.stride // height
    span   = strips.strip.taps - (height - 1) * step
    return (target.image[target.axes[-3]] - 1) * step + strips.strip.start + span
