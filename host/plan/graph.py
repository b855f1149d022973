# SPDX-License-Identifier: Apache-2.0
"""Layers and which values each of them takes."""

from contextlib import contextmanager
from dataclasses import dataclass, replace

__all__ = ["Node", "blank_values", "chain", "check_inputs", "name_refusals",
           "nodes_of", "previous"]


@dataclass(frozen=True)
class Node:
    """A layer and the numbers of its input values.

    Values are numbered from 0: first the inputs of a network, then the output of every layer.

    Parameters
    ----------
    layer : golden layer
    sources : tuple of int
    name : str, of the layer in errors; by default its number in the plan
    label : str, beginning of error messages; by default made of name and layer
    """

    layer:   object
    sources: tuple
    name:    str = ""
    label:   str = ""

    @property
    def title(self):
        """Beginning of error messages."""
        return self.label or f"Layer {self.name} ({type(self.layer).__name__})"


def previous(index, inputs=1):
    """Input values of layer ``index`` of a chain.

    The first layer reads all inputs, each further layer the output of its predecessor.
    """
    return tuple(range(inputs)) if index == 0 else (inputs + index - 1,)


def chain(layers, inputs=1):
    """Nodes of a chain of layers."""
    return [Node(layer, previous(index, inputs)) for index, layer in enumerate(layers)]


def nodes_of(layers, inputs=1):
    """List of named Nodes, made of Nodes or of a chain of layers.

    ValueError for an empty list.
    """
    if not layers:
        raise ValueError("A plan must have at least one layer, not 0")
    nodes = list(layers) if isinstance(layers[0], Node) else chain(layers, inputs)
    return [replace(node, name=node.name or str(number)) for number, node in enumerate(nodes)]


@contextmanager
def name_refusals(node, nodes):
    """Begin a ValueError or TypeError with the title of a Node.

    The only Node of a plan needs a label for that.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        if len(nodes) == 1 and not node.label:
            raise
        raise type(error)(f"{node.title}: {error}") from error


def blank_values(nodes, inputs):
    """Tensors of zeros in the format of all values, the ``inputs`` first.

    A generator. ValueError or TypeError for refusals of a layer, a wrong number of values, and
    values of later layers.
    """
    values = list(inputs)
    yield from values
    for node in nodes:
        values.append(node.layer.output_like(*check_inputs(node, values)))
        yield values[-1]


def check_inputs(node, values):
    """List of the input ``values`` of ``node``, accepted by its layer.

    Errors are those of ``blank_values``.
    """
    if not all(0 <= number < len(values) for number in node.sources):
        raise ValueError(f"Sources must be values from 0 to {len(values) - 1}, "
                         f"not {node.sources}")
    count = node.layer.inputs
    if count not in (None, len(node.sources)):
        raise ValueError(f"{type(node.layer).__name__} takes {count} "
                         f"input{'s' * (count > 1)}, not {len(node.sources)}")
    inputs = [values[number] for number in node.sources]
    node.layer.check(*inputs)
    return inputs
