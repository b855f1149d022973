# SPDX-License-Identifier: Apache-2.0
"""Coverage tables in text."""

from rich.box import SIMPLE_HEAD
from rich.table import Table

from .points import CROSS, KINDS
from .totals import by_block, total_of

__all__ = ["LABELS", "TARGETS", "block_table", "hole_lines", "misses"]

#: Heads of the columns by kind.
LABELS = {"line": "lines", "branch": "branches", "expression": "expressions", "toggle": "toggles",
          "state": "states", "arc": "arcs", "reset": "resets", CROSS: "crosses"}
_HEADS = {"branch": "branch", "expression": "expr", "toggle": "toggle"}  # in 80 columns
#: Least percent by kind.
TARGETS = {"line": 100, "branch": 98, "expression": 98, "toggle": 95, "state": 100, "arc": 100,
           "reset": 100, CROSS: 100}
#: Blocks whose branches have a target of their own, in percent.
BLOCKS = dict.fromkeys(
    ("core/reduction/heap.py", "core/hostport.py", "core/trace/counters.py", "core/registers.py",
     "core/fetch/sequencer.py", "core/trace/write_monitor.py"), 95)


def block_table(size, counts, excluded):
    """Return a table: percent by block and kind, and for all blocks."""
    table = Table(title=f"Coverage of {size}, percent", title_justify="left", box=SIMPLE_HEAD,
                  padding=(0, 0), pad_edge=False)
    table.add_column("block", no_wrap=True)
    for kind in KINDS:
        table.add_column(_HEADS.get(kind, LABELS[kind]), justify="right", no_wrap=True)
    table.add_column("out", justify="right", no_wrap=True, min_width=3)
    for file, totals in by_block(counts, excluded).items():
        table.add_row(file, *map(str, totals.values()),
                      str(sum(total.excluded for total in totals.values())))
    table.add_section()
    totals = [total_of(counts, excluded, kind) for kind in KINDS]
    table.add_row("all", *map(str, totals), str(sum(total.excluded for total in totals)))
    table.add_row("points", *(str(total.points) for total in totals), "")
    return table


def misses(size, counts, excluded):
    """Return sentences about targets missed by the coverage of ``size``."""
    for kind, least in TARGETS.items():
        total = total_of(counts, excluded, kind)
        if total.percent < least:
            yield (f"{size}: {LABELS[kind]} {total.percent:.2f} %, below {least} %: "
                   f"{total.points - total.hit} of {total.points} not hit")
    for file, totals in by_block(counts, excluded).items():
        if totals["branch"].percent < BLOCKS.get(file, 0):
            yield (f"{size}: branches of {file} {totals['branch'].percent:.2f} %, below "
                   f"{BLOCKS[file]} %")
    for point, hits in sorted(counts.items()):
        if point.kind == "stray" and hits:
            yield f"{size}: a transition at {point.file}:{point.line} is not in the sources"


def hole_lines(counts, excluded, match=""):
    """Return text lines: each point without a hit, in files whose name contains ``match``."""
    for point, hits in sorted(counts.items()):
        if not hits and point not in excluded and point.kind in LABELS and match in point.file:
            yield f"hdl/{point.file}:{point.line}: {point.kind} {point.detail}".rstrip()
