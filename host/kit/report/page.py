# SPDX-License-Identifier: Apache-2.0
"""The report as a self-contained HTML page."""

from html import escape

from .report import never_hit

__all__ = ["page_of"]

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em;
       color: #222 }
table { border-collapse: collapse; margin: 1em 0 } th, td { padding: .2em .8em; text-align: left }
tr { border-bottom: 1px solid #ddd } td.n { text-align: right; font-variant-numeric: tabular-nums }
.no { color: #b00020 } .yes { color: #1b6e2d } pre { background: #f6f6f6; padding: 1em;
      overflow-x: auto } .bin { display: inline-block; padding: 0 .5em; margin: .1em;
      border-radius: .3em; background: #dff0d8 } .zero { background: #f6d5d5 }
"""


def page_of(report):
    """A Report's HTML text."""
    cases, equal, different, failed = report.counts
    verdict = "passed" if report.passed else "failed"
    body = [
        f"<h1 class={'yes' if report.passed else 'no'}>{escape(report.device)}: {verdict}</h1>",
        f"<p>{cases:,} cases: {equal:,} equal, {different:,} different, {failed:,} without a",
        f"result; seed {report.seed}.</p>", *_table(report),
        *(line for outcome in report.outcomes for line in _section(outcome))]
    return ("<!doctype html>\n<html lang=en><meta charset=utf-8>\n"
            f"<title>{escape(report.device)}: {verdict}</title>\n<style>{_STYLE}</style>\n"
            + "\n".join(body) + "\n</html>\n")


def _table(report):
    heads = ("operation", "dialect", "type", "cases from", "cases", "equal", "different",
             "no result", "seconds")
    yield f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>"
    for outcome in report.outcomes:
        words   = (outcome.dialect, outcome.type, outcome.source)
        figures = (outcome.cases, outcome.equal, outcome.different, outcome.failed,
                   f"{outcome.seconds:.1f}")
        kind = "yes" if outcome.passed else "no"
        yield (f"<tr><td><a class={kind} href='#{_anchor(outcome)}'>"
               f"{escape(outcome.operation)}</a></td>"
               + "".join(f"<td>{escape(word)}</td>" for word in words)
               + "".join(f"<td class=n>{figure}</td>" for figure in figures) + "</tr>")
    yield "</table>"


def _anchor(outcome):
    return escape(outcome.name.replace(" ", "-"))


def _section(outcome):
    kind = "yes" if outcome.passed else "no"
    yield f"<h2 class={kind} id='{_anchor(outcome)}'>{escape(outcome.name)}</h2>"
    if outcome.lines:
        yield "<pre>" + "\n".join(map(escape, outcome.lines)) + "</pre>"
    if outcome.rules:
        yield "<table><tr><th>rule</th><th>outputs that it explains</th></tr>"
        for rule, share in outcome.rules:
            yield f"<tr><td>{escape(rule)}</td><td class=n>{100 * share:.4g} %</td></tr>"
        yield "</table>"
    for quantity, values in outcome.left_out.items():
        text = ", ".join(values) if isinstance(values, list) else f"{values} cases"
        yield f"<p>Left out by the limit of {escape(quantity)}: {escape(text)}.</p>"
    if never_hit(outcome):
        yield "<p>Never hit: " + "; ".join(
            escape(f"{quantity} {', '.join(names)}")
            for quantity, names in never_hit(outcome)) + ".</p>"
    yield "<details><summary>Coverage: cases by what they are</summary><table>"
    for quantity, hits in outcome.coverage.items():
        bins = "".join(f"<span class='bin{'' if count else ' zero'}'>{escape(name)}: {count}"
                       f"</span>" for name, count in hits.items())
        yield f"<tr><td>{escape(quantity)}</td><td>{bins}</td></tr>"
    yield "</table></details>"
