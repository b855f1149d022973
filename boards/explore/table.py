"""Points as a table: one row a size, three columns a network."""

from rich.table import Table

from boards.tools.resources import KINDS

from .point import front

__all__ = ["command_lines", "markdown_lines", "point_table"]

_BEST = "*"  #: Behind what lies on the front.


def _heads(networks):
    return ("size", "fits", *KINDS, "clock MHz",
            *(f"{name} {what}" for name in networks for what in ("cycles", "a second", "words")))


def _rows(points, networks):
    """Cells of every Point, texts."""
    fronts = {name: front(points, name) for name in networks}
    for point in points:
        cells = [point.config.name, f"no: {point.trouble}" if point.trouble else "yes",
                 *("-" if point.cells.get(kind) is None else f"{point.cells[kind]:,}"
                   for kind in KINDS),
                 f"{point.clock:.1f}" if point.routed else f"{point.clock:g} aim"]
        for name in networks:
            cycles, rate, words = point.cycles[name], point.rate(name), point.words.get(name)
            cells.append(f"{cycles:,}" if isinstance(cycles, int) else f"no: {cycles}")
            cells.append("-" if rate is None else
                         f"{rate:,.1f}{_BEST * (point in fronts[name])}")
            cells.append("-" if words is None else f"{words:,}")
        yield cells


def point_table(points, networks):
    """The table that is printed."""
    table = Table(box=None)
    heads = _heads(networks)
    for head in heads:
        # A reason can be long, a number and a name stay whole.
        table.add_column(head.replace(" ", "\n"), no_wrap=not head.endswith(("fits", "cycles")),
                         justify="left" if head in ("size", "fits") else "right")
    for cells in _rows(points, networks):
        table.add_row(*cells)
    return table


def markdown_lines(points, networks):
    """Lines of the same in Markdown."""
    heads = _heads(networks)
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for cells in _rows(points, networks):
        yield f"| {' | '.join(cells)} |"


def command_lines(points, networks):
    """What builds those on the front of some network; of all that fit if no front is known."""
    best = [point for point in points if any(point in front(points, name) for name in networks)]
    kept = best or [point for point in points if not point.trouble]
    yield (f"{_BEST} no other one is as fast with fewer LUT4; what builds these:" if best else
           "What builds those that fit:")
    for point in kept:
        yield f"  {point.command}"
