"""Inputs that the host writes in another way than a core could."""

from dataclasses import replace

from host.lower.move.reshape import ReshapeLowering
from host.memory.strips import StripLayout

__all__ = ["written_layouts"]


def written_layouts(nodes, lowerings, count, number, shape):
    """TensorLayouts of a value of ``shape``, which only the host makes: ``written_layouts`` of its
    only reader, or of that of the value in another shape; none where there are more. Each of them
    has fewer groups than those before.

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
            if (all(layout.groups < other.groups for other in kept)
                    and _is_taken(nodes, lowerings, count, reader, layout)):
                kept.append(layout)
        return tuple(kept)
    layouts = written_layouts(nodes, lowerings, count, count + reader, lowering.output.shape)
    return tuple(replace(layout, array=shape) for layout in layouts if layout.is_complete)


def _is_taken(nodes, lowerings, count, index, layout):
    """Whether all layers behind layer ``index``, whose input lies at ``layout``, take strips as
    they come."""
    try:
        target = lowerings[index].target_layout((layout,))
    except ValueError:
        return False
    if not isinstance(target, StripLayout):
        return True
    readers = [other for other, node in enumerate(nodes) if count + index in node.sources]
    return all(len(nodes[other].sources) == 1 and lowerings[other].takes_strips
               and _is_taken(nodes, lowerings, count, other, target) for other in readers)
