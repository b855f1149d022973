# SPDX-License-Identifier: Apache-2.0
"""Choose layers with interleaved outputs, for readers with interleaved inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xymac.host.errors import Refusal
from xymac.host.memory.interleaved import InterleavedLayout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.host.lower.base import Lowering

    from .graph import Node

__all__ = ["choose_turns"]


def choose_turns(nodes: Sequence[Node], lowerings: Sequence[Lowering], count: int,
                 ordered: int | None) -> list[Lowering]:
    """The Lowering list, with ``by_turns`` chosen where it exists and all readers accept its output
    layout.

    The host accepts every layout.

    Parameters
    ----------
    nodes, lowerings : lists of Node and their Lowerings
    count : int, inputs and states; node ``index`` outputs value ``count + index``
    ordered : int or None, index of the layer with output in the user's array order
    """
    return [lowering.by_turns if lowering.by_turns is not None and _are_taken(
        nodes, lowerings, count, ordered, index, _laid(lowering)) else lowering
        for index, lowering in enumerate(lowerings)]


def _laid(lowering):
    """A ``by_turns`` Lowering's output layout."""
    turns = lowering.by_turns
    return turns.target_layout(turns.source_layouts(None))


def _are_taken(nodes, lowerings, count, ordered, index, layout):
    """Whether all readers of layer ``index``'s output accept the InterleavedLayout."""
    if index == ordered:
        return False
    return all(_takes(nodes, lowerings, count, ordered, reader, layout)
               for reader, node in enumerate(nodes) if count + index in node.sources)


def _takes(nodes, lowerings, count, ordered, index, layout):
    lowering = lowerings[index]
    if not lowering.takes_turns or len(nodes[index].sources) > 1:
        return False
    target = lowering.find_target((layout,))
    return not isinstance(target, Refusal) and (
        not isinstance(target, InterleavedLayout)
        or _are_taken(nodes, lowerings, count, ordered, index, target))
