# SPDX-License-Identifier: Apache-2.0
"""A network's layers as a table: properties and cost."""

from rich.markup import escape
from rich.table import Table

from xymac.hdl.isa import COUNTERS
from xymac.host.files.text import plain
from xymac.host.network.cost import total_cost

__all__ = ["STALLS", "layer_markdown", "layer_table"]

STALLS   = COUNTERS[2:]
_STALLED = (f"stall {STALLS[0]}", *STALLS[1:])
_NAME    = 24  # displayed characters of a tensor name
_SHORT   = 10  # the fewest of them in a narrow terminal
_FOLD    = 24  # terminal columns of a text before it is folded
#: Columns to omit from a table wider than the terminal, in this order.
_LEFT    = (_STALLED, ("takes",), ("type",), ("passes",), ("remarks",), ("used",), ("ideal",),
            ("shape",), ("name",))


def layer_table(costs, width, clock=None):
    """LayerCosts table for a terminal of ``width`` columns; with cycles if they were counted.

    Utilisation is ideal cycles divided by cycles. The last line is the whole network, start to
    interrupt. A caption names the columns without space. A Clock adds each layer's time.
    """
    words, figures = _columns(costs, clock)
    rows  = [dict(zip((*words, *figures), _row(cost, (*words, *figures), clock), strict=True))
             for cost in (*costs, total_cost(costs))]
    kept  = _fit(rows, words, width)
    lost  = [name for name in rows[0] if name not in kept]
    table = Table(box=None, title="One image, layer by layer" if "cycles" in figures else None,
                  caption=lost and f"No room for {', '.join(lost)}: --markdown prints all of it",
                  caption_justify="left")
    for name, columns in kept.items():
        table.add_column(name if name in words else name.replace(" ", "\n"), overflow="fold",
                         justify="left" if name in words else "right",
                         no_wrap=name not in words, min_width=columns)
    for row in rows:
        row = row | ({"name": _end_of(row["name"], kept["name"])} if "name" in kept else {})
        table.add_row(*(escape(row[name]) for name in kept),
                      style="bold" if row is rows[-1] else None)
    return table


def _fit(rows, words, width):
    """Columns that fit a terminal ``width`` columns wide, a dict from name to width."""
    needs = {name: max(len(text) for text in (*name.split(" "), *(row[name] for row in rows)))
             for name in rows[0]}
    kept  = {name: min(count, _FOLD) if name in words else count for name, count in needs.items()}
    whole = kept.get("name", 0)
    if "name" in kept:
        kept["name"] = min(whole, _SHORT)
    for names in _LEFT:
        if _width(kept) <= width:
            break
        kept = {name: count for name, count in kept.items() if name not in names}
    if "name" in kept:
        kept["name"] = min(whole, kept["name"] + max(width - _width(kept), 0))
    return kept


def _width(columns):
    return sum(count + 2 for count in columns.values())


def _end_of(name, count):
    """A name's end, at most ``count`` characters: ends distinguish names in a network."""
    return name if len(name) <= count else f"…{name[len(name) - count + 1:]}"


def _short_name(name):
    """The short name for a tensor named after several, joined by ``;``: the first name, cut."""
    return _end_of(name.partition(";")[0] or name, _NAME)


def layer_markdown(costs, clock=None):
    """Lines for the same table in Markdown, with all columns."""
    words, figures = _columns(costs, clock)
    yield f"| {' | '.join((*words, *figures))} |"
    yield "|---" * len((*words, *figures)) + "|"
    for cost in (*costs, total_cost(costs)):
        cells = (text.replace("|", "\\|") for text in _row(cost, (*words, *figures), clock))
        yield f"| {' | '.join(cells)} |"


def _columns(costs, clock):
    """Names: columns describing a layer, and cost columns.

    If operators have numbers, the table begins with them and includes the passes.
    """
    numbered = costs[0].number is not None
    takes    = ["takes"] * any(cost.takes for cost in costs)
    counted  = costs[0].counters is not None
    remarks  = ["remarks"] * any(cost.remarks for cost in costs)
    passes   = ["passes"] * (numbered and costs[0].facts is not None)
    words    = ("number", "operator", *takes, "name") if numbered else ("layer", *takes, "kernel")
    times    = ["ms"] * (clock is not None)
    return ((*words, "shape", "type", *remarks),
            (*passes, "cycles", *times, "ideal", "used", *_STALLED) if counted
            else (*passes, "ideal"))


def _row(cost, names, clock):
    """Row texts for the columns ``names``."""
    name  = plain(cost.name)
    texts = {"layer": name, "takes": plain(cost.takes), "kernel": cost.kernel, "shape": cost.shape,
             "type": cost.type, "remarks": cost.remarks, "operator": cost.kernel,
             "name": _short_name(name),
             "number": "" if cost.number is None else str(cost.number), **_figures(cost, clock)}
    return [texts[name] for name in names]


def _figures(cost, clock):
    """A layer's cost texts, by column name."""
    passes = {} if cost.facts is None else {"passes": f"{cost.facts.passes:,}"}
    if cost.counters is None:
        return passes | {"ideal": f"{cost.ideal:,.0f}"}
    return passes | {
        "cycles": f"{cost.cycles:,}",
        "ms": "" if clock is None else f"{clock.milliseconds(cost.cycles):,.4f}",
        "ideal": f"{cost.ideal:,.0f}",
        "used": f"{cost.ideal / cost.cycles:.0%}" if cost.cycles else "-",
        **{name: f"{cost.counters[key]:,}" for name, key in zip(_STALLED, STALLS, strict=True)}}
