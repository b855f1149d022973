# SPDX-License-Identifier: Apache-2.0
"""A run as a self-contained HTML page."""

import re
from statistics import median

from xymac.host.files.html import SORT_SCRIPT, SORT_STYLE, html_text

from .counted import sum_counted
from .origin import origin

__all__ = ["page"]

_STYLE = """
:root { color-scheme: light dark; --bad: light-dark(#b00020, #ff8a80);
        --good: light-dark(#1b6e2d, #7bd88f) }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em;
       overflow-wrap: anywhere }
.wide { overflow-x: auto } table { border-collapse: collapse; overflow-wrap: normal }
td, th { padding: .2em .8em; text-align: left; vertical-align: top }
td.number { text-align: right; font-variant-numeric: tabular-nums }
th { white-space: nowrap } #pieces td:nth-child(3) { min-width: 16em }
tr + tr { border-top: 1px solid #8884 } .bad { color: var(--bad); font-weight: bold }
.good { color: var(--good) }
input { font: inherit; padding: .2em .5em; max-width: 100% }
pre { overflow-x: auto; background: #8882; padding: .8em }
"""
#: Filters rows by a text.
_SCRIPT = """
const filter = document.getElementById("filter");
if (filter) filter.oninput = () => {
  for (const row of [...document.getElementById("pieces").rows].slice(1))
    row.hidden = !row.textContent.toLowerCase().includes(filter.value.toLowerCase());
};
"""
_FILTER = ("<p><input id=filter type=search placeholder='only rows with this text' "
           "aria-label='only rows with this text'></p>")
_BAD   = ("failed", "lost")  # outcomes of a piece
_CLOCK = re.compile(r"worst ([\d.]+) MHz")


def page(run):
    """The page of a ``Run``: verdict, origin, totals, failures, clock rates, kinds and pieces."""
    verdict, kind = ("passed", "good") if run.is_good else ("failed", "bad")
    facts = {"seed": str(run.seed), **origin(), "ran on": run.label, **run.environment.versions}
    parts = [f"<h1 class={kind}>xymac regress: {verdict}</h1>", _table([], facts.items()),
             f"<p>To repeat it:</p><pre>{html_text(run.command)}</pre>",
             *_failures(run.results), *_skips(run.results), *_clocks(run.results),
             "<h2>Totals</h2>", _table([], [
                 (_TOTALS.get(name, name), total) for name, total in run.totals.items()]),
             *_counts(run.results),
             "<h2>Kinds</h2>", _table(_KIND, _kinds(run.results), bad=("failed",)),
             "<h2>Pieces</h2>",
             _FILTER,
             _table(_PIECE, map(_row, run.results), bad=("outcome", "failed"), name="pieces")]
    return (f"<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
            f"<meta name=viewport content='width=device-width'><title>xymac regress: {verdict}"
            f"</title><style>{_STYLE}{SORT_STYLE}</style>\n" + "\n".join(parts)
            + f"\n<script>{SORT_SCRIPT}{_SCRIPT}</script>\n</html>\n")


#: Totals whose names in ``regress.json`` say too little to a reader.
_TOTALS = {"missing": "pieces without a result", "kept": "pieces with a result kept from before",
           "passed": "tests and checks passed", "failed": "tests and checks failed",
           "skipped": "tests and checks skipped", "seconds": "seconds of this run",
           "work": "seconds of work, without results kept from before"}
_KIND  = ("kind", "pieces", "passed", "failed", "skipped", "seconds of work, kept results included")
_PIECE = ("outcome", "kind", "piece", "seed", "passed", "failed", "skipped", "seconds", "where")


def _kinds(results):
    for kind in dict.fromkeys(result.kind for result in results):
        rows = [result for result in results if result.kind == kind]
        yield (kind, len(rows), *(sum(getattr(row, name) for row in rows)
                                  for name in ("passed", "failed", "skipped")),
               round(sum(row.seconds for row in rows), 1))


def _row(result):
    return (result.outcome, result.kind, result.name, str(result.seed), result.passed,
            result.failed, result.skipped, result.seconds,
            f"{result.where}{' (kept)' * result.is_kept}")


def _failures(results):
    bad = [result for result in results if not result.is_good]
    yield f"<h2>{'Failures' if bad else 'No failures'}</h2>"
    for result in bad:
        yield (f"<h3 class=bad>{html_text(result.name)}: {result.outcome}</h3>"
               f"<p>To repeat it alone:</p><pre>{html_text(result.command)}</pre>"
               + f"<pre>{html_text(result.output)}</pre>" * bool(result.output))


def _skips(results):
    """Skipped tests with reasons, which no table counts as passed."""
    rows = [(result.name, result.skipped, result.output) for result in results
            if result.is_good and result.skipped]
    if rows:
        yield "<h2>Skipped</h2>"
        yield _table(("piece", "skipped", "reason"), rows)


def _counts(results):
    """Random stimuli by name."""
    counts = sum_counted(results)
    if counts:
        yield "<h2>Random stimuli that passed</h2>"
        yield _table(("stimuli", "number"), counts.items())


def _clocks(results):
    """Place and route clock rates: worst, median and best seed per design."""
    clocks = {}
    for result in results:
        for match in _CLOCK.finditer(result.output if result.kind == "fit" else ""):
            clocks.setdefault(result.name.rpartition(" ")[0], []).append(float(match[1]))
    if clocks:
        yield "<h2>Clocks, MHz</h2>"
        yield _table(("design", "seeds", "worst", "median", "best"), [
            (name, len(speeds), min(speeds), round(median(speeds), 1), max(speeds))
            for name, speeds in clocks.items()])


def _table(heads, rows, bad=(), name=""):
    """Table with sortable heads; in the columns ``bad`` a number above 0 and a bad outcome are red.
    """
    columns = [head in bad for head in heads]
    kind  = " class=sortable" if heads else ""
    lines = [f"<div class=wide><table{kind}{f' id={name}' if name else ''}>"]
    if heads:
        lines.append(f"<tr>{''.join(f'<th>{html_text(head)}</th>' for head in heads)}</tr>")
    lines += [_line(row, columns or [False] * len(row)) for row in rows]
    return "\n".join([*lines, "</table></div>"])


def _line(cells, columns):
    texts = []
    for cell, judged in zip(cells, columns, strict=True):
        kinds = ["number"] * isinstance(cell, int | float)
        kinds += ["bad"] * (judged and (cell > 0 if kinds else cell in _BAD))
        kind = f' class="{" ".join(kinds)}"' if kinds else ""
        texts.append(f"<td{kind}>{html_text(_text(cell))}</td>")
    return f"<tr>{''.join(texts)}</tr>"


def _text(cell):
    """A value's text, with commas between thousands of a count."""
    return f"{cell:,}" if isinstance(cell, int | float) else str(cell)
