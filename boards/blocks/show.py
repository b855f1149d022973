# SPDX-License-Identifier: Apache-2.0
"""A design's blocks as a table, and as a figure."""

import io

from rich.console import Console
from rich.table import Table

from xymac.host.cli.show.figure import blank_figure

__all__ = ["block_figure", "block_table", "block_text", "json_rows"]

_WIDTH   = 200  # columns of the table as text
_COLOURS = ("#0072B2", "#56B4E9")  # block alone, blocks inside; colours by Okabe and Ito


def block_table(rows):
    """Rows as a table: a block with all blocks inside it, then without them."""
    table = Table(box=None)
    kinds = list(rows[0].all)
    table.add_column("block")
    for name in ("count", *kinds, f"{kinds[0]} each", *(f"own {kind}" for kind in kinds[:2])):
        table.add_column(name, justify="right")
    for row in rows:
        name = row.name.rpartition(".")[2]
        first = row.all[kinds[0]]
        table.add_row("  " * row.depth + name, f"x {row.count}" if row.count > 1 else "",
                      *(f"{row.all[kind]:,}" for kind in kinds),
                      f"{first / row.count:,.0f}" if row.count > 1 else "",
                      *(f"{row.own[kind]:,}" for kind in kinds[:2]))
    return table


def block_text(rows):
    """The table as plain text."""
    text = io.StringIO()
    Console(file=text, width=_WIDTH, emoji=False).print(block_table(rows))
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


def block_figure(rows, title):
    """Rows as a figure: a bar a resource, the blocks inside behind the block alone."""
    kinds = [kind for kind in rows[0].all if any(row.all[kind] for row in rows)]
    figure, every = blank_figure(len(rows), title, columns=len(kinds))
    every[0].set_yticks(range(len(rows)), parse_math=False,
                        labels=[row.name + f" x {row.count}" * (row.count > 1) for row in rows])
    for axes, kind in zip(every, kinds, strict=True):
        longest = max(row.all[kind] for row in rows)
        for at, row in enumerate(rows):
            own, inside = row.own[kind], row.all[kind] - row.own[kind]
            axes.barh(at, own, color=_COLOURS[0], label="the block alone" if at == 0 else None)
            axes.barh(at, inside, left=own, color=_COLOURS[1],
                      label="the blocks inside" if at == 0 else None)
            if row.all[kind]:
                axes.text(row.all[kind] + longest / 50, at, f"{row.all[kind]:,}", va="center",
                          size="small")
        axes.set(xlim=(0, 1.35 * longest), xlabel=kind)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.tick_params(axis="x", labelsize="small", rotation=30)
    figure.legend(*every[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def json_rows(rows):
    """Rows as JSON has them."""
    return [{"block": row.name, "count": row.count, "cells": row.all, "own": row.own}
            for row in rows]
