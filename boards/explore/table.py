# SPDX-License-Identifier: Apache-2.0
"""Points as tables: resources with a row per size, and a speed table per network."""

from rich.table import Table

from xymac.boards.tools.resources import KINDS

from .point import front

__all__ = ["command_lines", "markdown_lines", "network_table", "point_table"]

_BEST  = "*"  #: Mark of Pareto-optimal sizes.
_SIZE  = ("size", "fits", *KINDS, "clock MHz")
_SPEED = ("cycles", "a second", "limit", "words moved", "core ms", "bus ms", "link ms")
#: Columns whose long texts are wrapped; numbers and names stay whole.
_LONG  = ("fits", "cycles")


def _size_cells(point):
    """A Point's resource texts, in ``_SIZE`` order."""
    return (point.config.name, f"no: {point.trouble}" if point.trouble else "yes",
            *("-" if point.cells.get(kind) is None else f"{point.cells[kind]:,}"
              for kind in KINDS),
            f"{point.clock:.1f}" if point.routed else f"{point.clock:g} aim")


def _speed_cells(point, name, best):
    """A network's speed texts on a Point, in ``_SPEED`` order; ``best`` is the Pareto front."""
    cycles, rate, traffic = point.cycles[name], point.rate(name), point.traffic.get(name)
    return (f"{cycles:,}" if isinstance(cycles, int) else f"no: {cycles}",
            "-" if rate is None else f"{rate:,.1f}{_BEST * (point in best)}",
            "-" if rate is None else point.pace(name).limit,
            *(["-"] * 4 if traffic is None else
              [f"{traffic.words:,}", f"{cycles / (1e3 * point.clock):,.2f}",
               f"{traffic.bus_cycles / (1e3 * point.clock):,.2f}",
               f"{1e3 * traffic.link_seconds:,.2f}"]))


def _table(heads, rows, title=None):
    table = Table(box=None, title=title, title_justify="left")
    for head in heads:
        table.add_column(head, no_wrap=head not in _LONG,
                         justify="left" if head in ("size", "fits") else "right")
    for cells in rows:
        table.add_row(*cells)
    return table


def point_table(points):
    """Resource table for the Points."""
    return _table(_SIZE, map(_size_cells, points))


def network_table(points, name):
    """Table of a network's speed on the Points, the most inputs a second first."""
    best   = front(points, name)
    ranked = sorted(points, key=lambda point: -(point.rate(name) or 0))
    return _table(("size", *_SPEED), ((point.config.name, *_speed_cells(point, name, best))
                                      for point in ranked),
                  title=name + _say_computed(points, name))


def _say_computed(points, name):
    """Words on the layers of a network that the host computes, in brackets."""
    said = {point.traffic[name].say_computed() for point in points
            if point.traffic.get(name) is not None} - {""}
    return "".join(f" ({each})" for each in sorted(said))


def markdown_lines(points, networks):
    """Markdown table lines with resources and speeds."""
    heads  = (*_SIZE, *(f"{name} {column}" for name in networks for column in _SPEED))
    fronts = {name: front(points, name) for name in networks}
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for point in points:
        cells = [*_size_cells(point)]
        for name in networks:
            cells += _speed_cells(point, name, fronts[name])
        yield f"| {' | '.join(cells)} |"


def command_lines(points, networks):
    """Commands to build the Pareto-optimal sizes, or without a network all fitting sizes."""
    best = [point for point in points if any(point in front(points, name) for name in networks)]
    kept = best or [point for point in points if not point.trouble]
    yield (f"{_BEST} no other size is as fast with fewer LUT4. Commands for these sizes:" if best
           else "Commands for the sizes that fit:")
    for point in kept:
        yield f"  {point.command}"
