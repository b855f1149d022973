# SPDX-License-Identifier: Apache-2.0
"""Mutants of a toy: killed, surviving, endless and unreached ones are told apart; runs resume"""

import json
from xml.etree import ElementTree

import pytest

from xymac.sim.mutants.software.command import main

from .toy import SOURCE, TESTS, make_toy, outcomes, run_toy

KILLED = [
    ("killed", "x - 3 -> x + 3"),
    ("killed", "3 -> 4"),
    ("closure.add", "x + step -> x - step"),
    ("decorated", "11 -> 12"),
    ("cached", "12 -> 13"),                     # its result is in the cache before the swap
    ("Pair.sum", "self.first + self.second -> self.first - self.second"),
    ("Pair.twice", "14 -> 13"),
    ("Pair.__post_init__", "raise ValueError('negative') -> pass"),
    ("Pair", "13 -> 14"),                       # a field's default
    ("", "5 -> 6"),                             # a constant, and a constant made of it
    ("", "2 -> 3"),
    ("", "15 -> 14"),                           # a default of an argument
    ("early", "18 -> 19"),                      # runs while the test file is imported
    ("", "20 -> 21"),                           # in a table that a class holds
    ("steps", "continue -> break"),
    ("both", "x and y -> x or y"),
]


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    folder = make_toy(tmp_path_factory.mktemp("toy"))
    return folder, run_toy(folder, "--least", 30, "--junit-xml", folder / "report.xml")


def test_exit_codes(toy):
    folder, done = toy
    assert done.returncode == 0, done.stdout + done.stderr
    assert run_toy(folder, "--least", 99).returncode == 1


@pytest.mark.parametrize("key", KILLED)
def test_swap_takes_effect(toy, key):
    assert outcomes(toy[0])[key] == "killed"


def test_outcomes_are_told_apart(toy):
    found = outcomes(toy[0])
    assert found["endless", "n -= 1 -> n += 1"] == "timeout"
    assert found["survived", "x > 3 -> x >= 3"] == "survived"
    assert found["survived", "x + 0 -> x - 0"] == "not covered"   # the branch never runs
    assert found["half_covered", "9 -> 10"] == "not covered"      # the operand never runs
    assert found["uncovered", "x + 7 -> x - 7"] == "not covered"
    assert found["reader", "19 -> 20"] == "not covered"           # but for the vectors


def test_survivors_are_named_and_counted(toy):
    _, done = toy
    assert "not covered: uncovered: return x + 7: x + 7 -> x - 7" in done.stdout
    figures = dict(reversed(part.split(" ", 1))
                   for part in done.stdout.splitlines()[-1].split(", "))
    found   = list(outcomes(toy[0]).values())
    assert {name: int(figures[name]) for name in (
        "mutants", "killed", "timeout", "survived", "not covered")} == {"mutants": len(found)} | {
            name: found.count(name) for name in ("killed", "timeout", "survived", "not covered")}


def test_report_for_regressions(toy):
    suite = ElementTree.parse(toy[0] / "report.xml").getroot()
    found = list(outcomes(toy[0]).values())
    left  = found.count("survived") + found.count("not covered")
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == (
        str(len(found)), "0", str(left))
    assert len(suite.findall("testcase/skipped")) == left


def test_vectors_kill_when_they_may(tmp_path):
    source, tests = (text[text.rindex(name):] for text, name in (
        (SOURCE, "def reader"), (TESTS, "def test_vectors")))
    folder = make_toy(tmp_path, source,
                      f"from pathlib import Path\n\nfrom src import calc\n\n\n{tests}")
    done = run_toy(folder, "--vectors", "--file", "src/calc.py", "--least", 0)
    assert done.returncode == 0, done.stdout
    assert outcomes(folder, "results-vectors.jsonl")["reader", "19 -> 20"] == "killed"


def test_a_run_resumes(tmp_path):
    folder = make_toy(tmp_path, "def f(x):\n    return x + 1\n\n\ndef g(x):\n    return x - 5\n",
                      "from src import calc\n\n\ndef test_f(): assert calc.f(1)\n")
    path  = folder / "build/mutants/software/results.jsonl"
    first = run_toy(folder, "--least", 0)
    rows  = [json.loads(line) for line in path.read_text().splitlines()]
    assert {row["outcome"] for row in rows} == {"killed", "survived", "not covered"}
    assert run_toy(folder, "--least", 0).stdout.splitlines()[-1].split(", ")[:-1] == (
        first.stdout.splitlines()[-1].split(", ")[:-1])
    assert len(path.read_text().splitlines()) == len(rows)           # nothing ran again

    (folder / "tests/test_calc.py").write_text(
        "from src import calc\n\n\ndef test_f(): assert calc.f(1) == 2\n"
        "def test_g(): assert calc.g(1) == -4\n")
    again = run_toy(folder)
    new   = [json.loads(line) for line in path.read_text().splitlines()[len(rows):]]
    assert again.returncode == 0, again.stdout
    assert {row["line"] for row in new} == {2, 6}
    assert {row["outcome"] for row in new} == {"killed"}


def test_a_test_that_fails_without_a_mutant_kills_nothing(tmp_path):
    folder = make_toy(tmp_path, "def f(x):\n    return x + 1\n",
                      "from src import calc\n\nCOUNT = []\n\n\ndef test_f():\n    COUNT.append(1)\n"
                      "    assert calc.f(1) and __import__('os').environ.get('COVERAGE_CORE')\n")
    done = run_toy(folder)
    assert done.returncode == 2
    assert "fails without a mutant" in done.stdout


@pytest.mark.parametrize(("options", "sentence"), [
    (("--file", "src/none.py"), "No source matches --file src/none.py"),
    (("--only", "src/calc.py:1"), "there is no such mutant"),
    (("--only", "other.py:1"), "there is no source other.py"),
    (("--packages", "nothing"), "There is no *.py in")])
def test_wrong_options(tmp_path, options, sentence):
    done = run_toy(make_toy(tmp_path), *options)
    assert done.returncode == 2
    assert sentence in done.stdout
    assert not (tmp_path / "build").exists()


@pytest.mark.parametrize(("words", "sentence"), [
    (["--seed", "-1"], "argument --seed: must be at least 0, not -1"),
    (["--sample", "0"], "argument --sample: must be at least 1, not 0"),
    (["--jobs", "two"], "argument --jobs: must be an int, not 'two'"),
    (["--least", "nan"], "argument --least: must be a number from 0 to 100 percent, not 'nan'"),
    (["--least", "101"], "argument --least: must be a number from 0 to 100 percent, not '101'"),
    (["--budget", "-1"], "argument --budget: must be a number of seconds, at least 0, not '-1'"),
    (["--share", "inf"], "argument --share: must be a number of seconds, at least 0, not 'inf'")])
def test_wrong_numbers(words, sentence, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(words)

    assert sentence in capsys.readouterr().err


def test_wrong_equivalents(toy, tmp_path):
    folder, _ = toy
    right = {"file": "src/calc.py", "function": "survived",
             "mutation": "return x + 0 if x > 3 else x: x > 3 -> x >= 3", "reason": "x + 0 is x"}
    stale = right | {"function": "gone"}
    wrong = right | {"function": "killed", "mutation": "return x - 3: 3 -> 4"}
    path  = tmp_path / "equivalent.json"

    path.write_text(json.dumps([right]))
    done = run_toy(folder, "--equivalent", path, "--least", 0)
    assert done.returncode == 0
    assert "1 equivalent" in done.stdout
    path.write_text(json.dumps([right, stale, wrong]))
    done = run_toy(folder, "--equivalent", path, "--least", 0)
    assert done.returncode == 1
    assert "gone: there is no mutant" in done.stdout
    assert "not equivalent, tests/test_calc.py::test_killed notices it" in done.stdout
    path.write_text(json.dumps([right | {"reason": " "}]))
    assert "has no reason" in run_toy(folder, "--equivalent", path).stdout


def test_one_mutant_and_the_list(toy):
    folder, _ = toy
    line = SOURCE.splitlines().index("    return x - 3") + 1
    done = run_toy(folder, "--only", f"src/calc.py:{line}:1")
    assert done.returncode == 0
    assert done.stdout.startswith("1 mutants, 1 killed")
    listed = run_toy(folder, "--list").stdout.splitlines()
    assert f"src/calc.py:{line}:1: killed: return x - 3: x - 3 -> x + 3" in listed
    assert len(listed) == len(outcomes(folder))
