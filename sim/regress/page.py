# SPDX-License-Identifier: Apache-2.0
"""A run as a self-contained HTML page."""

import re
from html import escape
from statistics import median

__all__ = ["page"]

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; }
table { border-collapse: collapse; } td, th { padding: .2em .8em; text-align: left; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
tr + tr { border-top: 1px solid #8884; } .failed, .lost { color: #c22; font-weight: bold; }
pre { overflow-x: auto; background: #8882; padding: .8em; } code { font-size: 90%; }
"""
_CLOCK = re.compile(r"worst ([\d.]+) MHz")


def page(run):
    """Page of a ``Run``: totals, versions, failures, clock rates of the routing, pieces."""
    parts = [f"<h1>xymac regress --seed {run.seed}</h1>", f"<p>{escape(run.label)}</p>",
             _table([], [*run.totals.items()]),
             "<h2>Versions</h2>", _table([], [*run.environment.versions.items()]),
             *_failures(run.results), *_skips(run.results), *_clocks(run.results),
             "<h2>Kinds</h2>", _table(_KIND, _kinds(run.results)),
             "<h2>Pieces</h2>", _table(_PIECE, map(_row, run.results))]
    return (f"<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>xymac regress"
            f"</title><style>{_STYLE}</style>\n" + "\n".join(parts) + "\n</html>\n")


_KIND  = ("kind", "pieces", "passed", "failed", "skipped", "seconds of work")
_PIECE = ("outcome", "kind", "piece", "seed", "passed", "failed", "skipped", "seconds", "where")


def _kinds(results):
    for kind in dict.fromkeys(result.kind for result in results):
        rows = [result for result in results if result.kind == kind]
        yield (kind, len(rows), *(sum(getattr(row, name) for row in rows)
                                  for name in ("passed", "failed", "skipped")),
               round(sum(row.seconds for row in rows), 1))


def _row(result):
    return (result.outcome, result.kind, result.name, result.seed, result.passed, result.failed,
            result.skipped, result.seconds, f"{result.where}{' (kept)' * result.is_kept}")


def _failures(results):
    bad = [result for result in results if not result.is_good]
    yield f"<h2>{'Failures' if bad else 'No failures'}</h2>"
    for result in bad:
        yield (f"<h3 class=\"{result.outcome}\">{escape(result.name)}: {result.outcome}</h3>"
               f"<p>To repeat it alone: <code>{escape(result.command)}</code></p>"
               f"<pre>{escape(result.output)}</pre>")


def _skips(results):
    """Skipped tests with reasons, which no table counts as passed."""
    rows = [(result.name, result.skipped, result.output) for result in results
            if result.is_good and result.skipped]
    if rows:
        yield "<h2>Skipped</h2>"
        yield _table(("piece", "skipped", "why"), rows)


def _clocks(results):
    """Clock rates of place and route: worst, median and best seed per design."""
    clocks = {}
    for result in results:
        for match in _CLOCK.finditer(result.output if result.kind == "fit" else ""):
            clocks.setdefault(result.name.rpartition(" ")[0], []).append(float(match[1]))
    if clocks:
        yield "<h2>Clocks, MHz</h2>"
        yield _table(("design", "seeds", "worst", "median", "best"), [
            (name, len(speeds), min(speeds), round(median(speeds), 1), max(speeds))
            for name, speeds in clocks.items()])


def _table(heads, rows):
    lines = ["<table>", _line("th", heads) if heads else ""]
    lines += [_line("td", row) for row in rows]
    return "\n".join([*lines, "</table>"])


def _line(tag, cells):
    texts = []
    for cell in cells:
        kind = "number" if isinstance(cell, int | float) else cell if cell in (
            "failed", "lost") else ""
        texts.append(f"<{tag}{f' class={kind}' if kind else ''}>{escape(str(cell))}</{tag}>")
    return f"<tr>{''.join(texts)}</tr>"
