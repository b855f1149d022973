# SPDX-License-Identifier: Apache-2.0
"""Analyse a plan's layers: find Lowerings, and fold PADs into their readers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from xymac.host.frontend.tflm.border import is_pad, read_without_pad
from xymac.host.lower.registry import check_passes, find_lowering

from .graph import check_inputs, name_refusals

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from xymac.golden.array import Array
    from xymac.hdl.config import CoreConfig
    from xymac.host.lower.base import Lowering

    from .graph import Node

__all__ = ["Analysis", "analyse", "list_wanted"]


@dataclass(frozen=True)
class Analysis:
    """A plan's analysed layers.

    Plans with the same layers, or a layer range, can share an Analysis if they are made in
    sequence.

    Parameters
    ----------
    nodes : list of Node; a layer with a merged PAD is the merged layer, with the PAD's sources
    lowerings : list of Lowering, one per layer
    folded : frozenset of int, indices of PADs merged into their readers; they have no sources and
        no passes
    """

    nodes:     list[Node]
    lowerings: list[Lowering]
    folded:    frozenset[int] = frozenset()

    @property
    def last(self) -> int:
        """Last layer with its own passes, or the last view (index)."""
        return max(index for index in range(len(self.nodes)) if index not in self.folded)

    def part(self, layers: range, nodes: list[Node]) -> Analysis:
        """Analysis for a layer range; ``nodes`` are its Nodes, with value numbers of that range."""
        return Analysis(nodes, self.lowerings[layers.start:layers.stop], frozenset(
            index - layers.start for index in layers if index in self.folded))


def analyse(config: CoreConfig, nodes: Sequence[Node], inputs: tuple[Array, ...],
            wanted: set[int] | None = None) -> Analysis:
    """The Analysis for named Nodes. ``Plan`` documents the errors.

    A layer that reads a PAD becomes a layer with padding if it can. A PAD without remaining readers
    is folded.

    Parameters
    ----------
    config : CoreConfig
    nodes : list of Node, with names
    inputs : Tensors in the input formats
    wanted : set of int, indices of layers with outputs that are also read outside the plan; None
        for all layers
    """
    for node in nodes:
        with name_refusals(node, nodes):
            check_passes(node.layer)
    values, lowerings, made = list(inputs), [], []
    for node in nodes:
        with name_refusals(node, nodes):
            taken = check_inputs(node, values)
            if wanted is not None:
                node, taken = _without_pads(nodes, node, values, len(inputs))
            lowering = find_lowering(node.layer, taken, config.ways, core=config.capabilities)
        made.append(node)
        lowerings.append(lowering)
        values.append(lowering.output)
    folded = _unread_pads(nodes, made, len(inputs), wanted or ())
    return Analysis([replace(node, sources=()) if index in folded else node
                     for index, node in enumerate(made)], lowerings, folded)


def list_wanted(count: int, keep: bool | Collection[int] | None,
                outputs: frozenset[int]) -> set[int] | None:
    """``analyse``'s argument ``wanted``: a layer index set, None if all outputs stay.

    Parameters
    ----------
    count : int, layer count
    keep, outputs : see ``Plan``
    """
    if keep is True:
        return None
    return {*outputs, count - 1, *(keep or ())}


def _without_pads(nodes, node, values, count):
    """(Node, its input Tensors) with preceding PADs merged into the layer as far as possible."""
    best = node, [values[number] for number in node.sources]
    while len(node.sources) == 1 and node.sources[0] >= count:
        before, [taken] = nodes[node.sources[0] - count], best[1]
        if not is_pad(before.layer):
            break
        read = read_without_pad(node.layer, taken, before.layer, values[before.sources[0]])
        if read is None:
            break
        layer, taken = read
        node = replace(node, layer=layer, sources=before.sources)
        best = node, [taken]
    return best


def _unread_pads(nodes, made, count, wanted):
    """PADs without remaining readers: an index frozenset."""
    read   = {number for node in nodes for number in node.sources}
    folded = set()
    for index in reversed(range(len(nodes))):
        number = count + index
        if (is_pad(nodes[index].layer) and index not in wanted and number in read
                and not any(number in node.sources for place, node in enumerate(made)
                            if place not in folded)):
            folded.add(index)
    return frozenset(folded)
