# SPDX-License-Identifier: Apache-2.0
"""The command: commands of items exist, steps save evidence, the page, the list and refusals."""

import re
import shlex
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace

import pytest

from xymac.host.cluster import ROOT
from xymac.sim.signoff import command
from xymac.sim.signoff import evidence as saving
from xymac.sim.signoff.command import main
from xymac.sim.signoff.item import State, judge
from xymac.sim.signoff.items import ITEMS
from xymac.sim.signoff.page import page
from xymac.sim.signoff.places import PLACES
from xymac.sim.signoff.steps import STEPS, run_step

from .small import evidence

TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


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


def test_a_step_saves_its_exit_code_and_its_report(monkeypatch):
    saved = {}

    def run(words, cwd, check):
        if words[-2] == "--junit-xml":
            Path(words[-1]).write_text(
                '<testsuites><testsuite tests="9" failures="1" errors="1" skipped="3"/>'
                '</testsuites>')
        return SimpleNamespace(returncode=3 if "ruff" in words else 0)

    monkeypatch.setattr("xymac.sim.signoff.steps.subprocess.run", run)
    monkeypatch.setattr("xymac.sim.signoff.steps.save", lambda name, line, figures, seed, places: (
        saved.update({name: (line, figures | {"seconds": 0}, seed, places)})))

    codes = [run_step(step, 5) for step in STEPS if step.name in (
        "lint", "smoke", "registers", "robust-bursts")]

    assert codes == [3, 0, 0, 0]
    assert [*saved] == ["lint", "smoke", "registers"]
    assert saved["lint"][:3] == ("ruff check .", {"exit code": 3, "seconds": 0}, 5)
    assert saved["smoke"][1] == {"exit code": 0, "passed": 0, "failed": 0, "skipped": 0,
                                 "seconds": 0}
    assert saved["registers"][1] == {"exit code": 0, "passed": 4, "failed": 2, "skipped": 3,
                                     "seconds": 0}
    assert saved["smoke"][3].keys() == {*PLACES["smoke"]}
    assert saved["smoke"][0].startswith("xymac check tests/vectors --dialect mli-1")
    assert " --seed 5 " in saved["registers"][0]


def test_a_step_whose_tests_are_all_skipped_holds_nothing():
    figures = {"exit code": 0, "passed": 0, "failed": 0, "skipped": 3, "seconds": 1}
    [power_up] = [each for each in ITEMS if each.name == "power-up"]

    assert judge(power_up, {"power-up": evidence(figures)}).state is State.FAILED
    assert judge(power_up, {"power-up": evidence(figures | {"passed": 1})}).state is State.HELD


def test_a_step_without_its_program_leaves_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(command, "load", lambda where: {})
    monkeypatch.setattr(command, "run_step", None)

    assert main(["--only", "unknown-values", "-o", str(tmp_path / "page.md")]) == 0

    assert ("unknown-values needs iverilog, which is not installed: not run\n"
            in capsys.readouterr().out)
    assert "no evidence unknown-values" in (tmp_path / "page.md").read_text()


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
    out = capsys.readouterr().out
    assert out.count("\n   ") == len(ITEMS) + len(STEPS)
    assert "\nstep formal, about 5 min\n   python -m xymac.sim.formal\n" in out
    assert "\nstep power-up, about 3 min\n   pytest -q -p no:cacheprovider --seed N " in out


def test_the_cut_takes_an_hour_and_the_help_says_how_long(capsys):
    assert (sum(step.seconds for step in STEPS if not step.beside)
            + max(step.seconds for step in STEPS if step.beside)) <= 3600
    with pytest.raises(SystemExit):
        main(["--help"])

    out = capsys.readouterr().out
    for step in STEPS:
        assert re.search(rf"^  {step.name} +{step.duration}$", out, re.MULTILINE)


@pytest.mark.parametrize("text", ["{", "[]", '{"name": "formal"}'])
def test_a_wrong_file_of_evidence_is_refused(text, tmp_path, capsys):
    (tmp_path / "formal.json").write_text(text)

    assert main(["--page", "--evidence", str(tmp_path), "-o", str(tmp_path / "page.md")]) == 2

    told = capsys.readouterr().err
    assert told.startswith(f"signoff: {tmp_path}/formal.json ")
    assert told.count("\n") == 1
    assert not (tmp_path / "page.md").exists()


def test_the_page_of_saved_evidence(tmp_path, monkeypatch):
    monkeypatch.setattr(saving, "build_root", lambda: tmp_path)
    saving.save("lint", "ruff check .", {"exit code": 0, "seconds": 1},
                places=saving.digest_places(["setup.py"]))
    path = tmp_path / "page.md"

    assert main(["--page", "--evidence", str(tmp_path / "signoff"), "-o", str(path)]) == 0

    [row] = [line for line in path.read_text().splitlines() if line.startswith("| **lint**")]
    assert row.split(" | ")[1:3] == ["held", "exit code 0"]
