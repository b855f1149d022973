"""Inputs that the host writes in another way than a core could."""

from dataclasses import replace

from host.lower.move.reshape import ReshapeLowering

__all__ = ["written_layouts"]


def written_layouts(nodes, lowerings, count, number, shape):
    """TensorLayouts of a value of ``shape``, which only the host makes: ``written_layouts`` of its
    only reader, or of that of the value in another shape; none where there are more.

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
        return lowering.written_layouts()
    layouts = written_layouts(nodes, lowerings, count, count + reader, lowering.output.shape)
    return tuple(replace(layout, array=shape) for layout in layouts if layout.is_complete)
