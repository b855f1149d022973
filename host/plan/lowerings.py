# SPDX-License-Identifier: Apache-2.0
"""The layers of a plan, analysed: their Lowerings, and what of them other layers do."""

from dataclasses import dataclass, replace

from xymac.host.frontend.tflm.border import is_pad, read_without_pad
from xymac.host.lower.registry import check_passes, find_lowering

from .graph import check_inputs, name_refusals

__all__ = ["Analysis", "analyse", "list_wanted"]


@dataclass(frozen=True)
class Analysis:
    """Layers on their way to a plan.

    All are analysed once: plans of the same layers, or of a part of them, can share an Analysis if
    they are made one after the other.

    Parameters
    ----------
    nodes : list of Node; of a layer that does what another one before it would do, the layer that
        does both and the values that it takes
    lowerings : list of the Lowering of every one
    folded : frozenset of the indices of layers that others do; they take nothing and have no passes
    """

    nodes:     list
    lowerings: list
    folded:    frozenset = frozenset()

    @property
    def last(self):
        """Index of the last layer that has passes of its own, or is a view."""
        return max(index for index in range(len(self.nodes)) if index not in self.folded)

    def part(self, layers, nodes):
        """The Analysis of a range of layers, whose values ``nodes`` number among themselves."""
        return Analysis(nodes, self.lowerings[layers.start:layers.stop], frozenset(
            index - layers.start for index in layers if index in self.folded))


def analyse(config, nodes, inputs, wanted=None):
    """The Analysis of a list of Nodes with names. Errors are those of ``Plan``.

    A layer that reads a PAD and can take the padding as its border does so, and a PAD that nobody
    else reads is folded.

    Parameters
    ----------
    config : CoreConfig
    inputs : Tensors in the format of the inputs
    wanted : set of the indices of layers whose outputs others take as well; None for all layers
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


def list_wanted(count, keep, outputs):
    """What ``analyse`` takes as ``wanted`` for ``count`` layers and what a ``Plan`` is to keep."""
    if keep is True:
        return None
    return {*outputs, count - 1, *(keep or ())}


def _without_pads(nodes, node, values, count):
    """A Node that takes what PADs in front of it take, and what it takes: as it is if it cannot."""
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
    """Indices of PADs that nobody reads any longer."""
    read   = {number for node in nodes for number in node.sources}
    folded = set()
    for index in reversed(range(len(nodes))):
        number = count + index
        if (is_pad(nodes[index].layer) and index not in wanted and number in read
                and not any(number in node.sources for place, node in enumerate(made)
                            if place not in folded)):
            folded.add(index)
    return frozenset(folded)
