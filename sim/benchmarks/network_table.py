# SPDX-License-Identifier: Apache-2.0
"""Output of ``xymac bench --networks``: tables and JSON rows."""

from rich.markup import escape
from rich.table import Table

from xymac.hdl.isa import COUNTERS
from xymac.host.cli.layers import layer_table
from xymac.host.files.text import plain

__all__ = ["network_row", "network_table", "print_layers", "refused_row"]

_NUMBERS = ("cycles", "ideal", "used", "target", "predicted", "layers compared", "programs",
            "words in", "out", "bus cycles", "link ms")


def network_table(results):
    """Table of NetworkResults for a terminal."""
    table = Table(box=None)
    table.add_column("network", overflow="fold")
    for name in _NUMBERS:
        table.add_column(name, justify="right")
    table.add_column("")
    for row in results:
        table.add_row(
            escape(plain(row.network)), f"{row.cycles:,}", f"{row.ideal:,.0f}",
            "-" if row.used is None else f"{row.used:.0%}",
            f"{row.target:,}" if row.target else "-", f"{row.predicted:,}",
            f"{row.compared} of {row.layers}", str(row.programs), *_traffic_cells(row.traffic),
            _mark(row))
    return table


def _mark(row):
    if not row.target:
        return ""
    return "[green]met[/]" if row.met else "[red]missed[/]"


def _traffic_cells(traffic):
    if traffic is None:
        return ["-"] * 4
    return [f"{traffic.words_in:,}", f"{traffic.words_out:,}", f"{traffic.bus_cycles:,}",
            f"{1e3 * traffic.link_seconds:,.2f}"]


def print_layers(results, console):
    """Print the layers of every NetworkResult."""
    for row in results:
        console.print(f"\n{plain(row.network)}", markup=False, style="bold")
        console.print(layer_table(row.costs, console.width))


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
    """JSON row of a network that was refused because of ``reason``."""
    return {"network": name, "refused": reason}
