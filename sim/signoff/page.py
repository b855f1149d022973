# SPDX-License-Identifier: Apache-2.0
"""The sign-off page in Markdown: items by stage, figures, exclusions, survivors, and versions."""

from collections import Counter

from xymac.host.files.text import plain

from .item import State, judge
from .items import ITEMS

__all__ = ["page"]

_STAGES = {"V1": "the means of verification are there", "V2": "all tests pass, coverage is high",
           "V3": "nothing is left that has no reason"}
_HEAD = """# Sign-off

<!-- Written by `make signoff`, `python -m xymac.sim.signoff --page` writes it from the evidence
that there is. -->

The items follow the verification stages of the
[OpenTitan project](https://opentitan.org/book/doc/project_governance/checklist/). An item holds if
its evidence is of these sources and meets its limits. Commands keep figures, seed and a digest of
the sources in `build/signoff`; the last tables name the exact command of each evidence, which may
be a part of the command beside the item. An item without evidence is *not run*; if the sources have
changed since, it is *not run on these sources*.
"""
_MOST = 40  #: Exclusions or survivors of a kind on the page; the file has all.


def page(evidence, items=ITEMS):
    """The page text for {name: Evidence}."""
    findings = [judge(item, evidence) for item in items]
    return "\n".join([_HEAD, *_summary(findings), *_stages(findings), *_figures(evidence),
                      *_lists(evidence, "exclusions", "Exclusions"),
                      *_lists(evidence, "survivors", "Survivors"), *_open(findings),
                      *_versions(evidence)]).rstrip() + "\n"


def _table(heads, rows):
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(_cell(value) for value in row)} |"
    yield ""


def _cell(value):
    text = f"{value:,}" if isinstance(value, int | float) else plain(value)
    return text.replace("|", "\\|").replace("<", "&lt;")


def _summary(findings):
    yield "## Items held"
    yield ""
    rows = []
    for stage, text in _STAGES.items():
        counts = Counter(finding.state for finding in findings if finding.item.stage == stage)
        rows.append((f"{stage}: {text}", *(counts[state] for state in State)))
    yield from _table(("stage", *(state.value for state in State)), rows)


def _stages(findings):
    for stage in _STAGES:
        yield f"## {stage}"
        yield ""
        yield from _table(("item", "state", "found", "command"), [
            (f"**{finding.item.name}**: {finding.item.text}", finding.state.value, finding.text,
             f"`{finding.item.command}`") for finding in findings if finding.item.stage == stage])


def _figures(evidence):
    yield "## Figures"
    yield ""
    if not evidence:
        yield "No command has left evidence."
        yield ""
        return
    yield from _table(("evidence", "figures"), [
        (name, "; ".join(f"{figure} {_cell(value)}" for figure, value in each.figures.items()))
        for name, each in evidence.items()])


def _lists(evidence, field, title):
    yield f"## {title}"
    yield ""
    rows = [(name, _where(each), each["reason"]) for name, found in evidence.items()
            for each in getattr(found, field)[:_MOST]]
    if not rows:
        yield "None in the evidence."
        yield ""
        return
    yield from _table(("evidence", "where", "reason"), rows)
    for name, found in evidence.items():
        count = len(getattr(found, field))
        if count > _MOST:
            yield f"{count - _MOST:,} more are in `build/signoff/{name}.json`."
            yield ""


def _where(each):
    return ", ".join(str(value) for key, value in each.items() if key != "reason" and value)


def _open(findings):
    yield "## Not done"
    yield ""
    open_ = [finding for finding in findings if finding.state is not State.HELD]
    if not open_:
        yield "Every item is held."
        yield ""
        return
    for finding in open_:
        yield (f"- {finding.item.stage}, {finding.item.name}: {finding.state.value}; "
               f"{_cell(finding.text)}")
    yield ""


def _versions(evidence):
    yield "## Runs"
    yield ""
    yield from _table(("evidence", "time", "seed", "sources", "command"), [
        (name, each.time, "none" if each.seed is None else str(each.seed),
         each.sources + ("" if each.is_current else ", changed since"), f"`{each.command}`")
        for name, each in evidence.items()])
    versions = {}
    for each in evidence.values():
        for tool, version in each.versions.items():
            versions.setdefault(tool, set()).add(version)
    yield from _table(("tool", "version"), [
        (tool, "; ".join(sorted(found))) for tool, found in versions.items()])
