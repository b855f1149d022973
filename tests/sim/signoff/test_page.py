# SPDX-License-Identifier: Apache-2.0
"""The sign-off page from fabricated evidence: states, figures, exclusions, survivors, versions."""

import pytest

from xymac.sim.signoff.item import State, judge
from xymac.sim.signoff.items import ITEMS
from xymac.sim.signoff.need import Need
from xymac.sim.signoff.page import page

from .small import COUNTS, counted, evidence, item, least


@pytest.fixture
def small():
    """Text of a page of a few items."""
    items = [item(least("proved", 2)), item(least("proved", 9)),
             item(Need("old", "proved", least=2)), item(Need("gone", "proved", least=2)),
             item(COUNTS), item(missing="no board; nor a cable")]
    return page({
        "formal": evidence({"proved": 2} | counted(a=25_000, b=0) | {
            "files: a, in all runs": 75_000, "files: b, in all runs": 0}, survivors=[
            {"where": "hdl/a.py:3", "name": "x|y", "reason": "equal <by> a proof"}]),
        "lint": evidence({"exit code": 0, "seconds": 1}, seed=None, command="ruff check ."),
        "old": evidence({"proved": 2}, "hdl", seed=None, exclusions=[
            {"where": f"hdl/b.py:{line}", "reason": "cannot be reached"} for line in range(50)])},
        items)


def test_the_page_has_all_states(small):
    rows = [line for line in small.splitlines() if line.startswith("| **proofs**")]

    assert [row.split(" | ")[1] for row in rows] == [state.value for state in (
        State.HELD, State.FAILED, State.HELD_BEFORE, State.MISSING, State.PART, State.OPEN)]
    assert "| V1: the means of verification are there | 1 | 1 | 1 | 1 | 1 | 1 |" in small
    assert [line for line in small.splitlines() if line.startswith("- V1")] == [
        "- V1 proofs: FAILED, proved is 2, not at least 9",
        "- V1 proofs: held before a change of hdl", "- V1 proofs: not run, no evidence gone",
        "- V1 proofs: in part, 2 kinds, 0 to 25,000 of 100,000", "- V1 proofs: not done, no board"]


def test_the_page_has_a_row_a_figure(small):
    section = small.partition("### formal")[2].partition("###")[0]

    assert [line for line in section.splitlines() if line.startswith("|")] == [
        "| figure | found | asked |", "|---|---|---|",
        "| proved | 2 | at least 2 (V1), at least 9 (V1) |",
        "| files: a | 25,000; 75,000 in all runs | 100,000 |", "| files: b | 0 | 100,000 |"]
    assert "`make formal`, 2026-01-02T03:04:05Z, seed 7\n" in section
    assert "`make formal`, 2026-01-02T03:04:05Z, changed since: hdl\n" in small
    assert "| lint | 0 |  |  |  | 1 | `ruff check .`, 2026-01-02T03:04:05Z |" in small
    assert "### lint" not in small
    assert max(map(len, small.splitlines())) < 200


def test_the_page_has_exclusions_survivors_and_versions(small):
    assert "| formal | hdl/a.py:3, x\\|y | equal &lt;by> a proof |" in small
    assert small.count("cannot be reached") == 40
    assert "10 more are in `build/signoff/old.json`" in small
    assert "| python | 3.11.7 |" in small


def test_a_page_without_evidence_holds_no_run():
    text = page({})

    assert "No command has left evidence." in text
    for each in ITEMS:
        if each.needs:
            assert judge(each, {}).state in (State.MISSING, State.OPEN)


def test_control_characters_of_evidence_are_not_on_the_page():
    text = page({"formal": evidence({"verdict": "\x1b[2Jx\ny"})})

    assert "\\x1b[2Jx\\ny" in text
