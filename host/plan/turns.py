"""Layers that make their outputs turn by turn, for readers that take them so."""

from host.memory.interleaved import InterleavedLayout

__all__ = ["choose_turns"]


def choose_turns(nodes, lowerings, count, last):
    """The lowerings, those ``by_turns`` where these exist and all readers take what they make.

    Parameters
    ----------
    nodes, lowerings : lists of Node and of the Lowering of each
    count : int, inputs and states; the output of node ``index`` is value ``count + index``
    last : int, index of the layer whose output leaves the plan
    """
    return [lowering.by_turns if lowering.by_turns is not None and _are_taken(
        nodes, lowerings, count, last, index, _laid(lowering)) else lowering
        for index, lowering in enumerate(lowerings)]


def _laid(lowering):
    """What a Lowering by turns makes."""
    turns = lowering.by_turns
    return turns.target_layout(turns.source_layouts(None))


def _are_taken(nodes, lowerings, count, last, index, layout):
    """Whether all readers of the output of layer ``index`` take it at the InterleavedLayout."""
    if index == last:
        return False
    readers = [other for other, node in enumerate(nodes) if count + index in node.sources]
    return bool(readers) and all(
        _takes(nodes, lowerings, count, last, reader, layout) for reader in readers)


def _takes(nodes, lowerings, count, last, index, layout):
    lowering = lowerings[index]
    if not lowering.takes_turns or len(nodes[index].sources) > 1:
        return False
    try:
        target = lowering.target_layout((layout,))
    except ValueError:
        return False
    return not isinstance(target, InterleavedLayout) or _are_taken(
        nodes, lowerings, count, last, index, target)
