# SPDX-License-Identifier: Apache-2.0
"""``xymac bench --networks`` output: tables and JSON rows."""

from rich.markup import escape
from rich.table import Table

from xymac.hdl.isa import COUNTERS
from xymac.host.cli.clock import format_rate
from xymac.host.cli.show.layers import layer_markdown, layer_table
from xymac.host.files.text import plain
from xymac.host.network.pace import LINKS, find_paces

__all__ = ["network_row", "network_table", "print_layers", "refused_row"]

_NUMBERS = ("cycles", "ideal", "used", "target", "predicted", "layers compared", "programs")
_WORDS   = ("words in", "out", "bus cycles", "link ms")
#: In place of the words, for a clock.
_TIMES   = ("core ms", *(name for link in LINKS for name in (f"a second by {link}", "limit")))


def network_table(results, clock=None):
    """NetworkResults as a terminal table: host words, or inputs a second at a Clock."""
    table = Table(box=None)
    table.add_column("network", overflow="fold")
    for name in (*_NUMBERS, *(_WORDS if clock is None else _TIMES)):
        table.add_column(name, justify="left" if name == "limit" else "right")
    table.add_column("")
    for row in results:
        moved = _traffic_cells(row.traffic) if clock is None else _time_cells(row, clock)
        table.add_row(
            escape(plain(row.network)), f"{row.cycles:,}", f"{row.ideal:,.0f}",
            "-" if row.used is None else f"{row.used:.0%}",
            f"{row.target:,}" if row.target else "-", f"{row.predicted:,}",
            _compared(row), str(row.programs), *moved, _mark(row))
    return table


def _compared(row):
    """Layers compared, and layers of the host."""
    count = 0 if row.traffic is None else row.traffic.computed
    return f"{row.compared} of {row.layers}" + f", {count} by the host" * bool(count)


def _time_cells(row, clock):
    """Time on the core, and inputs a second with their bottleneck, over each link."""
    core = f"{clock.milliseconds(row.cycles):,.3f}"
    if row.traffic is None or not row.cycles:
        return [core, *["-"] * (len(_TIMES) - 1)]
    return [core, *(cell for pace in find_paces(row.cycles, row.traffic, clock)
                    for cell in (format_rate(pace.rate), pace.limit))]


def _mark(row):
    if not row.target:
        return ""
    return "[green]met[/]" if row.met else "[red]missed[/]"


def _traffic_cells(traffic):
    if traffic is None:
        return ["-"] * 4
    return [f"{traffic.words_in:,}", f"{traffic.words_out:,}", f"{traffic.bus_cycles:,}",
            f"{1e3 * traffic.link_seconds:,.2f}"]


def print_layers(results, console, options):
    """Print every NetworkResult's layers, with the options ``clock`` and ``markdown``."""
    for row in results:
        console.print(f"\n{plain(row.network)}", markup=False, style="bold")
        if options.markdown:
            console.print("\n".join(layer_markdown(row.costs, options.clock)), markup=False,
                          soft_wrap=True)
        else:
            console.print(layer_table(row.costs, console.width, options.clock))


def network_row(row):
    """A NetworkResult as JSON-serialisable values."""
    return {"network": row.network, "cycles": row.cycles, "ideal": row.ideal, "used": row.used,
            "target": row.target, "predicted": row.predicted, "programs": row.programs,
            "compared": row.compared, "refused": None,
            "host": None if row.traffic is None else row.traffic.as_json(),
            "layers": [_layer_row(cost) for cost in row.costs]}


def _layer_row(cost):
    counters = dict.fromkeys(COUNTERS, 0) if cost.counters is None else cost.counters
    return {"name": cost.name, "operator": cost.kernel, "shape": cost.shape, "type": cost.type,
            "ideal": cost.ideal, **counters, "remarks": cost.remarks}


def refused_row(name, reason):
    """JSON row for a network that was refused because of ``reason``."""
    return {"network": name, "refused": reason}
