# SPDX-License-Identifier: Apache-2.0
"""Coverage as HTML: a block table, and a page a block with its sources, hits and holes."""

import collections
from html import escape
from pathlib import Path

import xymac.hdl
from xymac.host.files import make_folder, write_file

from .crosses import cross_section
from .points import KINDS
from .tables import LABELS
from .totals import by_block, total_of

__all__ = ["write_pages"]

_HDL   = Path(xymac.hdl.__file__).resolve().parent
_STYLE = """
:root { color-scheme: light dark; --bad: light-dark(#b00020, #ff8a80);
        --hole: light-dark(#fbe3e4, #4a1f22); --full: light-dark(#e6f4e8, #1b3522) }
body { font: 15px/1.5 system-ui, sans-serif; margin: 1em auto; max-width: 80em; padding: 0 1em }
.wide { overflow-x: auto } table { border-collapse: collapse }
td, th { padding: .1em .6em; text-align: left; vertical-align: top }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
table.blocks tr + tr { border-top: 1px solid #8884 } table.blocks th + th { text-align: right }
.bad { color: var(--bad) } pre { background: #8882; padding: .8em; overflow-x: auto }
table.source td { font: 13px/1.4 ui-monospace, monospace; white-space: pre }
tr.hole { background: var(--hole) } tr.full { background: var(--full) }
td details { white-space: pre-wrap; max-width: 60em } summary { cursor: pointer }
"""
_MOST = 40  # holes listed of a line


def write_pages(folder, size, counts, excluded, facts=(), command=""):
    """Write ``index.html`` and a page a block to ``folder``; returns the index path.

    ``facts`` are pairs of a name and a text, such as commit and date, and ``command`` is a shell
    command for the same run; InputError if the folder cannot be written.
    """
    make_folder(folder)
    blocks = by_block(counts, excluded)
    for file in blocks:
        write_file(folder / _name(file), _block_page(size, file, counts, excluded))
    index = folder / "index.html"
    write_file(index, _page(f"Coverage of {size}", [
        *_origin(facts, command), *_index(counts, excluded, blocks)]))
    return index


def _name(file):
    return file.replace("/", "-").removesuffix(".py") + ".html"


def _page(title, body):
    name = escape(title)
    head = (f"<!doctype html>\n<html lang=en><meta charset=utf-8>\n"
            f"<meta name=viewport content='width=device-width'>\n<title>{name}</title>\n"
            f"<style>{_STYLE}</style>\n<h1>{name}</h1>\n")
    return head + "\n".join(body) + "\n</html>\n"


def _origin(facts, command):
    if facts:
        rows = "".join(f"<tr><td>{escape(name)}</td><td>{escape(text)}</td></tr>"
                       for name, text in facts)
        yield f"<div class=wide><table>{rows}</table></div>"
    if command:
        yield f"<p>To repeat it:</p><pre>{escape(command)}</pre>"


def _index(counts, excluded, blocks):
    heads = "".join(f"<th>{head}</th>" for head in (
        "block", *(LABELS[kind] for kind in KINDS), "excluded"))
    yield ("<p>Percent of the points that were hit, by kind: red below 100, a dash without points. "
           "<i>Excluded</i> counts points left out of the percents, each for a reason.</p>")
    yield f"<div class=wide><table class=blocks><tr>{heads}</tr>"
    for file, totals in blocks.items():
        link = f"<a href='{escape(_name(file))}'>{escape(file)}</a>"
        yield _row(link, totals)
    yield _row("all", {kind: total_of(counts, excluded, kind) for kind in KINDS}) + "</table></div>"
    yield from cross_section(counts, excluded)


def _row(head, totals):
    cells = "".join(f"<td class='n{' bad' * (total.hit < total.points)}'>{total}</td>"
                    for total in totals.values())
    left  = sum(total.excluded for total in totals.values())
    return f"<tr><td>{head}</td>{cells}<td class=n>{left}</td></tr>"


def _block_page(size, file, counts, excluded):
    lines = collections.defaultdict(list)
    for point, hits in counts.items():
        if point.file == file and point.kind in KINDS:
            lines[point.line].append((point, hits))
    body = ["<p><a href=index.html>All blocks</a></p>",
            ("<p>Hits: how often the line ran. Points: its points that were hit, of all. In a "
             "green line all were hit; a red line lists the others.</p>"),
            "<div class=wide><table class=source>",
            "<tr><th>line</th><th>hits</th><th>points</th><th>source</th></tr>"]
    path = _HDL / file
    for number, text in enumerate(path.read_text().splitlines() if path.is_file() else [], 1):
        body.append(_line(number, text, sorted(lines.get(number, [])), excluded))
    return _page(f"{file}, {size}", [*body, "</table></div>"])


def _line(number, text, points, excluded):
    live  = [(point, hits) for point, hits in points if point not in excluded]
    holes = [point for point, hits in live if not hits]
    runs  = [hits for point, hits in live if point.kind == "line"]
    kind  = " class=hole" if holes else " class=full" if live else ""
    share = f"{len(live) - len(holes)}/{len(live)}" if live else ""
    return (f"<tr{kind} id=L{number}><td class=n>{number}</td>"
            f"<td class=n>{f'{max(runs):,}' if runs else ''}</td><td class=n>{share}</td>"
            f"<td>{escape(text)}{_details(holes, points, excluded)}</td></tr>")


def _details(holes, points, excluded):
    parts = [f"{LABELS[point.kind]}: {point.detail or 'not run'}" for point in holes[:_MOST]]
    parts += [f"and {len(holes) - _MOST} more"] * (len(holes) > _MOST)
    text = _fold(f"{len(holes)} not hit", parts)
    reasons = dict.fromkeys(excluded[point].reason for point, _ in points if point in excluded)
    return text + _fold("excluded", reasons)


def _fold(summary, lines):
    if not lines:
        return ""
    text = escape("\n".join(lines))
    return f"<details><summary>{summary}</summary>{text}</details>"
