# SPDX-License-Identifier: Apache-2.0
"""Functional coverage: value combinations, and how often simulations reached them.

Verilog counts the crosses within the core, see ``xymac.sim.build.crosses``.
``xymac.sim.coverage.calls`` counts the crosses of reference calls and keeps them in files beside
the counters.
"""

import collections
import json
import os
from html import escape
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.table import Table

from xymac.host.files import write_file

from .points import CROSS, Point

__all__ = ["cross_section", "cross_table", "read_crosses", "save_crosses"]

_SUFFIX = ".crosses"


def save_crosses(folder, model, file, counts):
    """Write a model's ``counts``, {"cross: values": hits}, to ``folder``; ``file`` counted them."""
    write_file(Path(folder) / f"{model}-{os.getpid()}{_SUFFIX}",
               json.dumps({"model": model, "file": file, "counts": counts}))


def read_crosses(folder):
    """Yield (model, {Point: hits}) for each ``save_crosses`` file in ``folder``."""
    for path in sorted(Path(folder).glob(f"*{_SUFFIX}")):
        content = json.loads(path.read_text())
        yield content["model"], {Point(content["file"], 0, CROSS, name): hits
                                 for name, hits in content["counts"].items()}


def _groups(counts):
    """{cross: [(values, Point, hits)]} in name order."""
    groups = collections.defaultdict(list)
    for point, hits in sorted(counts.items()):
        if point.kind == CROSS:
            name, _, values = point.detail.partition(": ")
            groups[name].append((values, point, hits))
    return groups


def cross_table(size, counts, excluded):
    """Table of all crosses with hit, counted and excluded combinations."""
    table = Table(title=f"Functional coverage of {size}", title_justify="left", box=SIMPLE_HEAD,
                  padding=(0, 0), pad_edge=False)
    table.add_column("cross", no_wrap=True)
    for head in ("hit", "of", "percent", "out"):
        table.add_column(head, justify="right", no_wrap=True, min_width=4)
    for name, combinations in _groups(counts).items():
        live = [hits for _, point, hits in combinations if point not in excluded]
        hit  = sum(hits > 0 for hits in live)
        table.add_row(name, str(hit), str(len(live)),
                      f"{100 * hit / len(live):.1f}" if live else "-",
                      str(len(combinations) - len(live)))
    return table


def cross_section(counts, excluded):
    """Yield HTML lines: a table per cross with its combinations' hits."""
    for name, combinations in _groups(counts).items():
        yield f"<h2>{escape(name)}</h2>"
        yield "<div class=wide><table><tr><th>combination</th><th>hits</th><th></th></tr>"
        for values, point, hits in combinations:
            kind = "" if hits or point in excluded else " class=hole"
            note = escape(excluded[point].reason) if point in excluded else ""
            yield (f"<tr{kind}><td>{escape(values)}</td><td class=n>{hits}</td>"
                   f"<td>{note}</td></tr>")
        yield "</table></div>"
