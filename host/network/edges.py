# SPDX-License-Identifier: Apache-2.0
"""Division of a network between host and device.

The host computes floating point, 32-bit integers and all other layers without passes.
"""

from dataclasses import dataclass, replace

from xymac.golden.tflm import Quantize
from xymac.golden.tflm.layer import TensorLayer
from xymac.hdl.isa import CELL_BITS
from xymac.host.errors import Refusal
from xymac.host.lower.registry import find_lowering

from .unsigned import as_signed, is_unsigned, make_signed

__all__ = ["DevicePart", "Division", "find_blocked", "rank_values", "split_network"]

_WAYS = 4  #: MACs per lane of any core: all cores have passes for the same types.


@dataclass(frozen=True)
class DevicePart:
    """Device layers between two of the host's turns.

    Parameters
    ----------
    nodes : tuple of Node with their own value numbers: ``inputs`` first; uint8 values become int8
    layers : tuple of int, each node's network layer number
    inputs : tuple of int, network values read by the nodes
    outputs : frozenset of int, nodes whose output is a network output or read outside the part
    blanks : tuple of golden Array, zeros in each input's format
    """

    nodes:   tuple
    layers:  tuple
    inputs:  tuple
    outputs: frozenset
    blanks:  tuple = ()


@dataclass(frozen=True)
class Division:
    """A network's layers, divided between the host and the device.

    Parameters
    ----------
    parts : tuple of DevicePart, in execution order
    turns : tuple of tuples of int, layers computed by the host before each part, and after the last
    """

    parts: tuple
    turns: tuple

    @property
    def nodes(self):
        """The Nodes of all parts, a tuple."""
        return tuple(node for part in self.parts for node in part.nodes)

    @property
    def layers(self):
        """The network layer numbers of ``nodes``, a tuple."""
        return tuple(index for part in self.parts for index in part.layers)

    @property
    def host_layers(self):
        """Layers computed by the host, a tuple of int in execution order."""
        return tuple(index for turn in self.turns for index in turn)


def split_network(network):
    """A Network's Division, with the fewest parts.

    The host computes layers with floating-point inputs or outputs, layers on 32-bit or wider
    integers or bool without passes, and TensorFlow Lite operators without any passes.
    """
    ranks = network.ranks
    count = (max(ranks) + 1) // 2
    parts = tuple(_part(network, ranks, 2 * number + 1) for number in range(count))
    turns = tuple(_layers_at(network, ranks, 2 * number) for number in range(count + 1))
    return Division(parts, turns)


def find_blocked(network):
    """Layers that the host computes between two device parts, and whose output the device reads.

    Returns a set of layer numbers.
    """
    ranks = network.ranks
    return {number - network.first for index, node in enumerate(network.nodes)
            if ranks[network.first + index] % 2 for number in node.sources
            if ranks[number] and ranks[number] % 2 == 0}


def _part(network, ranks, rank):
    """The DevicePart with all layers of ``rank``."""
    ours   = _layers_at(network, ranks, rank)
    made   = {network.first + index for index in ours}
    inputs = sorted({number for index in ours for number in network.nodes[index].sources} - made)
    own    = {number: index for index, number in enumerate((*inputs, *sorted(made)))}
    wanted = {*network.outputs, *(each.following for each in network.variables)}.union(
        *(node.sources for index, node in enumerate(network.nodes)
          if ranks[network.first + index] != rank))
    return DevicePart(
        tuple(_node(network, index, own) for index in ours), ours, tuple(inputs),
        frozenset(place for place, index in enumerate(ours) if network.first + index in wanted),
        tuple(_sign(network.values[number]) for number in inputs))


def _layers_at(network, ranks, rank):
    """Layer numbers with ``rank``, a tuple."""
    return tuple(index for index in range(len(network.nodes))
                 if ranks[network.first + index] == rank)


def _sign(value):
    return as_signed(value) if is_unsigned(value) else value


def _node(network, index, own):
    """A node with source numbers from the dict ``own``, and int8 in place of uint8 values."""
    node   = network.nodes[index]
    signed = [_sign(network.values[number]) for number in node.sources]
    return replace(node, layer=_signed_layer(network, index, signed),
                   sources=tuple(own[number] for number in node.sources))


def _signed_layer(network, index, inputs):
    """Layer ``index`` for int8 ``inputs`` and an int8 output in place of uint8."""
    node   = network.nodes[index]
    values = [network.values[number] for number in (*node.sources, network.first + index)]
    if isinstance(node.layer, TensorLayer) and (
            isinstance(node.layer, Quantize) or any(map(is_unsigned, values))):
        return make_signed(node.layer, inputs, values[-1])
    return node.layer


def rank_values(network):
    """Each value's rank, a list: 0 from the host before the device starts, an odd number from a
    part of the device, the next even number from the host after this part.
    """
    ranks = [0] * network.first
    for index, node in enumerate(network.nodes):
        most = max((ranks[number] for number in node.sources), default=0)
        part = most + 1 - most % 2
        held = {number for number in node.sources if ranks[number] != part}
        ranks.append(most + most % 2 if _is_edge(network, index, held) else part)
    return ranks


def _is_edge(network, index, held):
    """Whether the host computes a layer if its sources ``held`` come from outside its part."""
    node   = network.nodes[index]
    inputs = [network.values[number] for number in node.sources]
    values = [*inputs, network.values[network.first + index]]
    if any(value.data.dtype.kind == "f" for value in values) or network.is_copy(index):
        return True
    if not isinstance(node.layer, TensorLayer) or hasattr(node.layer, "following"):
        return False  # the host has no layers with states
    # The host writes no such values except bool constants; passes write the others.
    if any(_is_special(value) and number in held and not (
            value.data.dtype.kind == "b" and network.held <= number < network.first)
           for value, number in zip(inputs, node.sources, strict=True)):
        return True
    signed = [*map(_sign, inputs)]
    return _lacks(find_lowering, _signed_layer(network, index, signed), signed, _WAYS)


def _is_special(value):
    """Whether passes can read a value only if passes have written it."""
    return value.bits > CELL_BITS or value.data.dtype.kind == "b"


def _lacks(find, *arguments):
    """Whether there are no passes."""
    try:
        find(*arguments)
    except Refusal as refusal:
        if not refusal.kind.needs_golden:
            raise
        return True
    return False
