# SPDX-License-Identifier: Apache-2.0
"""Layers that make their outputs turn by turn, for readers that take them so."""

from xymac.host.memory.interleaved import InterleavedLayout

__all__ = ["choose_turns"]


def choose_turns(nodes, lowerings, count, ordered):
    """The lowerings, those ``by_turns`` where these exist and all readers take what they make.

    The host takes any layout.

    Parameters
    ----------
    nodes, lowerings : lists of Node and of the Lowering of each
    count : int, inputs and states; the output of node ``index`` is value ``count + index``
    ordered : int or None, index of a layer whose output is wanted in the order of the user's array
    """
    return [lowering.by_turns if lowering.by_turns is not None and _are_taken(
        nodes, lowerings, count, ordered, index, _laid(lowering)) else lowering
        for index, lowering in enumerate(lowerings)]


def _laid(lowering):
    """What a Lowering by turns makes."""
    turns = lowering.by_turns
    return turns.target_layout(turns.source_layouts(None))


def _are_taken(nodes, lowerings, count, ordered, index, layout):
    """Whether all readers of the output of layer ``index`` take it at the InterleavedLayout."""
    if index == ordered:
        return False
    return all(_takes(nodes, lowerings, count, ordered, reader, layout)
               for reader, node in enumerate(nodes) if count + index in node.sources)


def _takes(nodes, lowerings, count, ordered, index, layout):
    lowering = lowerings[index]
    if not lowering.takes_turns or len(nodes[index].sources) > 1:
        return False
    try:
        target = lowering.target_layout((layout,))
    except ValueError:
        return False
    return not isinstance(target, InterleavedLayout) or _are_taken(
        nodes, lowerings, count, ordered, index, target)
