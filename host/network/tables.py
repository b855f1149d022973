# SPDX-License-Identifier: Apache-2.0
"""FLOAT32 steps between layers of the core, as tables of INT8.

A converter keeps operators in FLOAT32 that it does not quantise, such as ELU: DEQUANTIZE, ELU,
QUANTIZE. Element by element this is a function of a byte, a table. Moves between these steps move
the bytes of the table's outputs instead.
"""

from dataclasses import dataclass, replace

import numpy as np

from xymac.golden import run
from xymac.golden.tflm import (
    Concatenation,
    Dequantize,
    Pack,
    PlainBinary,
    PlainTable,
    PlainUnary,
    Quantize,
    Tensor,
)
from xymac.golden.tflm.moves.move import Moved
from xymac.golden.tflm.moves.pick import Picked
from xymac.host.plan.graph import Node

from .edges import find_blocked

__all__ = ["table_reals"]

_BYTES = np.arange(-128, 128).astype(np.int8)
_MOVES = (Moved, Concatenation, Pack)  #: Every output element is an element of an input.


@dataclass(frozen=True)
class _Made:
    """A node with the operator name and number that the Network gets for it."""

    node:     Node
    operator: str
    number:   int | None


def table_reals(network):
    """The Network with tables in place of FLOAT32 steps that the host could compute only between
    layers of the core; other such steps stay.
    """
    layers = [type(node.layer) for node in network.nodes]
    if Dequantize not in layers or Quantize not in layers[layers.index(Dequantize):]:
        return network
    tables = _Tables(network)
    for index in sorted(find_blocked(network)):
        tables.replace(index)
    return tables.network if tables.made else network


class _Tables:
    """Tables for some QUANTIZE layers of a Network.

    Attributes
    ----------
    made : dict, lists of _Made by the replaced layer's number; their values are numbered from the
        Network's last value on, and the last of a list replaces the layer's output
    """

    def __init__(self, network):
        self._network = network
        self._next    = len(network.values)
        self.made     = {}

    def replace(self, index):
        """Replace layer ``index`` if its output is made of bytes, element by element."""
        network = self._network
        node    = network.nodes[index]
        source  = node.sources[0]
        if not isinstance(node.layer, Quantize) or not _is_real(network.values[source]) or (
                network.values[network.first + index].type_name != "INT8"):
            return
        made, first = [], self._next
        if self._add(source, node, lambda x: run(node.layer, x).output, made) is None:
            self._next = first
            return
        last = made[-1]
        made[-1] = replace(last, node=replace(last.node, name=node.name, label=node.label),
                           number=network.numbers[index])
        self.made[index] = made

    def _add(self, number, end, finish, made):
        """Append layers of bytes that ``finish``, a function of Tensors, makes of a real value.

        Returns the last layer's value number, None if there are no such layers.
        """
        root, names = self._root(number)
        maker = self._maker(root)
        if maker is None:
            return None
        layer = maker.layer

        def compute(x):
            return finish(self._compute(number, root, x))

        if isinstance(layer, Dequantize):
            [source] = maker.sources
            x = self._network.values[source]
            if x.type_name != "INT8":
                return None
            try:
                outputs = compute(run(layer, replace(x, data=_BYTES)).output).data
            except ValueError:  # of a byte without an output, as for the logarithm of 0
                return None
            layer, sources = PlainTable(tuple(outputs.tolist()), end.layer.out), (source,)
        elif isinstance(layer, _MOVES) and not isinstance(layer, Picked):
            names   = [self._network.operators[root - self._network.first]]
            sources = tuple(self._add(each, end, compute, made) for each in maker.sources)
            if None in sources:
                return None
            layer = replace(layer, out=end.layer.out)
        else:
            return None
        index = number - self._network.first
        given = self._network.nodes[index]
        made.append(_Made(Node(layer, sources, given.name, given.label),
                          "+".join(names) or "QUANTIZE", self._network.numbers[index]))
        self._next += 1
        return self._next - 1

    def _maker(self, number):
        """The node of a value, None for an input, variable or constant."""
        return None if number < self._network.first else (
            self._network.nodes[number - self._network.first])

    def _root(self, number):
        """The value that a real value is a function of, element by element, and the operators
        between them; the value itself if it is made of several.
        """
        names, open_ = [], {number}
        while True:
            value   = max(open_)
            sources = self._varied(value)
            if sources is None:
                return (value, names[::-1]) if len(open_) == 1 else (number, [])
            names.append(self._network.operators[value - self._network.first])
            open_ = open_ - {value} | sources

    def _varied(self, number):
        """Sources of a real value that is made of them element by element, without constants of an
        element; None for other values.
        """
        maker, values = self._maker(number), self._network.values
        if maker is None or not isinstance(maker.layer, PlainUnary | PlainBinary):
            return None
        varied = {each for each in maker.sources if not self._is_scalar(each)}
        alike  = all(values[each].shape == values[number].shape for each in varied)
        return varied if varied and alike and _is_real(values[number]) else None

    def _is_scalar(self, number):
        """Whether a value is a constant of an element."""
        network = self._network
        return (network.held <= number < network.first
                and network.values[number].data.size == 1)

    def _compute(self, number, root, x):
        """A real value where its root is the Tensor ``x``, of one dimension."""
        known = {root: x}

        def find(each):
            if self._is_scalar(each):
                return Tensor(self._network.values[each].data.reshape(1))
            if each not in known:
                maker = self._maker(each)
                known[each] = run(maker.layer, *map(find, maker.sources)).output
            return known[each]

        return find(number)

    @property
    def network(self):
        """The Network with the tables, without layers that nothing reads any more."""
        old   = self._network
        items = [made for index in range(len(old.nodes)) for made in self._items(index)]
        used  = {*old.outputs, *(each.following for each in old.variables)}
        kept  = []
        for number, made in reversed(items):
            if number in used or not self._is_spent(number):
                used.update(made.node.sources)
                kept.insert(0, (number, made))
        places = {number: number for number in range(old.first)} | {
            number: old.first + place for place, (number, _) in enumerate(kept)}
        nodes = tuple(replace(made.node, sources=tuple(places[each] for each in made.node.sources))
                      for _, made in kept)
        return replace(
            old, nodes=nodes, outputs=tuple(places[number] for number in old.outputs),
            operators=tuple(made.operator for _, made in kept),
            numbers=tuple(made.number for _, made in kept),
            variables=tuple(replace(each, following=places[each.following])
                            for each in old.variables))

    def _items(self, index):
        """(value number, _Made) for a layer, or for the layers in its place."""
        old = self._network
        if index not in self.made:
            yield old.first + index, _Made(old.nodes[index], old.operators[index],
                                           old.numbers[index])
            return
        begin = len(old.values) + sum(len(each) for place, each in self.made.items()
                                      if place < index)
        *before, last = self.made[index]
        yield from enumerate(before, begin)
        yield old.first + index, last

    def _is_spent(self, number):
        """Whether only replaced layers read an unused value: a real one."""
        return number < len(self._network.values) and _is_real(self._network.values[number])


def _is_real(value):
    return value.data.dtype.kind == "f"
