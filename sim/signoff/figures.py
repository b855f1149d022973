# SPDX-License-Identifier: Apache-2.0
"""Figures of evidence as tables: each with its run, and the items' wishes."""

from .item import SINCE, first_few
from .markdown import cell, table
from .need import ASKED, IN_ALL, number

__all__ = ["figure_tables"]

#: Figures of a step that runs tests or ends with a code.
_PLAIN = ("exit code", "passed", "failed", "skipped", "seconds")


def figure_tables(evidence, items):
    """Lines with a table for each of {name: Evidence}, and a joint table for the tests.

    ``items`` are Items, whose needs give the column ``asked``.
    """
    yield "## Figures"
    yield ""
    if not evidence:
        yield "No command has left evidence."
        yield ""
    steps = {name: each for name, each in evidence.items() if each.figures.keys() <= {*_PLAIN}}
    if steps:
        yield "### Tests and checks"
        yield ""
        yield from table(("evidence", *_PLAIN, "run"), [
            (name, *(each.figures.get(figure, "") for figure in _PLAIN), _run(each))
            for name, each in steps.items()])
    for name, each in evidence.items():
        if name not in steps:
            yield f"### {name}"
            yield ""
            yield cell(_run(each))
            yield ""
            yield from table(("figure", "found", "asked"), [
                (figure, _found(figure, each.figures), _asked(name, figure, each.figures, items))
                for figure in each.figures if not figure.endswith((ASKED, IN_ALL))])


def _run(each):
    """Command, time, seed and changed places of an Evidence, a text."""
    seed    = [] if each.seed is None else [f"seed {each.seed}"]
    changed = [f"{SINCE}{first_few(each.changed)}"] if each.changed else []
    return ", ".join([f"`{each.command}`", each.time, *seed, *changed])


def _found(figure, figures):
    """A figure's text, and the count over all runs if it differs."""
    value = figures[figure]
    every = figures.get(f"{figure}{IN_ALL}", value)
    return number(value) if every == value else f"{number(value)}; {number(every)}{IN_ALL[1:]}"


def _asked(name, figure, figures, items):
    """A figure's goal, or the wishes of the items with their stages, a text."""
    if f"{figure}{ASKED}" in figures:
        return number(figures[f"{figure}{ASKED}"])
    wishes = {}
    for item in items:
        for need in item.needs:
            if need.evidence == name and figure in need.found(figures):
                wishes.setdefault(need.wanted(figure, figures), []).append(item.stage)
    if len(wishes) == 1:
        return next(iter(wishes))
    return ", ".join(f"{wish} ({stages[0]})" for wish, stages in wishes.items())
