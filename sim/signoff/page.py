# SPDX-License-Identifier: Apache-2.0
"""The sign-off page in Markdown: items by stage, figures, exclusions, survivors, and versions."""

from collections import Counter

from .figures import figure_tables
from .item import SINCE, State, judge
from .items import ITEMS
from .markdown import cell, table

__all__ = ["page"]

_STAGES = {"V1": "the means of verification are there", "V2": "all tests pass, coverage is high",
           "V3": "nothing is left that has no reason"}
_HEAD = """# Sign-off

<!-- Written by `make signoff`, `python -m xymac.sim.signoff --page` writes it from the evidence
that there is. -->

The items follow the verification stages of the
[OpenTitan project](https://opentitan.org/book/doc/project_governance/checklist/). Commands leave
evidence in `build/signoff`: figures, seed, and a digest of each folder that the outcome depends on.
Only the first state counts as held:

| state | evidence |
|---|---|
| held | it is of these sources, and every figure meets its limit |
| held before a change | it met every limit, and the named folders have changed since |
| in part | no figure contradicts the item, but counts miss their goals or sizes are missing |
| FAILED | a figure contradicts the item |
| not run | there is none |
| not done | no step leaves it, for the given reason |

Evidence may come from a part of the command beside its item; its [figures](#figures) name the exact
command.
"""
_MOST = 40  #: Exclusions or survivors of a kind on the page; the file has all.


def page(evidence, items=ITEMS):
    """The page text for {name: Evidence}."""
    findings = [judge(item, evidence) for item in items]
    return "\n".join([_HEAD, *_summary(findings), *_open(findings), *_stages(findings),
                      *figure_tables(evidence, items),
                      *_lists(evidence, "exclusions", "Exclusions"),
                      *_lists(evidence, "survivors", "Survivors"),
                      *_versions(evidence)]).rstrip() + "\n"


def _summary(findings):
    yield "## Items held"
    yield ""
    rows = []
    for stage, text in _STAGES.items():
        counts = Counter(finding.state for finding in findings if finding.item.stage == stage)
        rows.append((f"{stage}: {text}", *(counts[state] for state in State)))
    yield from table(("stage", *(state.value for state in State)), rows)


def _open(findings):
    """A list of the items that are not held, with half a sentence each."""
    yield "## Items not held"
    yield ""
    lines = [f"- {finding.item.stage} {finding.item.name}: {_reason(finding)}"
             for finding in findings if finding.state is not State.HELD]
    yield from lines or ["Every item is held."]
    yield ""


def _reason(finding):
    if finding.state is State.HELD_BEFORE:
        return f"held before a change of {cell(finding.brief.removeprefix(SINCE))}"
    return f"{finding.state.value}, {cell(finding.brief)}"


def _stages(findings):
    for stage in _STAGES:
        yield f"## {stage}"
        yield ""
        yield from table(("item", "state", "found", "command"), [
            (f"**{finding.item.name}**: {finding.item.text}", finding.state.value, finding.text,
             f"`{finding.item.command}`") for finding in findings if finding.item.stage == stage])


def _lists(evidence, field, title):
    yield f"## {title}"
    yield ""
    rows = [(name, _where(each), each["reason"]) for name, found in evidence.items()
            for each in getattr(found, field)[:_MOST]]
    if not rows:
        yield "None in the evidence."
        yield ""
        return
    yield from table(("evidence", "where", "reason"), rows)
    for name, found in evidence.items():
        count = len(getattr(found, field))
        if count > _MOST:
            yield f"{count - _MOST:,} more are in `build/signoff/{name}.json`."
            yield ""


def _where(each):
    return ", ".join(str(value) for key, value in each.items() if key != "reason" and value)


def _versions(evidence):
    versions = {}
    for each in evidence.values():
        for tool, version in each.versions.items():
            versions.setdefault(tool, set()).add(version)
    if versions:
        yield "## Tools"
        yield ""
        yield from table(("tool", "version"), [
            (tool, "; ".join(sorted(found))) for tool, found in versions.items()])
