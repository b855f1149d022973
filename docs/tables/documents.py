# SPDX-License-Identifier: Apache-2.0
"""The documents, their tables, and values within their sentences.

Two comments, invisible on the rendered page, enclose a table::

    <!-- table: sizes -->
    ...
    <!-- end -->

and a value, which must not begin a line: Markdown would read the line as HTML::

    reads take <!-- value: read -->23<!-- / --> cycles
"""

import re
from pathlib import Path

from xymac.host.files import write_file

__all__ = ["DOCUMENTS", "ROOT", "read_tables", "read_values", "replace_table", "replace_values"]

ROOT      = Path(__file__).parents[2]
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))

_TABLE = re.compile(r"(<!-- table: (.+?) -->\n)(.*?)(?=<!-- end -->)", re.DOTALL)
_VALUE = re.compile(r"(<!-- value: (.+?) -->)(.*?)(?=<!-- / -->)", re.DOTALL)


def read_tables():
    """Lines by table name; ValueError for a duplicate."""
    tables = {}
    for path in DOCUMENTS:
        for _, name, lines in _TABLE.findall(path.read_text(encoding="utf-8")):
            if name in tables:
                raise ValueError(f"Table {name!r} of {path.name} is in the documents already")
            tables[name] = lines.splitlines()
    return tables


def replace_table(name, lines):
    """Replace the table ``name`` by ``lines``; returns whether they differ from it."""
    new = "".join(f"{line}\n" for line in lines)
    for path in DOCUMENTS:
        text  = path.read_text(encoding="utf-8")
        fresh = _TABLE.sub(lambda match: match[1] + (new if match[2] == name else match[3]), text)
        if fresh != text:
            write_file(path, fresh)
            return True
    return False


def read_values():
    """``(name, text)`` of every value, in order; a name may come several times."""
    return [(name, text) for path in DOCUMENTS
            for _, name, text in _VALUE.findall(path.read_text(encoding="utf-8"))]


def replace_values(values):
    """Replace the values by the texts ``values`` by name; returns whether any differs.

    ValueError for a name without a text.
    """
    unknown = {name for name, _ in read_values()} - {*values}
    if unknown:
        raise ValueError(f"The documents have values without a source: "
                         f"{', '.join(sorted(unknown))}")
    changed = False
    for path in DOCUMENTS:
        text  = path.read_text(encoding="utf-8")
        fresh = _VALUE.sub(lambda match: match[1] + values[match[2]], text)
        if fresh != text:
            write_file(path, fresh)
            changed = True
    return changed
