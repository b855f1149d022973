"""Tables and sentences of ``xymac run``."""

import numpy as np
from rich.table import Table

from golden import Tensor
from hdl.isa import COUNTERS

from .floor import floor_cycles, layer_type
from .network import kernel_name

__all__ = ["layer_table", "prediction_lines", "verdict"]

SHOWN  = 30  #: Images whose label and prediction are shown; wrong ones always are.
STALLS = COUNTERS[2:]
_NAMES = {"machine": "Machine", "rtl": "RTL"}


def _shape(shape):
    return "x".join(map(str, shape))


def _layers(network):
    """Index, layer, input and output shape of every layer."""
    shape = network.input_shape
    for index, layer in enumerate(network.layers):
        target = layer.output_shape(shape)
        yield index, layer, shape, target
        shape = target


def _describe(layer):
    kernel = getattr(layer, "kernel", None)
    if kernel is None:
        return kernel_name(layer)
    stride = "" if layer.stride == (1, 1) else f" /{_shape(layer.stride)}"
    return f"{kernel_name(layer)} {_shape(kernel)}{stride}"


def layer_table(network, inference, config):
    """Table of the layers; with cycles where the device of ``inference`` counted them.

    Utilisation is the floor (useful products over products a cycle) by cycles. The last line is
    the whole network, start to interrupt.
    """
    counted = inference.cycles > 0
    table = Table(box=None, title="One image, layer by layer" if counted else None)
    for name in ("layer", "kernel", "shape", "type"):
        table.add_column(name, no_wrap=True)
    names = ("cycles", "floor", "used", f"stall {STALLS[0]}", *STALLS[1:])
    for name in names if counted else ("floor",):
        table.add_column(name, justify="right")
    bits = Tensor(np.zeros(1, network.dtype), 0).bits
    total = 0
    for index, layer, source, target in _layers(network):
        floor = floor_cycles(layer, config, source)
        total += floor
        row = (str(index), _describe(layer), f"{_shape(source)} > {_shape(target)}",
               layer_type(layer, bits))
        table.add_row(*row, *_figures(floor, inference.layers[index] if counted else None))
    sums = {name: sum(layer[name] for layer in inference.layers) for name in COUNTERS}
    table.add_row("", "all layers", "", "", *_figures(total, sums if counted else None),
                  style="bold")
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
            f"{difference.layer} ({kernel_name(layer)}), {difference.what}: "
            f"{difference.actual}, expected {difference.expected}")
