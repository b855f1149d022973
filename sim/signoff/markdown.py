# SPDX-License-Identifier: Apache-2.0
"""Tables in Markdown, with cells that cannot break them."""

from xymac.host.files.text import plain

from .need import number

__all__ = ["cell", "table"]


def cell(value):
    """A value as the text of a table cell."""
    return plain(number(value)).replace("|", "\\|").replace("<", "&lt;")


def table(heads, rows):
    """Lines of a table with column heads, and an empty line."""
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(cell(value) for value in row)} |"
    yield ""
