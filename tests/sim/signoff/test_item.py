# SPDX-License-Identifier: Apache-2.0
"""States of items: held, before a change, in part, failed, not run, not done."""

import pytest

from xymac.sim.signoff.item import State, judge
from xymac.sim.signoff.need import Need

from .small import COUNTS, counted, evidence, item, least

SEEDS = Need("formal", "seeds", goal=20)
NONE  = Need("formal", "failures", equals="none")


@pytest.mark.parametrize(("needs", "figures", "state", "text"), [
    ([least("proved", 16)], {"proved": 16}, State.HELD, "proved 16"),
    ([least("proved", 16)], {"proved": 15}, State.FAILED, "proved is 15, not at least 16"),
    ([least("proved", 16)], {"proved": "all"}, State.FAILED, "proved is all, not at least 16"),
    ([Need("formal", "open", most=0)], {"open": 1}, State.FAILED, "open is 1, not at most 0"),
    ([Need("formal", "exit code", equals=0)], {"exit code": 1}, State.FAILED,
     "exit code is 1, not 0"),
    ([Need("formal", "proved", same="properties")], {"proved": 3, "properties": 3}, State.HELD,
     "proved 3"),
    ([Need("formal", "proved", same="properties")], {"proved": 3, "properties": 4}, State.FAILED,
     "proved is 3, not 4 (properties)"),
    ([least("* line", 90)], {"tiny line": 91.5, "base line": 80}, State.FAILED,
     "base line is 80, not at least 90"),
    ([least("* line", 90)], {"lines": 91}, State.MISSING, "no figure * line"),
    ([least("tiny", 90), least("base", 90)], {"tiny": 91}, State.PART, "no figure base"),
    ([least("tiny", 90), least("base", 90)], {"tiny": 89}, State.FAILED,
     "tiny is 89, not at least 90"),
    ([COUNTS, NONE], {"failures": "none"} | counted(a=100_000), State.HELD,
     "files: a: 100,000 of 100,000"),
    ([COUNTS], counted(a=25_000, b=100_000, c=30_000), State.PART,
     "3 kinds, 25,000 to 100,000 of 100,000"),
    ([COUNTS], counted(a=25_000, b=25_000), State.PART, "2 kinds, 25,000 of 100,000 each"),
    ([COUNTS], counted(a=0, b=100_000), State.PART, "2 kinds, 0 to 100,000 of 100,000"),
    ([COUNTS], counted(a=0, b=0), State.MISSING, "2 kinds, 0 of 100,000 each"),
    ([COUNTS], counted(a=90_000) | {"files: b": 100, "files: b, asked": 2000}, State.PART,
     "2 kinds, the least 100 of 2,000 (files: b)"),
    ([COUNTS, NONE], counted(a=25_000) | {"failures": "a with seed 3"}, State.FAILED,
     "failures is a with seed 3, not none"),
    ([COUNTS], {"files: a": "many", "files: a, asked": 9}, State.FAILED,
     "files: a is many, not 9"),
    ([COUNTS], {"files: a": 8, "files: a, asked": "all"}, State.FAILED, "files: a is 8, not all"),
    ([SEEDS], {"seeds": 1}, State.PART, "seeds: 1 of 20"),
    ([SEEDS], {"seeds": 20}, State.HELD, "seeds: 20 of 20"),
    ([Need("other", "proved", least=1)], {"proved": 2}, State.MISSING, "no evidence other"),
    ([least("proved", 3), Need("other", "proved", least=1)], {"proved": 2}, State.FAILED,
     "proved is 2, not at least 3")])
def test_states(needs, figures, state, text):
    finding = judge(item(*needs), {"formal": evidence(figures)})

    assert (finding.state, finding.text) == (state, text)


@pytest.mark.parametrize(("figures", "state", "text", "brief"), [
    ({"proved": 16} | counted(a=100_000), State.HELD_BEFORE,
     "changed since: hdl, sim/formal; before: files: a: 100,000 of 100,000, proved 16",
     "changed since: hdl, sim/formal"),
    ({"proved": 16} | counted(a=9), State.PART,
     "files: a: 9 of 100,000; changed since: hdl, sim/formal", "files: a: 9 of 100,000"),
    ({"proved": 15} | counted(a=9), State.FAILED,
     "proved is 15, not at least 16; changed since: hdl, sim/formal",
     "proved is 15, not at least 16")])
def test_changed_places_are_named_and_nothing_is_held(figures, state, text, brief):
    finding = judge(item(COUNTS, least("proved", 16)),
                    {"formal": evidence(figures, "sim/formal", "hdl")})

    assert (finding.state, finding.text, finding.brief) == (state, text, brief)


def test_many_faults_and_places_are_cut():
    figures = {f"f{number}": 1 for number in range(9)}
    finding = judge(item(least("f*", 2)), {"formal": evidence(figures, *"abcdefgh")})

    assert finding.text.count("not at least 2") == 6
    assert "and 3 more; changed since: a, b, c, d, e, f and 2 more" in finding.text


def test_items_of_files_and_items_not_done():
    assert judge(item(files=("hdl",)), {}).state is State.HELD
    finding = judge(item(files=("hdl", "nowhere")), {})
    assert (finding.state, finding.text) == (State.FAILED, "nowhere is not there")
    finding = judge(item(missing="no board; nor a cable"), {})
    assert (finding.state, finding.text) == (State.OPEN, "no board; nor a cable")
    assert finding.brief == "no board"


def test_figures_of_several_commands_have_their_names():
    finding = judge(item(least("a", 1), Need("other", "b", least=1)),
                    {"formal": evidence({"a": 1}), "other": evidence({"b": 2})})

    assert finding.text == "formal: a 1; other: b 2"
