"""Tables and sentences of ``xymac run``."""

from rich.table import Table

from golden import Eltwise
from hdl.isa import COUNTERS

from .floor import floor_cycles, layer_type
from .graph import previous
from .network import INPUT, kernel_name

__all__ = ["layer_table", "prediction_lines", "verdict"]

SHOWN  = 30  #: Images whose label and prediction are shown; wrong ones always are.
STALLS = COUNTERS[2:]
_NAMES = {"machine": "Machine", "rtl": "RTL"}


def _shape(shape):
    return "x".join(map(str, shape))


def _shapes(sources, target):
    inputs = ", ".join(dict.fromkeys(_shape(source.shape) for source in sources))
    return f"{inputs} > {_shape(target.shape)}"


def _describe(layer):
    kernel = getattr(layer, "kernel", None)
    if kernel is None:
        return kernel_name(layer) + (f" {layer.op.value}" if isinstance(layer, Eltwise) else "")
    stride = "" if layer.stride == (1, 1) else f" /{_shape(layer.stride)}"
    return f"{kernel_name(layer)} {_shape(kernel)}{stride}"


def _columns(network):
    """Names of the columns that say what a layer is, and a row of texts for every layer.

    Inputs are a column only if some layer does not take the output of the one before.
    """
    branches = any(sources != previous(index) for index, sources in enumerate(network.sources))
    values, known, rows = network.values, (INPUT, *network.names), []
    for index, node in enumerate(network.nodes):
        sources = [values[number] for number in node.sources]
        takes   = [", ".join(known[number] for number in node.sources)] * branches
        rows.append((network.names[index], *takes, _describe(node.layer),
                     _shapes(sources, values[index + 1]),
                     layer_type(node.layer, sources[0].bits)))
    return ("layer", *["takes"] * branches, "kernel", "shape", "type"), rows


def _floors(network, config):
    shapes = [value.shape for value in network.values]
    return [floor_cycles(node.layer, config, *(shapes[number] for number in node.sources))
            for node in network.nodes]


def layer_table(network, inference, config):
    """Table of the layers; with cycles where the device of ``inference`` counted them.

    Utilisation is the floor (least work over what can be done of it in a cycle) by cycles. The last
    line is the whole network, start to interrupt.
    """
    counted = inference.cycles > 0
    table = Table(box=None, title="One image, layer by layer" if counted else None)
    left, rows = _columns(network)
    for name in left:
        table.add_column(name, no_wrap=True)
    names = ("cycles", "floor", "used", f"stall {STALLS[0]}", *STALLS[1:])
    for name in names if counted else ("floor",):
        table.add_column(name, justify="right")
    floors = _floors(network, config)
    for index, (row, floor) in enumerate(zip(rows, floors, strict=True)):
        table.add_row(*row, *_figures(floor, inference.layers[index] if counted else None))
    sums = {name: sum(layer[name] for layer in inference.layers) for name in COUNTERS}
    table.add_row("", "all layers", *[""] * (len(left) - 2),
                  *_figures(sum(floors), sums if counted else None), style="bold")
    return table


def _figures(floor, counters):
    if counters is None:
        return (f"{floor:.0f}",)
    cycles = counters["cycles"]
    return (f"{cycles:,}", f"{floor:,.0f}", f"{floor / cycles:.0%}" if cycles else "-",
            *(f"{counters[name]:,}" for name in STALLS))


def prediction_lines(predictions, labels):
    """Lines that show predictions next to labels, every wrong one, and the accuracy."""
    shown = predictions[:SHOWN]
    if labels is None:
        yield f"predicted  {' '.join(map(str, shown))}"
        return
    more = f"  ... ({len(predictions) - SHOWN} more)" if len(predictions) > SHOWN else ""
    yield f"label      {' '.join(map(str, labels[:SHOWN]))}{more}"
    yield f"predicted  {' '.join(map(str, shown))}"
    wrong = [(index, label, predicted) for index, (label, predicted)
             in enumerate(zip(labels, predictions, strict=True)) if label != predicted]
    if wrong:
        yield "wrong      " + ", ".join(f"image {index}: {label} as {predicted}"
                                        for index, label, predicted in wrong)
    right = len(predictions) - len(wrong)
    yield f"{right} of {len(predictions)} right ({right / len(predictions):.1%})"


def verdict(backend, network, inference):
    """Sentence that says whether the backend gave the golden results."""
    if backend == "golden":
        return "Computed by the golden kernels alone"
    name, difference = _NAMES[backend], inference.difference
    if difference is None:
        return (f"{name} = golden, bit for bit: {inference.compared} of {len(network.layers)} "
                f"layers of {len(inference.predictions)} images compared")
    layer = network.layers[difference.layer]
    return (f"{name} differs from golden first at image {difference.image}, layer "
            f"{network.names[difference.layer]} ({kernel_name(layer)}), {difference.what}: "
            f"{difference.actual}, expected {difference.expected}")
