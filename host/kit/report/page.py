# SPDX-License-Identifier: Apache-2.0
"""The report as a self-contained HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xymac.host.files.html import SORT_SCRIPT, SORT_STYLE, html_text
from xymac.host.plural import plural

from .outcome import count_cases
from .report import never_hit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.host.kit.report.report import Report

__all__ = ["page_of"]

_STYLE = """
:root { color-scheme: light dark; --no: light-dark(#b00020, #ff8a80);
        --yes: light-dark(#1b6e2d, #7bd88f) }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em;
       overflow-wrap: anywhere }
table { border-collapse: collapse; margin: 1em 0; overflow-wrap: normal }
.wide { overflow-x: auto } th { white-space: nowrap }
th, td { padding: .2em .8em; text-align: left }
tr { border-bottom: 1px solid #8884 }
td.number { text-align: right; font-variant-numeric: tabular-nums }
.no { color: var(--no) } .yes { color: var(--yes) } a.none { color: inherit }
pre { background: #8882; padding: 1em; overflow-x: auto }
.bin { display: inline-block; padding: 0 .5em; margin: .1em; border-radius: .3em;
       background: light-dark(#dff0d8, #1e4620) }
.zero { background: light-dark(#f5e6c4, #524014) }
"""


def page_of(report: Report, facts: Sequence[tuple[str, str]] = (), command: str = "") -> str:
    """A Report's HTML text; ``facts`` are pairs of a name and a text, such as date and version,
    and ``command`` is the shell command that repeats it.
    """
    cases, equal, different, failed = report.counts
    verdict = "passed" if report.passed else "failed"
    body = [
        f"<h1 class={'yes' if report.passed else 'no'}>{html_text(report.device)}: {verdict}</h1>",
        f"<p>{plural(cases, 'case')}: {equal:,} equal, {different:,} different, {failed:,}",
        f"without a result; seed {report.seed}.</p>",
        *_facts(facts), *_command(command), *_table(report),
        *(line for outcome in report.outcomes for line in _section(outcome))]
    return ("<!doctype html>\n<html lang=en><meta charset=utf-8>\n"
            "<meta name=viewport content='width=device-width'>\n"
            f"<title>{html_text(report.device)}: {verdict}</title>\n"
            f"<style>{_STYLE}{SORT_STYLE}</style>\n"
            + "\n".join(body) + f"\n<script>{SORT_SCRIPT}</script>\n</html>\n")


def _facts(facts):
    if facts:
        rows = "".join(f"<tr><td>{html_text(name)}</td><td>{html_text(text)}</td></tr>"
                       for name, text in facts)
        yield f"<div class=wide><table>{rows}</table></div>"


def _command(command):
    if command:
        yield f"<p>To repeat it:</p><pre>{html_text(command)}</pre>"


def _kind(outcome):
    """Class of an outcome's name: without a case it has neither passed nor failed."""
    return "no" if not outcome.passed else "yes" if outcome.is_tried else "none"


def _table(report):
    heads = ("operation", "dialect", "type", "cases from", "cases", "equal", "different",
             "no result", "seconds")
    yield (f"<div class=wide><table class=sortable>"
           f"<tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>")
    for outcome in report.outcomes:
        words   = (outcome.dialect, outcome.type, outcome.source)
        figures = (outcome.cases, outcome.equal, outcome.different, outcome.failed,
                   f"{outcome.seconds:.1f}")
        yield (f"<tr><td><a class={_kind(outcome)} href='#{_anchor(outcome)}'>"
               f"{html_text(outcome.operation)}</a></td>"
               + "".join(f"<td>{html_text(word)}</td>" for word in words)
               + "".join(f"<td class=number>{figure}</td>" for figure in figures) + "</tr>")
    yield "</table></div>"


def _anchor(outcome):
    return html_text(outcome.name.replace(" ", "-"))


def _section(outcome):
    yield f"<h2 class={_kind(outcome)} id='{_anchor(outcome)}'>{html_text(outcome.name)}</h2>"
    if outcome.sentence:
        yield f"<p class=no>{html_text(outcome.sentence)}</p>"
    if outcome.details:
        yield "<pre>" + "\n".join(map(html_text, outcome.details)) + "</pre>"
    yield from _rows(("layer", "operation", "outputs", "outputs that differ"), outcome.layers)
    yield from (f"<p class=no>{html_text(failure)}</p>" for failure in outcome.failures)
    if outcome.waves:
        yield f"<p>{html_text(outcome.waves)}</p>"
    yield from _rows(("rule", "outputs that it explains"), [
        (rule, f"{100 * share:.4g} %") for rule, share in outcome.rules], figures=1)
    yield from _rows(("limit of", "left out"), [
        (quantity, ", ".join(values) if isinstance(values, list) else count_cases(values))
        for quantity, values in outcome.left_out.items()])
    yield from _rows(("quantity", "never hit"), [
        (quantity, ", ".join(names)) for quantity, names in never_hit(outcome)])
    if not outcome.coverage:
        return
    yield "<details><summary>Coverage: cases by quantity and value</summary><div class=wide><table>"
    for quantity, hits in outcome.coverage.items():
        bins = "".join(f"<span class='bin{'' if count else ' zero'}'>{html_text(name)}: {count}"
                       f"</span>" for name, count in hits.items())
        yield f"<tr><td>{html_text(quantity)}</td><td>{bins}</td></tr>"
    yield "</table></div></details>"


def _rows(heads, rows, figures=None):
    """A table of ``rows`` under ``heads``, nothing without rows; ints are figures, and so is the
    column with the number ``figures``.
    """
    if not rows:
        return
    cells = "".join(f"<th>{html_text(head)}</th>" for head in heads)
    yield f"<div class=wide><table class=sortable><tr>{cells}</tr>"
    for row in rows:
        yield "<tr>" + "".join(
            f"<td class=number>{value:,}</td>" if isinstance(value, int) else
            f"<td{' class=number' if column == figures else ''}>{html_text(value)}</td>"
            for column, value in enumerate(row)) + "</tr>"
    yield "</table></div>"
