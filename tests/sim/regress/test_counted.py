# SPDX-License-Identifier: Apache-2.0
"""Random stimuli that tests count: through a piece, its result, and evidence."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from xymac.sim.regress import evidence
from xymac.sim.regress.counted import sum_counted
from xymac.sim.regress.evidence import robust_figures, save_evidence
from xymac.sim.regress.report import Run
from xymac.sim.regress.result import Result, Results
from xymac.sim.regress.robust import CAMPAIGNS
from xymac.sim.regress.versions import describe_here
from xymac.sim.regress.work import run_piece

from .small import HERE, write_piece

COUNTS = """
def test_a(record_property): record_property("counted: frames", 7)
def test_b(record_property): record_property("counted: frames", 5)
def test_c(record_property): record_property("seconds", 3)
"""
NAME = CAMPAIGNS[0].name


def result_of(key="a", **fields):
    return Result(**{"key": key, "kind": "robust", "name": "piece", "seed": 3, "command": key,
                     "outcome": "passed", "counted": {NAME: 10}, "sources": HERE.sources} | fields)


def test_a_piece_tells_what_its_tests_counted(tmp_path):
    piece = write_piece(tmp_path, "counts", COUNTS)

    result = run_piece(piece, 3, describe_here())
    Results(tmp_path / "kept").keep(result)

    assert result.counted == {"frames": 12}
    assert result.sources == describe_here().sources
    [stored] = Results(tmp_path / "kept").stored()
    assert stored.counted == {"frames": 12}


def test_only_what_passed_is_summed():
    assert sum_counted([result_of(), result_of("b"), result_of("c", outcome="failed")]) == {
        NAME: 20}


def test_equal_stimuli_count_once():
    stored = [result_of(), result_of("b", command="a", sources="other"),
              result_of("c", sources="other", counted={NAME: 5})]

    figures = robust_figures(Run(3, stored[:1], HERE, "", 1.0), stored)

    assert figures[NAME] == 15
    assert figures[f"{NAME}, on these sources"] == 10
    assert figures[f"{NAME}, asked"] == CAMPAIGNS[0].goal
    assert figures["failures"] == "none"


@pytest.mark.parametrize(("match", "missing", "names"), [
    ("*", 0, ["regress-robust", "robustness"]), ("x*", 0, ["robustness"]),
    ("*", 1, ["robustness"])])
def test_evidence_of_a_kind_needs_all_of_its_pieces(match, missing, names, monkeypatch):
    saved = {}
    monkeypatch.setattr(evidence, "save", lambda name, command, figures, seed: saved.update(
        {name: figures}))
    run = Run(3, [result_of(), result_of("b", outcome="failed", failed=2)], HERE, "", 1.0, missing)

    save_evidence(run, {"match": match}, 20, SimpleNamespace(stored=lambda: run.results[:1]))

    assert [*saved] == names
    assert saved["robustness"]["failures"] == "piece with seed 3"
    for figures in (saved[name] for name in names[:-1]):
        assert figures == {"pieces": 2, "seeds": 20, "passed": 0, "failed": 2, "skipped": 0,
                           "failures": "piece with seed 3"}


@pytest.mark.parametrize("change", [
    {"passed": "many"}, {"passed": True}, {"counted": {"a": "7"}}, {"counted": []}, {"name": 3},
    {"seconds": None}])
def test_a_stored_result_of_other_types_counts_as_none(change, tmp_path):
    kept = Results(tmp_path)
    kept.keep(result_of())
    [path] = tmp_path.iterdir()
    path.write_text(json.dumps(json.loads(path.read_text()) | change))

    assert kept.get("a") is None
    assert kept.stored() == []
    kept.keep(replace(result_of(), passed=3))
    assert kept.get("a").passed == 3
