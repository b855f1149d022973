# SPDX-License-Identifier: Apache-2.0
"""Random stimuli that tests count: through a piece, its result, and evidence."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from xymac.sim.regress import evidence, work
from xymac.sim.regress.counted import sum_counted
from xymac.sim.regress.evidence import digest_all, robust_figures, save_evidence
from xymac.sim.regress.piece import KINDS
from xymac.sim.regress.report import Run
from xymac.sim.regress.result import Result, Results
from xymac.sim.regress.robust import CAMPAIGNS
from xymac.sim.regress.versions import describe_here
from xymac.sim.regress.work import run_piece
from xymac.sim.signoff.evidence import digest_places

from .small import HERE, write_piece

COUNTS = """
def test_a(record_property): record_property("counted: frames", 7)
def test_b(record_property): record_property("counted: frames", 5)
def test_c(record_property): record_property("seconds", 3)
"""
NAME = CAMPAIGNS[0].name
HDL  = {"hdl": "0123"}


def result_of(key="a", **fields):
    return Result(**{"key": key, "kind": "robust", "name": "piece", "seed": 3, "command": key,
                     "outcome": "passed", "counted": {NAME: 10}, "places": HDL} | fields)


def test_a_piece_tells_what_its_tests_counted(tmp_path):
    piece = write_piece(tmp_path, "counts", COUNTS, places=("hdl/isa", "Makefile"))

    result = run_piece(piece, 3, describe_here())
    Results(tmp_path / "kept").keep(result)

    assert result.counted == {"frames": 12}
    assert result.places == digest_places(("hdl/isa", "Makefile"))
    [stored] = Results(tmp_path / "kept").stored()
    assert (stored.counted, stored.places) == (result.counted, result.places)


def test_a_change_during_a_piece_leaves_no_places(tmp_path, monkeypatch):
    digests = iter([{"hdl": "0123"}, {"hdl": "4567"}])
    monkeypatch.setattr(work, "digest_places", lambda places: next(digests))

    result = run_piece(write_piece(tmp_path, "counts", COUNTS), 3, describe_here())

    assert (result.outcome, result.places) == ("passed", {})


def test_only_what_passed_is_summed():
    assert sum_counted([result_of(), result_of("b"), result_of("c", outcome="failed")]) == {
        NAME: 20}


def test_equal_stimuli_count_once_and_changed_places_apart():
    stored = [result_of(), result_of("b", command="a", places={"hdl": "other"}),
              result_of("c", places={"hdl": "other"}, counted={NAME: 5}),
              result_of("d", places={}, counted={NAME: 3})]

    figures = robust_figures(CAMPAIGNS[:1], stored[:1], stored, HDL)

    assert figures == {"failures": "none", NAME: 10, f"{NAME}, in all runs": 18,
                       f"{NAME}, asked": CAMPAIGNS[0].goal}


def test_a_failure_stays_until_its_piece_passes():
    failed = result_of("b", outcome="failed", seed=4)

    def failures(results, stored, before):
        return robust_figures(CAMPAIGNS[:1], results, stored, HDL, before)["failures"]

    assert failures([failed], [], []) == "piece with seed 4"
    assert failures([], [result_of()], ["piece with seed 4"]) == "piece with seed 4"
    assert failures([], [result_of(seed=4, places={})], ["piece with seed 4"]) != "none"
    assert failures([], [result_of(seed=4)], ["piece with seed 4"]) == "none"


@pytest.mark.parametrize(("match", "missing", "names"), [
    ("*", 0, ["regress-tests", "robust-files"]), ("x*", 0, ["robust-files"]),
    ("*", 1, ["robust-files"])])
def test_evidence_of_a_kind_needs_all_of_its_pieces(match, missing, names, monkeypatch):
    saved = {}
    monkeypatch.setattr(evidence, "save", lambda name, command, figures, seed, places: (
        saved.update({name: (figures, places)})))
    monkeypatch.setattr(evidence, "load", lambda names: {})
    run = Run(3, [result_of(kind="tests"), result_of("b", kind="tests", outcome="failed", failed=2),
                  result_of("c", name=f"{NAME} 7")], HERE, "", 1.0, missing)
    places = {"regress-tests": {"docs": "1"}, "robust-files": HDL}

    save_evidence(run, {"match": match}, 20, SimpleNamespace(stored=lambda: run.results[2:]),
                  places)

    assert [*saved] == names
    figures, kept = saved["robust-files"]
    assert (figures["failures"], figures[NAME], kept) == ("none", 10, HDL)
    for figures, kept in (saved[name] for name in names[:-1]):
        assert kept == {"docs": "1"}
        assert figures == {"pieces": 2, "seeds": 20, "passed": 0, "failed": 2, "skipped": 0,
                           "failures": "piece with seed 3"}


def test_failures_of_the_last_evidence_stay_on_the_same_sources(monkeypatch):
    saved  = {}
    before = SimpleNamespace(places=HDL, figures={"failures": "a with seed 1; b with seed 2"})
    monkeypatch.setattr(evidence, "save", lambda name, command, figures, **_: saved.update(figures))
    monkeypatch.setattr(evidence, "load", lambda names: {names[0]: before})
    run = Run(3, [result_of(name=f"{NAME} 7")], HERE, "", 1.0)

    def failures(places):
        save_evidence(run, {"match": "*"}, 1, SimpleNamespace(stored=lambda: run.results),
                      {"robust-files": places})
        return saved["failures"]

    assert failures(HDL) == "a with seed 1; b with seed 2"
    assert failures({"hdl": "other"}) == "none"
    before.figures = {}
    assert failures(HDL) == "none"


def test_all_evidence_of_a_regression_has_places_at_its_begin():
    assert {f"regress-{kind}" for kind in KINDS if kind != "robust"} | {
        campaign.evidence for campaign in CAMPAIGNS} == digest_all().keys()


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
