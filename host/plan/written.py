# SPDX-License-Identifier: Apache-2.0
"""Inputs that the host writes in another way than a core could, and what layers make of strips."""

from dataclasses import replace

from xymac.host.lower.move.reshape import ReshapeLowering
from xymac.host.lower.move.strips.restrip import can_restrip
from xymac.host.memory.strips import StripLayout

__all__ = ["find_strips", "prefers_strips", "written_layouts"]


def written_layouts(nodes, lowerings, count, number, shape):
    """TensorLayouts of a value of ``shape``, which only the host makes: ``written_layouts`` of its
    only reader, or of that of the value in another shape; none where there are more. Each of them
    has fewer groups than those before, but for strips of other rows.

    Parameters
    ----------
    nodes, lowerings : lists of Node and of the Lowering of each
    count : int, inputs and states; the output of node ``index`` is value ``count + index``
    number : int, of the value
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
    """Rows of a strip; None of other layouts."""
    return layout.strip.stride if isinstance(layout, StripLayout) else None


def _takes_strips(nodes, lowerings, count, index, layout):
    """Whether layer ``index`` takes its only input at ``layout``, and those behind it what it makes
    of it, as it is or pixel by pixel.

    Parameters
    ----------
    nodes, lowerings : lists of Node and of the Lowering of each
    count : int, inputs and states; the output of node ``index`` is value ``count + index``
    layout : TensorLayout, of windows or strips perhaps
    """
    if isinstance(layout, StripLayout) and lowerings[index].reads_strips(layout):
        return False
    try:
        target = lowerings[index].target_layout((layout,))
    except ValueError:
        return False
    if not isinstance(target, StripLayout) or (target.in_banks and target.array == target.image):
        return True
    return _go_on(nodes, lowerings, count, index, target)


def _go_on(nodes, lowerings, count, index, target):
    """Whether all readers of the output of layer ``index`` better take it as it is."""
    return all(prefers_strips(nodes, lowerings, count, other, target)
               for other, node in enumerate(nodes) if count + index in node.sources)


def prefers_strips(nodes, lowerings, count, index, layout):
    """Whether layer ``index`` better takes an input at the StripLayout ``layout`` than pixel by
    pixel: it can, and what it makes in strips is not larger, or stays in strips."""
    lowering = lowerings[index]
    if (len(nodes[index].sources) > 1 or not lowering.takes_strips
            or not _takes_strips(nodes, lowerings, count, index, layout)):
        return False
    target = lowering.target_layout((layout,))
    return (not isinstance(target, StripLayout) or target.groups <= layout.groups
            or _go_on(nodes, lowerings, count, index, target))


def find_strips(nodes, lowerings, count, index, layout):
    """The StripLayout that layer ``index`` takes fewest cycles from, of those that the StripLayout
    ``layout`` can be copied to, best such whose output the readers take in strips, and the end of
    the rows that it reads; or None."""
    wanted = []
    for strips in lowerings[index].written_layouts():
        if isinstance(strips, StripLayout) and can_restrip(layout, strips):
            target = lowerings[index].target_layout((strips,))
            going  = _go_on(nodes, lowerings, count, index, target)
            wanted.append((not going, len(wanted), (strips, _end_of(strips, target))))
    return min(wanted)[2] if wanted else None


def _end_of(strips, target):
    """The row behind those that windows of the last output have."""
    height = target.strip.stride
    step   = strips.strip.stride // height
    span   = strips.strip.taps - (height - 1) * step
    return (target.image[target.axes[-3]] - 1) * step + strips.strip.start + span
