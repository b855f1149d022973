# SPDX-License-Identifier: Apache-2.0
"""Host-computed layers at a network's edges: floating point and 32-bit integers."""

from dataclasses import dataclass, replace

from xymac.golden.tflm import Quantize, Softmax
from xymac.golden.tflm.layer import TensorLayer
from xymac.hdl.isa import CELL_BITS
from xymac.host.errors import InputError, Refusal
from xymac.host.lower.registry import check_passes, find_lowering

from .unsigned import as_signed, is_unsigned, make_signed

__all__ = ["DevicePart", "find_blocked", "split_network"]

_CONVERTING = ("DEQUANTIZE", "QUANTIZE", "COPY")
_WAYS = 4  #: MACs per lane of any core: all cores have passes for the same types.


@dataclass(frozen=True)
class DevicePart:
    """A network's device layers.

    Parameters
    ----------
    nodes : tuple of Node with their own value numbers: ``inputs`` first; uint8 values become int8
    layers : tuple of int, each node's network layer number
    inputs : tuple of int, network values read by the nodes
    outputs : frozenset of int, nodes whose output is a network output or read by the host
    before, after : tuples of int, layers computed by the host before and after the device
    blanks : tuple of golden Array, zeros in each input's format
    """

    nodes:   tuple
    layers:  tuple
    inputs:  tuple
    outputs: frozenset
    before:  tuple = ()
    after:   tuple = ()
    blanks:  tuple = ()


def split_network(network):
    """A Network's DevicePart.

    The host computes layers with floating-point inputs or outputs, layers on 32-bit or wider
    integers or bool without passes, and TensorFlow Lite operators without any passes. InputError if
    such a layer lies between device layers.
    """
    before, after = _find_edges(network)
    edges  = {*before, *after}
    ours   = [index for index in range(len(network.nodes)) if index not in edges]
    _check_edges(network, ours, after)
    made   = {network.first + index for index in ours}
    inputs = sorted({number for index in ours for number in network.nodes[index].sources
                     if number not in made})
    places = {number: place for place, number in enumerate(
        (*inputs, *(network.first + index for index in ours)))}
    wanted = {*network.outputs, *(each.following for each in network.variables)}.union(
        *(network.nodes[index].sources for index in edges))
    return DevicePart(
        tuple(_node(network, index, places) for index in ours), tuple(ours), tuple(inputs),
        frozenset(place for place, index in enumerate(ours) if network.first + index in wanted),
        tuple(before), tuple(after),
        tuple(_sign(network.values[number]) for number in inputs))


def find_blocked(network):
    """Numbers, a set, of the layers that the host alone computes and layers of the core read."""
    before, after = _find_edges(network)
    edges = {*before, *after}
    return {number - network.first for index in range(len(network.nodes)) if index not in edges
            for number in network.nodes[index].sources} & {*after}


def _sign(value):
    return as_signed(value) if is_unsigned(value) else value


def _node(network, index, places):
    """A node with values numbered by ``places`` and without uint8 values."""
    node   = network.nodes[index]
    layer  = node.layer
    inputs = [network.values[number] for number in node.sources]
    output = network.values[network.first + index]
    if isinstance(layer, TensorLayer) and (isinstance(layer, Quantize) or any(
            map(is_unsigned, (*inputs, output)))):
        layer = make_signed(layer, [*map(_sign, inputs)], output)
    return replace(node, layer=layer, sources=tuple(places[number] for number in node.sources))


def _find_edges(network):
    """The host's layer numbers: independent of the device, and the others."""
    before, after, held = [], [], {*range(network.first)}
    for index, node in enumerate(network.nodes):
        if not _is_edge(network, index, held):
            continue
        if held.issuperset(node.sources):
            before.append(index)
            held.add(network.first + index)
        else:
            after.append(index)
    return before, after


def _is_edge(network, index, held):
    """Whether the host computes a layer if it has the values ``held``."""
    node   = network.nodes[index]
    inputs = [network.values[number] for number in node.sources]
    values = [*inputs, network.values[network.first + index]]
    if any(value.data.dtype.kind == "f" for value in values) or network.is_copy(index):
        return True
    if not isinstance(node.layer, TensorLayer):
        return False
    if not any(map(_is_special, values)):
        return _lacks(check_passes, node.layer) or (
            isinstance(node.layer, Softmax) and _lacks(find_lowering, node.layer, inputs, _WAYS))
    # The host writes no such values except bool constants; passes write the others.
    if any(_is_special(value) and number in held and not (
            value.data.dtype.kind == "b" and network.held <= number < network.first)
           for value, number in zip(inputs, node.sources, strict=True)):
        return True
    return _lacks(find_lowering, node.layer, inputs, _WAYS)


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


def _check_edges(network, ours, after):
    """Refuse device layers that read a host layer's output after the device; the InputError names
    all operators in front of them.
    """
    behind = {network.first + index: index for index in after}
    for index in ours:
        for number in network.nodes[index].sources:
            if number in behind:
                edge  = network.nodes[behind[number]]
                types = sorted({value.data.dtype.name.upper() for value
                                in (network.values[each] for each in (*edge.sources, number))
                                if value.data.dtype.kind == "f" or _is_special(value)})
                what  = " and ".join(types) or f"{type(edge.layer).__name__}, without passes,"
                raise InputError(f"{edge.title}: {what} must be at the beginning or the end of the "
                                 f"network, not in front of {network.nodes[index].title}"
                                 f"{_list_between(network, ours, behind)}")


def _list_between(network, ours, behind):
    """The host's operators between device layers by name, as the end of a sentence; empty if there
    is one, and without numbered operators.
    """
    wanted = {number for index in ours for number in network.nodes[index].sources} & {*behind}
    for number in sorted(behind, reverse=True):
        if number in wanted:
            wanted |= {*network.nodes[behind[number]].sources} & {*behind}
    places = {}
    for number in sorted(wanted):
        index = behind[number]
        if network.numbers and network.operators[index] not in _CONVERTING:
            places.setdefault(network.operators[index], []).append(str(network.numbers[index]))
    listed = [f"{', '.join(numbers)} ({name})" for name, numbers in places.items()]
    count  = sum(map(len, places.values()))
    return f"; between layers of the core lie operator{'s' * (count > 1)} {', '.join(listed)}" * (
        count > 1 or (count == 1 and len(wanted) > 1))
