# SPDX-License-Identifier: Apache-2.0
"""Every network layer's description and cost on a device."""

from dataclasses import dataclass

from xymac.golden.mli1 import Eltwise
from xymac.golden.tflm import Reshape
from xymac.hdl.isa import COUNTERS
from xymac.host.cycles.ideal import ideal_cycles
from xymac.host.files.html import html_table
from xymac.host.plan.graph import previous
from xymac.host.plural import plural

from .facts import LayerFacts

__all__ = ["LayerCost", "LayerCosts", "layer_costs", "total_cost"]


@dataclass(frozen=True)
class LayerCost:
    """A layer, or all layers.

    Parameters
    ----------
    name, kernel, shape, type : str, for display
    takes : str, input names; empty if all layers form a chain
    facts : the plan's LayerFacts; None without a device
    ideal : float, ideal cycles: work divided by the peak rate
    counters : dict by ``COUNTERS``, or None if the device does not count
    number : int, operator number in a file with numbered operators, else None
    """

    name:     str
    takes:    str
    kernel:   str
    shape:    str
    type:     str
    facts:    LayerFacts | None
    ideal:    float
    counters: dict | None
    number:   int | None = None

    @property
    def cycles(self):
        """The layer's measured cycles."""
        return self.counters["cycles"]

    @property
    def remarks(self):
        """Remarks on the layer's plan."""
        return "" if self.facts is None else self.facts.remarks


class LayerCosts(list):
    """LayerCosts of a network in order; a notebook shows them as a table."""

    def __repr__(self):
        total = total_cost(self) if self else None
        cycles = "" if total is None or total.counters is None else f", {total.cycles:,} cycles"
        return f"<LayerCosts: {plural(len(self), 'layer')}{cycles}>"

    def _repr_html_(self):
        """Layers with cycles, if they were counted, and ideal cycles."""
        counted = bool(self) and self[0].counters is not None
        head    = ("layer", "operator", "name", "shape", "type", "remarks", *["cycles"] * counted,
                   "ideal")
        rows    = ((str(index if cost.number is None else cost.number), cost.kernel, cost.name,
                    cost.shape, cost.type, cost.remarks, *([cost.cycles] if counted else []),
                    round(cost.ideal)) for index, cost in enumerate(self))
        return html_table(repr(self)[1:-1], head, rows)


def layer_costs(network, inference, config):
    """LayerCosts of every layer in ``network``, from the last image in ``inference``."""
    first    = network.first
    branches = any(node.sources != previous(index, first)
                   for index, node in enumerate(network.nodes))
    costs = LayerCosts()
    for index, node in enumerate(network.nodes):
        sources = [network.values[number] for number in node.sources]
        facts   = inference.facts[index] if inference.facts else None
        costs.append(LayerCost(
            node.name,
            ", ".join(_known(network, number) for number in node.sources) if branches else "",
            _kernel(network.operators[index], node.layer),
            _shapes(sources, network.values[first + index]), node.layer.data_type(*sources),
            facts, _ideal(node.layer, config, sources, facts),
            inference.layers[index] if inference.cycles else None,
            network.numbers[index] if network.numbers else None))
    return costs


def total_cost(costs):
    """LayerCost for all layers, start to interrupt."""
    counters = facts = None
    if costs[0].counters is not None:
        counters = {name: sum(cost.counters[name] for cost in costs) for name in COUNTERS}
    if costs[0].facts is not None:
        facts = LayerFacts(sum(cost.facts.passes for cost in costs))
    return LayerCost("", "", "all layers", "", "", facts, sum(cost.ideal for cost in costs),
                     counters)


def _ideal(layer, config, sources, facts):
    """Ideal cycles; 0 for layers computed by the host or by other layers, and for reshapes."""
    if isinstance(layer, Reshape) or (facts is not None and (facts.host or facts.folded)):
        return 0.0
    return ideal_cycles(layer, config, *(source.shape for source in sources))


def _known(network, number):
    """A value's display name: its operator number, or its name."""
    if network.numbers and number >= network.first and not network.is_copy(number - network.first):
        return str(network.numbers[number - network.first])
    return network.name_of(number)


def _shape(shape):
    return "x".join(map(str, shape)) or "scalar"


def _shapes(sources, target):
    inputs = ", ".join(dict.fromkeys(_shape(source.shape) for source in sources))
    return f"{inputs} > {_shape(target.shape)}"


def _kernel(name, layer):
    kernel = getattr(layer, "kernel", None)
    if kernel is None:
        return name + (f" {layer.op.value}" if isinstance(layer, Eltwise) else "")
    steps  = layer.stride if hasattr(layer, "stride") else layer.window.stride
    stride = "" if steps == (1, 1) else f" /{_shape(steps)}"
    return f"{name} {_shape(kernel)}{stride}"
