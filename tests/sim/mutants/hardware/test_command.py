# SPDX-License-Identifier: Apache-2.0
"""The command: which mutants it tries, in which stages, what it reports and refuses."""

import json
from xml.etree import ElementTree

import pytest

from xymac.sim.mutants.command import main
from xymac.sim.mutants.hardware import campaign, command
from xymac.sim.mutants.hardware.mutant import Mutant
from xymac.sim.mutants.hardware.reviewed import Reviewed
from xymac.sim.mutants.hardware.store import Store

MUTANTS = [Mutant(f"{file}:{line}:arm:1", line, 1, file, line, "arm", "Mux(a, b, c)", "b")
           for file in ("core/a.py", "dma/b.py") for line in range(1, 11)]


@pytest.fixture
def run(monkeypatch, tmp_path, capsys):
    """Function from arguments to (exit code, lines of output, tried mutants by stage).

    The core stage kills odd lines, the bench stage line 2, the others nothing.
    """
    tried, saved = {}, {}

    def stage(name, kills):
        def tries(mutants, store, console, **options):
            tried.setdefault(options.get("stage", name), []).extend(
                mutant.name for mutant in mutants)
            for mutant in mutants:
                killer = "test_x" if kills(mutant) else None
                store.add(mutant, options.get("stage", name), killer, "differs", 0.1)
        return tries

    monkeypatch.setattr(campaign, "universe", lambda config: MUTANTS)
    monkeypatch.setattr(campaign, "run_core", stage(
        "core", lambda mutant: mutant.line % 2))
    monkeypatch.setattr(campaign, "run_blocks", stage("blocks", lambda mutant: mutant.line == 2))
    monkeypatch.setattr(command, "run_formal", stage("formal", lambda mutant: False))
    monkeypatch.setattr(command, "Store", lambda *names: Store(*names, root=tmp_path))
    monkeypatch.setattr(command, "save", lambda name, line, figures, **rest: saved.update(
        {"figures": figures, "command": line} | rest))

    def call(*arguments):
        tried.clear()
        code = main(["hardware", "--size", "tiny", *arguments])
        return code, capsys.readouterr().out.splitlines(), dict(tried)

    call.saved = saved
    return call


def test_stages_try_what_the_earlier_ones_left(run):
    code, lines, tried = run("--file", "core/*")
    assert code == 1  # 6 of 10
    assert {stage: len(names) for stage, names in tried.items()} == {
        "core": 10, "blocks": 5, "later": 4, "formal": 4}
    assert [line for line in lines if line.startswith("survives: ")] == [
        f"survives: core/a.py:{line}:arm:1  hdl/core/a.py:{line}: Mux(a, b, c)  ->  b"
        for line in (4, 6, 8, 10)]
    assert lines[-1].startswith("6 of 10 mutants killed (core 5, blocks 1), 0 equivalent or "
                                "reviewed, 4 open: 60.0 %")
    assert not run.saved  # it is no sample


def test_a_resumed_run_tries_nothing_again(run):
    run("--file", "core/*")
    code, lines, tried = run("--file", "core/*")
    assert (code, tried) == (1, {})
    assert lines[-1].startswith("6 of 10")
    assert set(run()[2]["core"]) == {f"dma/b.py:{line}:arm:1" for line in range(1, 11)}


def test_reviewed_survivors_do_not_count(run, monkeypatch):
    monkeypatch.setattr(command, "read_reviewed", lambda: Reviewed([
        {"file": "core/a.py", "before": "Mux(a, b, c)", "after": "b", "reason": "c equals b"}]))
    code, lines, _ = run("--file", "core/*")
    assert code == 0
    assert sum("(c equals b)" in line for line in lines) == 4
    run()
    assert {each["reason"] for each in run.saved["survivors"]} == {
        "c equals b", "open: no test fails with it"}


def test_one_mutant_is_tried_again(run):
    run()
    code, lines, tried = run("--only", "core/a.py:3:arm:1")
    assert (code, tried) == (0, {"core": ["core/a.py:3:arm:1"]})
    assert lines[-1] == "test_x: differs"
    code, lines, tried = run("--only", "core/a.py:4:arm:1")
    assert [*tried] == ["core", "blocks", "later", "formal"]
    assert (code, lines[-1]) == (0, "no test fails")


def test_a_sample_depends_on_its_seed_alone(run):
    def drawn(*arguments):
        return [line.split()[0] for line in run("--list", *arguments)[1]]

    assert len(drawn("--sample", "7")) == 7
    assert drawn("--sample", "7", "--seed", "1") == drawn("--sample", "7", "--seed", "1")
    assert drawn("--sample", "7", "--seed", "1") != drawn("--sample", "7", "--seed", "2")
    assert len(drawn("--sample", "99")) == 20


def test_some_stages_leave_no_evidence(run):
    run("--stages", "core", "--sample", "99", "--seed", "3")

    assert not run.saved


def test_parts_are_all(run):
    parts = [run("--list", "--part", f"{part}/3")[1] for part in range(3)]
    assert sorted(line for part in parts for line in part) == sorted(run("--list")[1])


def test_counts(run):
    code, lines, tried = run("--count")
    assert (code, tried, lines[-1]) == (0, {}, "20 mutants")
    assert any("core/a.py" in line and "10" in line for line in lines)


@pytest.mark.parametrize(("arguments", "message"), [
    (["--file", "nowhere/*"], "mutants: No source with mutants is called 'nowhere/*', the sources"),
    (["--only", "x"], "mutants: No mutant is called 'x', mutants are called core/a.py:1:arm:1 and"),
    (["--part", "3/3"], "mutants: A part must be I/N with I from 0 to N - 1, not '3/3'"),
    (["--stages", "cores"], "mutants: A stage must be core, blocks, later, formal, not 'cores'"),
    (["--size", "huge"], "mutants: Size must be ")])
def test_refusals(run, arguments, message):
    code, lines, tried = run(*arguments)
    assert (code, tried) == (2, {})
    assert lines[-1].startswith(message)


def test_open_survivors_are_failed_tests(run, tmp_path):
    run("--file", "core/*", "--junit-xml", str(tmp_path / "report"))
    suite = ElementTree.parse(tmp_path / "report").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("10", "4")
    assert [case.get("name") for case in suite if len(case)] == [
        f"core/a.py:{line}:arm:1" for line in (4, 6, 8, 10)]


def test_evidence(run):
    run("--sample", "99", "--seed", "3")
    assert run.saved["figures"] == {
        "mutants": 20, "mutants, asked": 20, "killed": 12, "equivalent or reviewed": 0, "open": 8,
        "killed, percent": 60.0, "goal, percent": 98, "size": "tiny"}
    assert [each["where"].split(": ")[0] for each in run.saved["survivors"]] == [
        f"hdl/{file}:{line}" for file in ("core/a.py", "dma/b.py") for line in (4, 6, 8, 10)]
    assert run.saved["command"].endswith(" hardware --size tiny --sample 99 --seed 3")
    assert json.dumps(run.saved)
    assert "sim/mutants" in run.saved["places"]
