# SPDX-License-Identifier: Apache-2.0
"""Nodes of a layer graph, and checks of their inputs."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from xymac.host.errors import InputError, Refusal, check_type
from xymac.host.plural import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xymac.golden.array import Array
    from xymac.golden.layer import Layer

__all__ = ["Node", "blank_values", "chain", "check_inputs", "check_layers",
           "name_refusals", "nodes_of", "previous"]


@dataclass(frozen=True)
class Node:
    """A layer and its input value numbers.

    Value numbers start at 0: network inputs first, then each layer's output.

    Parameters
    ----------
    layer : golden layer
    sources : tuple of int
    name : str, layer name in errors; by default its number in the plan
    label : str, prefix for error messages; by default built from name and layer
    """

    layer:   Layer
    sources: tuple[int, ...]
    name:    str = ""
    label:   str = ""

    @property
    def title(self) -> str:
        """Prefix for error messages."""
        return self.label or f"Layer {self.name} ({type(self.layer).__name__})"


def previous(index: int, inputs: int = 1) -> tuple[int, ...]:
    """Input value numbers for layer ``index`` in a chain.

    The first layer reads all inputs, each further layer its predecessor's output.
    """
    return tuple(range(inputs)) if index == 0 else (inputs + index - 1,)


def chain(layers: Sequence[Layer], inputs: int = 1) -> list[Node]:
    """Node list for a layer chain."""
    return [Node(layer, previous(index, inputs)) for index, layer in enumerate(layers)]


def nodes_of(layers: Sequence[Node] | Sequence[Layer], inputs: int = 1) -> list[Node]:
    """Named Node list from Nodes or from a layer chain.

    InputError for an empty list, an object other than a list, and elements other than Nodes, or
    other than layers.
    """
    check_layers(layers)
    if not layers:
        raise InputError("A plan must have at least one layer, not 0")
    nodes = (cast("list[Node]", list(layers)) if isinstance(layers[0], Node)
             else chain(cast("Sequence[Layer]", layers), inputs))
    return [replace(node, name=node.name or str(number)) for number, node in enumerate(nodes)]


def check_layers(layers: Any) -> None:
    """Raise InputError unless ``layers`` is a list of Nodes, or of layers."""
    check_type("layers", layers, list, tuple, hint=", of layers or of Nodes")
    nodes = bool(layers) and isinstance(layers[0], Node)
    for number, layer in enumerate(layers):
        if isinstance(layer, Node) != nodes or not (nodes or hasattr(layer, "output_like")):
            kind = "Node, like layers[0]" if nodes else "layer"
            raise InputError(f"layers[{number}] must be a {kind}, not {type(layer).__name__}")


@contextmanager
def name_refusals(node: Node, nodes: Sequence[Node]) -> Iterator[None]:
    """Prefix a ValueError or TypeError with a Node's title.

    In a plan with a single Node, only a label adds the prefix.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        if len(nodes) == 1 and not node.label:
            raise
        if isinstance(error, Refusal):
            raise error.within(node.title) from error
        raise type(error)(f"{node.title}: {error}") from error


def blank_values(nodes: Sequence[Node], inputs: Sequence[Array]) -> Iterator[Array]:
    """Yield zero Tensors in each value's format, the ``inputs`` first.

    ValueError or TypeError for refused inputs, a wrong input count, and sources from later layers.
    """
    values = list(inputs)
    yield from values
    for node in nodes:
        values.append(node.layer.output_like(*check_inputs(node, values)))
        yield values[-1]


def check_inputs(node: Node, values: Sequence[Array]) -> list[Array]:
    """List of ``node``'s input ``values``, accepted by its layer.

    Raises the errors of ``blank_values``.
    """
    if not all(0 <= number < len(values) for number in node.sources):
        raise ValueError(f"Sources must be values from 0 to {len(values) - 1}, "
                         f"not {node.sources}")
    count = node.layer.inputs
    if count not in (None, len(node.sources)):
        raise ValueError(f"{type(node.layer).__name__} takes "
                         f"{plural(count, 'input')}, not {len(node.sources)}")
    inputs = [values[number] for number in node.sources]
    node.layer.check(*inputs)
    return inputs
