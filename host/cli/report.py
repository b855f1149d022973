"""Tables and sentences of ``xymac run``."""

from rich.markup import escape
from rich.table import Table

from hdl.isa import COUNTERS
from host.network.cost import total_cost
from host.network.network import kernel_name

__all__ = ["layer_markdown", "layer_table", "pace", "prediction_lines", "verdict"]

SHOWN  = 30  #: Images whose label and prediction are shown; wrong ones always are.
STALLS = COUNTERS[2:]
_NAMES = {"machine": "Machine", "rtl": "RTL", "serial": "Board"}


def layer_table(costs):
    """Table of LayerCosts; with cycles where they were counted.

    Utilisation is the floor by cycles. The last line is the whole network, start to interrupt.
    """
    words, figures = _columns(costs)
    table = Table(box=None, title="One image, layer by layer" if "cycles" in figures else None)
    for name in words:
        table.add_column(name, overflow="fold")
    for name in figures:
        table.add_column(name.replace(" ", "\n"), justify="right", no_wrap=True)
    for cost in costs:
        table.add_row(*map(escape, _row(cost, words)))
    table.add_row(*_row(total_cost(costs), words), style="bold")
    return table


def layer_markdown(costs):
    """Lines of the same table in Markdown."""
    words, figures = _columns(costs)
    yield f"| {' | '.join((*words, *figures))} |"
    yield "|---" * len((*words, *figures)) + "|"
    for cost in (*costs, total_cost(costs)):
        yield f"| {' | '.join(_row(cost, words))} |"


def _columns(costs):
    """Names of the columns that say what a layer is, and of those that say what it cost."""
    takes   = ["takes"] * any(cost.takes for cost in costs)
    counted = costs[0].counters is not None
    remarks = ["remarks"] * any(cost.remarks for cost in costs)
    return (("layer", *takes, "kernel", "shape", "type", *remarks),
            ("cycles", "floor", "used", f"stall {STALLS[0]}", *STALLS[1:]) if counted
            else ("floor",))


def _row(cost, words):
    """Texts of a row; ``words`` are the names of the columns that say what the layer is."""
    texts = {"layer": cost.name, "takes": cost.takes, "kernel": cost.kernel, "shape": cost.shape,
             "type": cost.type, "remarks": cost.remarks}
    return *(texts[name] for name in words), *_figures(cost)


def _figures(cost):
    if cost.counters is None:
        return (f"{cost.floor:.0f}",)
    return (f"{cost.cycles:,}", f"{cost.floor:,.0f}",
            f"{cost.floor / cost.cycles:.0%}" if cost.cycles else "-",
            *(f"{cost.counters[name]:,}" for name in STALLS))


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


def pace(backend, inference):
    """Sentence on cycles and time of an Inference that ran on a device with a clock."""
    cycles = inference.cycles
    if backend == "serial":
        return f"{cycles:,} cycles in {inference.seconds:.2f} s, what went over the port included"
    rate = f"{cycles / inference.seconds:,.0f} simulated cycles a second"
    if inference.jobs == 1:
        return f"{cycles:,} cycles in {inference.seconds:.2f} s: {rate}"
    return (f"{cycles:,} cycles in {inference.elapsed:.2f} s in {inference.jobs} processes: "
            f"{cycles / inference.elapsed:,.0f} simulated cycles a second, {rate.split()[0]} in "
            f"each")


def verdict(backend, network, inference):
    """Sentence that says whether the backend gave the golden results."""
    if backend == "golden":
        return "Computed by the golden kernels alone"
    name, difference = _NAMES.get(backend, backend), inference.difference
    if difference is None:
        return (f"{name} = golden, bit for bit: {inference.compared} of {len(network.layers)} "
                f"layers of {len(inference.predictions)} images compared")
    layer = network.layers[difference.layer]
    return (f"{name} differs from golden first at image {difference.image}, layer "
            f"{network.names[difference.layer]} ({kernel_name(layer)}), {difference.what}: "
            f"{difference.actual}, expected {difference.expected}")
