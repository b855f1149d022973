# SPDX-License-Identifier: Apache-2.0
"""The sign-off page from fabricated evidence: held, failed, old, missing; commands that exist."""

import re
import shlex
from importlib.metadata import entry_points
from types import SimpleNamespace

import pytest

from xymac.host.cluster import ROOT
from xymac.sim.signoff import command
from xymac.sim.signoff.command import main
from xymac.sim.signoff.item import Item, Need, State, judge
from xymac.sim.signoff.items import ITEMS
from xymac.sim.signoff.page import page
from xymac.sim.signoff.steps import STEPS, run_step

TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def evidence(figures, *, current=True, **fields):
    return SimpleNamespace(**{
        "figures": figures, "is_current": current, "exclusions": [], "survivors": [], "seed": 7,
        "time": "2026-01-02T03:04:05Z", "sources": "0123456789abcdef", "command": "make formal",
        "versions": {"python": "3.11.7"}} | fields)


def item(*needs, **fields):
    return Item("V1", "proofs", "All is proved", "make formal", needs, **fields)


@pytest.mark.parametrize(("needs", "figures", "state", "text"), [
    ([Need("formal", "proved", least=16)], {"proved": 16}, State.HELD, "proved: 16"),
    ([Need("formal", "proved", least=16)], {"proved": 15}, State.FAILED,
     "proved is 15, not at least 16"),
    ([Need("formal", "proved", least=16)], {"proved": "all"}, State.FAILED,
     "proved is all, not at least 16"),
    ([Need("formal", "open", most=0)], {"open": 1}, State.FAILED, "open is 1, not at most 0"),
    ([Need("formal", "exit code", equals=0)], {"exit code": 1}, State.FAILED,
     "exit code is 1, not 0"),
    ([Need("formal", "proved", same="properties")], {"proved": 3, "properties": 3}, State.HELD,
     "proved: 3"),
    ([Need("formal", "proved", same="properties")], {"proved": 3, "properties": 4}, State.FAILED,
     "proved is 3, not 4 (properties)"),
    ([Need("formal", "* line", least=90)], {"tiny line": 91.5, "base line": 80}, State.FAILED,
     "base line is 80, not at least 90"),
    ([Need("formal", "* line", least=90)], {"lines": 91}, State.FAILED,
     "there is no figure * line"),
    ([Need("formal", "files: *", asked=True)], {"files: a": 9, "files: a, asked": 9}, State.HELD,
     "files: a: 9"),
    ([Need("formal", "files: *", asked=True)], {"files: a": 8, "files: a, asked": 9}, State.FAILED,
     "files: a is 8, not 9"),
    ([Need("other", "proved", least=1)], {"proved": 2}, State.MISSING, "no evidence other")])
def test_states(needs, figures, state, text):
    finding = judge(item(*needs), {"formal": evidence(figures)})

    assert (finding.state, finding.text) == (state, text)


@pytest.mark.parametrize("value", [15, 16])
def test_old_evidence_is_neither_held_nor_failed(value):
    finding = judge(item(Need("formal", "proved", least=16)),
                    {"formal": evidence({"proved": value}, current=False)})

    assert finding.state is State.OLD


def test_items_of_files_and_items_not_done():
    assert judge(item(files=("hdl",)), {}).state is State.HELD
    assert judge(item(files=("hdl", "nowhere")), {}).text == "nowhere is not there"
    finding = judge(item(missing="no board"), {})
    assert (finding.state, finding.text) == (State.OPEN, "no board")


def test_the_page_has_all_states_exclusions_survivors_and_versions():
    items = [item(Need("formal", "proved", least=2)), item(Need("formal", "proved", least=9)),
             item(Need("old", "proved", least=2)), item(Need("gone", "proved", least=2)),
             item(missing="no board")]
    text = page({
        "formal": evidence({"proved": 2}, survivors=[
            {"where": "hdl/a.py:3", "name": "x|y", "reason": "equal <by> a proof"}]),
        "old": evidence({"proved": 2}, current=False, seed=None, exclusions=[
            {"where": f"hdl/b.py:{line}", "reason": "cannot be reached"} for line in range(50)])},
        items)

    rows = [line for line in text.splitlines() if line.startswith("| **proofs**")]
    assert [row.split(" | ")[1] for row in rows] == [state.value for state in (
        State.HELD, State.FAILED, State.OLD, State.MISSING, State.OPEN)]
    assert "| V1: the means of verification are there | 1 | 1 | 1 | 1 | 1 |" in text
    assert "| formal | hdl/a.py:3, x\\|y | equal &lt;by> a proof |" in text
    assert text.count("cannot be reached") == 40
    assert "10 more are in `build/signoff/old.json`" in text
    assert "0123456789abcdef, changed since" in text
    assert "| python | 3.11.7 |" in text
    assert "- V1, proofs: not done; no board" in text


def test_a_page_without_evidence_holds_no_run():
    text = page({})

    assert "No command has left evidence." in text
    for each in ITEMS:
        if each.needs:
            assert judge(each, {}).state in (State.MISSING, State.OPEN)


def test_control_characters_of_evidence_are_not_on_the_page():
    text = page({"formal": evidence({"verdict": "\x1b[2Jx\ny"})})

    assert "\\x1b[2Jx\\ny" in text


@pytest.mark.parametrize("each", ITEMS, ids=lambda each: each.name)
def test_items_name_commands_that_exist(each):
    first, second, *rest = shlex.split(each.command)
    if first == "make":
        assert second in TARGETS
    elif first == "xymac":
        assert second in {entry.name for entry in entry_points(group="xymac.commands")}
    elif first == "python":
        assert second == "-m"
        path = ROOT / rest[0].removeprefix("xymac.").replace(".", "/")
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file()
    else:
        assert (first, (ROOT / second).is_file()) == ("cat", True)
    for name in re.findall(r"tests/[\w/.]+", each.command):
        assert (ROOT / name).exists(), name


def test_items_have_names_of_their_own_and_show_something():
    assert len({each.name for each in ITEMS}) == len(ITEMS)
    for each in ITEMS:
        assert bool(each.needs) + bool(each.files) + bool(each.missing) == 1, each.name


def test_steps_leave_evidence_that_items_need():
    needed = {need.evidence for each in ITEMS for need in each.needs}

    assert {step.name for step in STEPS} <= needed


def test_a_step_saves_its_exit_code(monkeypatch):
    saved = {}
    monkeypatch.setattr("xymac.sim.signoff.steps.subprocess.run", lambda words, cwd, check: (
        SimpleNamespace(returncode=3 if "ruff" in words else 0)))
    monkeypatch.setattr("xymac.sim.signoff.steps.save", lambda name, line, figures, seed: (
        saved.update({name: (line, figures["exit code"], seed)})))

    codes = [run_step(step, 5) for step in STEPS[:3]]

    assert codes == [3, 0, 0]
    assert saved["lint"] == ("ruff check .", 3, 5)
    assert saved["smoke"][0].startswith("xymac check tests/vectors --dialect mli-1")
    assert " --seed 5 " in saved["registers"][0]


@pytest.mark.parametrize(("found", "code"), [({}, 0), (
    {"lint": evidence({"exit code": 1})}, 1)])
def test_the_command_writes_the_page_and_tells_failures(found, code, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "load", lambda where: found)

    assert main(["--page", "-o", str(tmp_path / "page.md")]) == code

    assert (tmp_path / "page.md").read_text() == page(found)
    assert ("lint: exit code is 1, not 0\n" in capsys.readouterr().out) == bool(code)


def test_an_unknown_step_is_refused(capsys):
    assert main(["--only", "nothing"]) == 2
    assert capsys.readouterr().err == "signoff: No step has the name nothing\n"


@pytest.mark.parametrize(("words", "sentence"), [
    (["--evidence", "/nowhere", "--page"], "There is no folder /nowhere"),
    (["--evidence", "/"], "--evidence goes with --page or --list")])
def test_a_wrong_folder_of_evidence_is_refused(words, sentence, capsys):
    assert main(words) == 2
    assert capsys.readouterr().err == f"signoff: {sentence}\n"


def test_the_list_writes_nothing(monkeypatch, capsys):
    monkeypatch.setattr(command, "load", lambda where: {})
    monkeypatch.setattr(command, "write_file", None)

    assert main(["--list"]) == 0
    assert capsys.readouterr().out.count("\n   ") == len(ITEMS)
