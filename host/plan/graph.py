"""Layers and which values each of them takes."""

from contextlib import contextmanager
from dataclasses import dataclass, replace

__all__ = ["Node", "blank_values", "chain", "check_inputs", "name_refusals",
           "nodes_of", "previous"]


@dataclass(frozen=True)
class Node:
    """A layer and the numbers of the values that it takes.

    Values are numbered from 0: first the inputs of a network, then the output of every layer.

    Parameters
    ----------
    layer : golden layer
    sources : tuple of int
    name : str, of the layer in errors; a plan takes its number without one
    label : str, what errors begin with; made of name and layer without one
    """

    layer:   object
    sources: tuple
    name:    str = ""
    label:   str = ""

    @property
    def title(self):
        """What errors begin with."""
        return self.label or f"Layer {self.name} ({type(self.layer).__name__})"


def previous(index, inputs=1):
    """Values that layer ``index`` of a chain takes: the first one all inputs, each of the others
    the output of the one before."""
    return tuple(range(inputs)) if index == 0 else (inputs + index - 1,)


def chain(layers, inputs=1):
    """Nodes of layers that follow one another."""
    return [Node(layer, previous(index, inputs)) for index, layer in enumerate(layers)]


def nodes_of(layers, inputs=1):
    """Nodes, all of which have names, of Nodes or of layers that follow one another: a list.

    ValueError if there is none.
    """
    if not layers:
        raise ValueError("A plan must have at least one layer, not 0")
    nodes = list(layers) if isinstance(layers[0], Node) else chain(layers, inputs)
    return [replace(node, name=node.name or str(number)) for number, node in enumerate(nodes)]


@contextmanager
def name_refusals(node, nodes):
    """Begin the sentence of a ValueError or TypeError with the title of a Node, one of several or
    one with a label."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if len(nodes) == 1 and not node.label:
            raise
        raise type(error)(f"{node.title}: {error}") from error


def blank_values(nodes, inputs):
    """Tensors of zeros in the format of all values, the ``inputs`` first.

    Yields them one by one; ValueError or TypeError for what a layer refuses, a wrong number of
    values, or values that come later.
    """
    values = list(inputs)
    yield from values
    for node in nodes:
        values.append(node.layer.output_like(*check_inputs(node, values)))
        yield values[-1]


def check_inputs(node, values):
    """Those of ``values`` that ``node`` takes, once its layer has accepted them: a list.

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
