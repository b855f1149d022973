# SPDX-License-Identifier: Apache-2.0
"""The ``xymac run --operators`` table."""

from rich.table import Table

from xymac.host.cli.progress import show_progress
from xymac.host.network.operators import COLUMNS, list_operators
from xymac.host.tflite.signatures import SIGNATURES

__all__ = ["operator_markdown", "print_operators"]

_LEGEND = ("Shapes and scales of each operator are checked as well. In brackets: what golden "
           "computes, and no core of size {size} runs.")


def print_operators(config, console, *, markdown):
    """Print the supported operators and the part that a ``config`` core runs; returns 0."""
    with show_progress(console, "trying", len(SIGNATURES)) as advance:
        rows = list(list_operators(config, progress=advance))
    if markdown:
        console.print("\n".join(operator_markdown(rows)), markup=False, soft_wrap=True)
    else:
        console.print(_table(rows))
    console.print(_LEGEND.format(size=config.name), markup=False, soft_wrap=True)
    return 0


def operator_markdown(rows):
    """OperatorRows as Markdown table lines."""
    yield f"| {' | '.join(COLUMNS)} |"
    yield "|---" * len(COLUMNS) + "|"
    for row in rows:
        yield f"| {' | '.join((row.name, *row.cells.values()))} |"


def _table(rows):
    """A table with two columns; an operator's empty properties are omitted."""
    table = Table("operator", "supported", box=None)
    for row in rows:
        lines = [f"{column}: {text}" for column, text in row.cells.items() if text]
        table.add_row(row.name, "\n".join(lines))
    return table
