# SPDX-License-Identifier: Apache-2.0
"""Layer networks, independent of a file format, and their labelled inputs."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np

from xymac.golden.array import Array
from xymac.golden.ints import plain
from xymac.host.errors import InputError, check_type, translate_refusals
from xymac.host.files.html import html_table
from xymac.host.plan.graph import Node, check_inputs, check_layers, previous
from xymac.host.plural import plural

from .edges import rank_values
from .kernels import kernel_name

__all__ = ["ELEMENTS", "INPUT", "Images", "Network", "check_elements", "describe_value",
           "join_layers"]

INPUT    = "input"  #: Name of a network's single input.
ELEMENTS = 1 << 24  #: Largest element count, far beyond any core's memories.


@dataclass(frozen=True, repr=False)
class Network:
    """Layers and their input values.

    Values are numbered from 0: inputs, variables, constants used as values, then every node's
    output.

    Parameters
    ----------
    name : str
    nodes : tuple of Node with names
    inputs : tuple of golden Array, zeros in each input's format
    input_names : tuple of str
    constants : tuple of golden Array
    outputs : tuple of int, value numbers; by default the last value
    operators : tuple of str, each node's kernel name in a file
    numbers : tuple of int, operator numbers in a file with numbered operators; several layers can
        share a number, and a copy without an operator has None; empty for other files
    variables : tuple of objects with ``name``, ``first``, a golden Array for the first input, and
        ``following``, the value number for the next input

    InputError, naming the layer, if a layer refuses its inputs or a value has more than
    ``ELEMENTS`` elements.
    """

    name:        str
    nodes:       tuple
    inputs:      tuple
    input_names: tuple = (INPUT,)
    constants:   tuple = ()
    outputs:     tuple = ()
    operators:   tuple = ()
    numbers:     tuple = ()
    variables:   tuple = ()

    def __post_init__(self):
        if not self.nodes:
            raise InputError("A network must have at least one layer, not 0")
        if not self.operators:
            object.__setattr__(self, "operators",
                               tuple(kernel_name(node.layer) for node in self.nodes))
        object.__setattr__(self, "nodes", tuple(
            node if node.label else replace(node, label=f"Layer {node.name} ({operator})")
            for node, operator in zip(self.nodes, self.operators, strict=True)))
        if not self.outputs:
            object.__setattr__(self, "outputs", (self.first + len(self.nodes) - 1,))
        object.__setattr__(self, "values", tuple(_values(self)))

    def __repr__(self):
        """Name, layer count, inputs and outputs in a line."""
        ends = [", ".join(f"{self.name_of(number)} {describe_value(self.values[number])}"
                          for number in numbers)
                for numbers in (range(len(self.inputs)), self.outputs)]
        return f"<Network {self.name}: {plural(len(self.nodes), 'layer')}, {ends[0]} to {ends[1]}>"

    def _repr_html_(self):
        """The layers as a table, for notebooks."""
        return html_table(repr(self)[1:-1], ("layer", "operator", "name", "inputs", "output"), (
            (str(index), operator, node.name, ", ".join(map(self.name_of, node.sources)),
             describe_value(self.values[self.first + index]))
            for index, (node, operator) in enumerate(zip(self.nodes, self.operators, strict=True))))

    @property
    def first(self):
        """The first layer's output, a value number."""
        return self.held + len(self.constants)

    @property
    def held(self):
        """Count of values held by the host before a run: inputs and variables, which come first.
        """
        return len(self.inputs) + len(self.variables)

    @property
    def layers(self):
        """The layers, a tuple."""
        return tuple(node.layer for node in self.nodes)

    @cached_property
    def ranks(self):
        """Each value's rank among host and device parts, a list; see ``rank_values``."""
        return rank_values(self)

    @property
    def names(self):
        """Layer names, a tuple."""
        return tuple(node.name for node in self.nodes)

    def is_copy(self, index):
        """Whether layer ``index`` only copies a value, without an operator in the file."""
        return bool(self.numbers) and self.numbers[index] is None

    @property
    def has_states(self):
        """Whether a layer or variable has a state that persists between inputs."""
        return bool(self.variables) or any(hasattr(node.layer, "following") for node in self.nodes)

    @property
    def input_shape(self):
        """The first input's shape."""
        return self.inputs[0].shape

    @property
    def dtype(self):
        """The first input's numpy type."""
        return self.inputs[0].data.dtype

    @property
    def output_names(self):
        """Output names, a tuple."""
        return tuple(self.name_of(number) for number in self.outputs)

    def name_of(self, number):
        """A value's name."""
        if number < len(self.inputs):
            return self.input_names[number]
        if number < self.held:
            return self.variables[number - len(self.inputs)].name
        if number < self.first:
            return f"constant {number - self.held}"
        return self.nodes[number - self.first].name

    def tensor(self, data):
        """The first input with ``data``."""
        return replace(self.inputs[0], data=data)


@dataclass(frozen=True, repr=False)
class Images:
    """Network inputs.

    Parameters
    ----------
    data : array ``(count, *input shape)``; a tuple of arrays for several inputs
    labels : array (count,) or None
    reading : str, conversion from values to elements; empty without conversion
    files : tuple of str, a file per input; empty if inputs come from an array
    classes : tuple of str, class names by label; empty without names
    """

    data:    np.ndarray | tuple
    labels:  np.ndarray | None = None
    reading: str = ""
    files:   tuple = ()
    classes: tuple = ()

    def __repr__(self):
        """Count, shapes and types in a line."""
        arrays = self.data if isinstance(self.data, tuple) else (self.data,)
        return (f"<Images: {self.count} of " + ", ".join(map(_describe_data, arrays))
                + ", with labels" * (self.labels is not None) + ">")

    @property
    def count(self):
        """Input count."""
        return len(self.data[0] if isinstance(self.data, tuple) else self.data)

    def first(self, limit):
        """The first ``limit`` inputs, an Images; all inputs for None."""
        return self.take(range(self.count)[:limit])

    def take(self, indices):
        """The inputs with the numbers ``indices``, an Images."""
        chosen = [*indices]
        data   = (tuple(each[chosen] for each in self.data) if isinstance(self.data, tuple)
                  else self.data[chosen])
        return replace(self, data=data,
                       labels=None if self.labels is None else self.labels[chosen],
                       files=tuple(self.files[index] for index in chosen) if self.files else ())


def join_layers(name, x, layers, sources=(), names=()):
    """A Network with a single input in the format of ``x``, an Array whose data are ignored.

    Parameters
    ----------
    layers : tuple of golden layers
    sources : tuple of tuples, value numbers read by each layer: 0 is the network input, ``n``
        the output of layer ``n - 1``; by default every layer reads the layer before it
    names : tuple of str, unique layer names other than ``INPUT``; by default the layer numbers
    """
    check_type("x", x, Array)
    check_layers(layers)
    sources = plain(sources) or tuple(previous(index) for index in range(len(layers)))
    names   = names or tuple(map(str, range(len(layers))))
    for noun, given in (("sources", sources), ("names", names)):
        if len(given) != len(layers):
            raise InputError(f"There are {len(layers)} layers, but {len(given)} {noun}")
    if len({INPUT, *names}) != len(names) + 1:
        raise InputError(f"Names must differ from each other and from {INPUT!r}, "
                         f"not {', '.join(names)}")
    return Network(name, tuple(map(Node, layers, sources, names)),
                   (replace(x, data=np.zeros_like(x.data)),))


def describe_value(blank):
    """Type and shape of an Array, such as "INT8 1x8x8x16" or "INT8 scalar"."""
    return f"{blank.type_name} {'x'.join(map(str, blank.shape)) or 'scalar'}"


def _describe_data(array):
    return f"{array.dtype} {'x'.join(map(str, array.shape[1:])) or 'scalar'}"


def _values(network):
    """An Array per value, a list; layer outputs are zeros in the output format."""
    values = [*network.inputs, *(each.first for each in network.variables), *network.constants]
    for name, value in zip(network.input_names, network.inputs, strict=True):
        check_elements("The input" if len(network.inputs) == 1 else f"The input {name}",
                        value.shape)
    for node in network.nodes:
        with translate_refusals(node.title, MemoryError, OverflowError, TypeError, ValueError):
            values.append(node.layer.output_like(*check_inputs(node, values)))
        check_elements(f"{node.title}: the output", values[-1].shape)
    return values


def check_elements(subject, shape):
    """Raise InputError, beginning with ``subject``, for more than ``ELEMENTS`` elements."""
    if prod(shape) > ELEMENTS:
        raise InputError(f"{subject} may have at most {ELEMENTS:,} elements, not {prod(shape):,}, "
                         f"the size of shape {'x'.join(map(str, shape))}")
