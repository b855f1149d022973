"""What every layer of a network is, and what it cost on a device."""

from dataclasses import dataclass

from golden.mli1 import Eltwise
from hdl.isa import COUNTERS
from host.cycles.floor import floor_cycles
from host.plan.graph import previous

from .network import INPUT, kernel_name

__all__ = ["LayerCost", "layer_costs", "total_cost"]


@dataclass(frozen=True)
class LayerCost:
    """One layer, or all of them.

    Parameters
    ----------
    name, kernel, shape, type : str, as a user reads them
    takes : str, names of the inputs; empty where all layers follow one another
    order : str, what became of the order of elements; empty where nothing did
    floor : float, cycles: least work over what can be done of it in a cycle
    counters : dict by ``COUNTERS``, or None where the device does not count
    """

    name:     str
    takes:    str
    kernel:   str
    shape:    str
    type:     str
    remarks:  str
    floor:    float
    counters: dict | None

    @property
    def cycles(self):
        """Cycles that the layer took."""
        return self.counters["cycles"]


def layer_costs(network, inference, config):
    """List of the LayerCost of every layer of ``network``, of the last image of ``inference``."""
    branches = any(sources != previous(index) for index, sources in enumerate(network.sources))
    values, known, costs = network.values, (INPUT, *network.names), []
    for index, node in enumerate(network.nodes):
        sources = [values[number] for number in node.sources]
        costs.append(LayerCost(
            network.names[index],
            ", ".join(known[number] for number in node.sources) if branches else "",
            _kernel(node.layer), _shapes(sources, values[index + 1]),
            node.layer.data_type(*sources),
            inference.remarks[index] if inference.remarks else "",
            floor_cycles(node.layer, config, *(source.shape for source in sources)),
            inference.layers[index] if inference.cycles else None))
    return costs


def total_cost(costs):
    """LayerCost of all layers, start to interrupt."""
    counters = None
    if costs[0].counters is not None:
        counters = {name: sum(cost.counters[name] for cost in costs) for name in COUNTERS}
    return LayerCost("", "", "all layers", "", "", "", sum(cost.floor for cost in costs), counters)


def _shape(shape):
    return "x".join(map(str, shape))


def _shapes(sources, target):
    inputs = ", ".join(dict.fromkeys(_shape(source.shape) for source in sources))
    return f"{inputs} > {_shape(target.shape)}"


def _kernel(layer):
    kernel = getattr(layer, "kernel", None)
    if kernel is None:
        return kernel_name(layer) + (f" {layer.op.value}" if isinstance(layer, Eltwise) else "")
    stride = "" if layer.stride == (1, 1) else f" /{_shape(layer.stride)}"
    return f"{kernel_name(layer)} {_shape(kernel)}{stride}"
