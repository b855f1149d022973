"""What of a network the host computes: floating point and INT32, at its edges."""

from dataclasses import dataclass, replace

from golden.tflm import Quantize
from hdl.isa import CELL_BITS
from host.errors import InputError

__all__ = ["Core", "split_network"]


@dataclass(frozen=True)
class Core:
    """The layers of a network that a device computes.

    Parameters
    ----------
    nodes : tuple of Node, whose values are numbered among themselves: ``inputs`` first
    layers : tuple of int, the number of each in the network
    inputs : tuple of int, values of the network that they take
    outputs : frozenset of int, those of the nodes whose output the network gives or the host takes
    """

    nodes:   tuple
    layers:  tuple
    inputs:  tuple
    outputs: frozenset


def split_network(network):
    """The Core of a Network; all layers that take or give floating point are the host's, and those
    that make other integers of inputs of 32 bits.

    InputError for floating point that does not come from outside or go there.
    """
    ours   = [index for index in range(len(network.nodes)) if not _is_edge(network, index)]
    made   = {network.first + index for index in range(len(network.nodes))}
    on_device = {network.first + index for index in ours}
    for index in sorted(set(range(len(network.nodes))) - set(ours)):
        _check_edge(network, index, made, on_device)
    inputs = sorted({number for index in ours for number in network.nodes[index].sources
                     if number not in on_device})
    places = {number: place for place, number in enumerate(
        (*inputs, *(network.first + index for index in ours)))}
    nodes  = tuple(replace(network.nodes[index], sources=tuple(
        places[number] for number in network.nodes[index].sources)) for index in ours)
    wanted = set(network.outputs).union(*(network.nodes[index].sources
                                          for index in range(len(network.nodes))
                                          if index not in ours))
    return Core(nodes, tuple(ours), tuple(inputs), frozenset(
        place for place, index in enumerate(ours) if network.first + index in wanted))


def _is_edge(network, index):
    node    = network.nodes[index]
    numbers = (*node.sources, network.first + index)
    if any(network.values[number].data.dtype.kind == "f" for number in numbers):
        return True
    return isinstance(node.layer, Quantize) and any(
        number < len(network.inputs) and network.values[number].bits > CELL_BITS
        for number in node.sources)


def _check_edge(network, index, made, on_device):
    """Refuse a layer of floating point that stands between others."""
    node, number = network.nodes[index], network.first + index
    if network.values[number].data.dtype.kind == "f":
        return
    for source in node.sources:
        if source in made:
            raise InputError(f"{node.title}: FLOAT32 must be an input of the network, not what "
                             f"{network.nodes[source - network.first].title} gives")
