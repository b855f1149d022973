# SPDX-License-Identifier: Apache-2.0
"""INT8 lookup tables in place of FLOAT32 operators between quantised layers.

Converters keep unquantised operators such as ELU in FLOAT32: DEQUANTIZE, ELU, QUANTIZE. Each output
element is then a function of an input byte, a table with 256 entries. Reshapes, concatenations and
other moves between such operators move the table's INT8 outputs.
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
    """A new Network's node with its operator name and number."""

    node:     Node
    operator: str
    number:   int | None


def table_reals(network):
    """The Network with tables in place of FLOAT32 layers between core layers, where possible.

    FLOAT32 layers before the first or after the last core layer stay.
    """
    layers = [type(node.layer) for node in network.nodes]
    if Dequantize not in layers or Quantize not in layers[layers.index(Dequantize):]:
        return network
    tables = _Tables(network)
    for index in sorted(find_blocked(network)):
        tables.replace(index)
    return tables.network if tables.made else network


class _Tables:
    """Replace QUANTIZE layers of a Network by INT8 layers.

    Attributes
    ----------
    made : dict by replaced layer number, lists of _Made. Their outputs have value numbers behind
        the Network's last value; a list's last entry takes over the replaced layer's output
    """

    def __init__(self, network):
        self._network = network
        self._next    = len(network.values)
        self.made     = {}

    def replace(self, index):
        """Replace layer ``index`` if each output element depends on a single INT8 element."""
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
        """Append to ``made`` the INT8 layers for ``finish(real value number)``.

        ``finish`` is a function from a Tensor to a Tensor, ``end`` the QUANTIZE node. Returns the
        last layer's value number, or None if no INT8 layers compute this value.
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
            except ValueError:  # a byte has no output, such as the logarithm of 0
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
        """The node that writes a value; None for an input, variable or constant."""
        return None if number < self._network.first else (
            self._network.nodes[number - self._network.first])

    def _root(self, number):
        """(value number, operator names): the only value on which a real value depends, element by
        element, and the operators between them; (``number``, []) if there are several.
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
        """Sources of an elementwise layer's value, a set without scalar constants; else None."""
        maker, values = self._maker(number), self._network.values
        if maker is None or not isinstance(maker.layer, PlainUnary | PlainBinary):
            return None
        varied = {each for each in maker.sources if not self._is_scalar(each)}
        alike  = all(values[each].shape == values[number].shape for each in varied)
        return varied if varied and alike and _is_real(values[number]) else None

    def _is_scalar(self, number):
        """Whether a value is a constant with a single element."""
        network = self._network
        return (network.held <= number < network.first
                and network.values[number].data.size == 1)

    def _compute(self, number, root, x):
        """The real value ``number`` if its ``root`` is the 1-D Tensor ``x``."""
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
        """The Network with the tables, without FLOAT32 layers that have lost their readers."""
        old   = self._network
        items = [made for index in range(len(old.nodes)) for made in self._items(index)]
        used  = {*old.outputs, *(each.following for each in old.variables)}
        kept  = []
        for number, made in reversed(items):
            if number in used or not self._is_spent(number):
                used.update(made.node.sources)
                kept.insert(0, (number, made))
        renumbered = {number: number for number in range(old.first)} | {
            number: old.first + index for index, (number, _) in enumerate(kept)}
        nodes = tuple(replace(made.node, sources=tuple(
            renumbered[each] for each in made.node.sources)) for _, made in kept)
        return replace(
            old, nodes=nodes, outputs=tuple(renumbered[number] for number in old.outputs),
            operators=tuple(made.operator for _, made in kept),
            numbers=tuple(made.number for _, made in kept),
            variables=tuple(replace(each, following=renumbered[each.following])
                            for each in old.variables))

    def _items(self, index):
        """Yield (value number, _Made) for a layer, or for the layers that replace it."""
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
        """Whether an unused value is a FLOAT32 value of the old Network."""
        return number < len(self._network.values) and _is_real(self._network.values[number])


def _is_real(value):
    return value.data.dtype.kind == "f"
