"""Inputs that the host writes in another way than a core could."""

__all__ = ["written_layouts"]


def written_layouts(nodes, lowerings, number):
    """``Lowering.written_layouts`` of the only reader of input ``number``, or none."""
    readers = [index for index, node in enumerate(nodes) if number in node.sources]
    if len(readers) != 1 or len(nodes[readers[0]].sources) > 1:
        return ()
    return lowerings[readers[0]].written_layouts()
