# SPDX-License-Identifier: Apache-2.0
"""Coverage of a component whose holes are known, in exactly its lines."""

import collections
from pathlib import Path

import pytest

from tests.sim.coverage.toy import Again, Toy, line_of
from xymac.sim.build import coverage
from xymac.sim.build.annotate import annotated_verilog
from xymac.sim.build.compile import ports_of
from xymac.sim.coverage.points import Model, _expression, count_files
from xymac.sim.rtl.harness import Harness, build_harness

FOLDER = Path(__file__).parent


def simulate(folder, *words, resets=0):
    """Coverage {(line, kind, detail): hits} of writes of ``words``, each read back."""
    with Harness(build_harness(Toy, (), name="covered-toy")) as harness:
        for word in words:
            harness.write([0], [word])
            harness.read([0])
        for _ in range(resets):
            harness.reset()
    total = collections.Counter()
    for _name, counts in count_files(folder, FOLDER):
        total.update(counts)
    return {(point.line, point.kind, point.detail): hits for point, hits in total.items()
            if point.file == "toy.py"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XYMAC_COVERAGE", str(tmp_path))
    return tmp_path


@pytest.fixture
def counts(folder):
    return simulate(folder, 1, 3)


def holes(counts, kind):
    return {(line, detail) for (line, of, detail), hits in counts.items()
            if of == kind and not hits}


def test_lines(counts):
    assert holes(counts, "line") == {(line_of("is two"), "")}
    assert counts[line_of("store"), "line", ""] == 2
    assert (line_of("choice"), "line", "") not in counts  # it always runs


def test_branches(counts):
    assert holes(counts, "branch") == {
        (line_of("two"), "if"), (line_of("choice"), "Mux, then"), (line_of("lost"), "if"),
        (line_of("is lost"), "case"), (line_of("taken"), "none")}
    assert counts[line_of("zero"), "branch", "else"] > 0
    assert (line_of("zero"), "branch", "none") not in counts  # there is an Else


def test_expressions(counts):
    bit = line_of("either")
    assert {detail for (line, kind, detail) in counts if (line, kind) == (bit, "expression")} == {
        "(a==0 && b==0) => 0", "(a==1) => 1", "(b==1) => 1"}
    assert {detail for line, detail in holes(counts, "expression") if line == bit} == {
        "(b==1) => 1"}


def test_toggles(counts):
    kind = {detail for line, detail in holes(counts, "toggle") if line == line_of("kind")}
    assert kind == {f"kind[{bit}] {way}" for bit in range(2, 8) for way in ("0->1", "1->0")} | {
        "kind[0] 1->0", "kind[1] 1->0"}
    assert not any(line == line_of("fixed") for line, *_ in counts)  # its bits are constants


def test_an_instance_hits_for_all(counts):
    assert counts[line_of("part"), "line", ""] > 0


def test_machines(counts):
    assert holes(counts, "state") == {(line_of("is lost"), "2")}
    arcs = {detail for _, kind, detail in counts if kind == "arc"}
    assert arcs == {"0-1", "0-2", "1-0", "2-1"}
    assert {detail for _, detail in holes(counts, "arc")} == {"0-2", "2-1"}
    assert len(holes(counts, "reset")) == 3  # the reset at the start is in no state
    assert sum(hits for (_, kind, _), hits in counts.items() if kind == "stray") == 0


def test_resets(folder):
    counts = simulate(folder, 1, resets=1)
    assert holes(counts, "reset") == {(line_of("answer"), "1"), (line_of("is lost"), "2")}


@pytest.mark.parametrize("connected", [False, True])
def test_a_reset_inserter_may_leave_every_state(connected):
    """From any state to the first; in another machine this is a transition outside the sources."""
    component = Again(connected=connected)
    text, _   = annotated_verilog(component, ports_of(component))
    assert "4'b0000: ;" in text
    assert ("4'b0100: ;" in text) == connected


def test_counts_of_runs_add_up(folder):
    once = simulate(folder, 1)[line_of("store"), "line", ""]
    assert once == 1
    both = simulate(folder, 2, 2)
    assert both[line_of("store"), "line", ""] == 3
    assert both[line_of("is two"), "line", ""] > 0


def test_a_damaged_file_is_refused(folder):
    simulate(folder, 1)
    [path] = folder.glob("*.dat")
    [described] = folder.glob("*.json")
    with pytest.raises(ValueError, match=r"^There is no counter in the line"):
        Model(described.read_text(), FOLDER).count(path.read_bytes()[:-10] + b"x\nC 'broken\n")


@pytest.mark.parametrize(("comment", "operands", "expected"), [
    ("($8[0]==1 && $9==0) => 0", ["$8[0]", "$9"], "(a==1 && b==0) => 0"),
    ("(port$7158$0[15:0][3]==1) => 1", ["port$7158$0[15:0]"], "(a[3]==1) => 1"),
    ("({32'h1{{load[3], load[1]}}}[1]==1) => 1", ["load[3]", "load[1]"], "(a[1]==1) => 1"),
    ("(a==0) => 1", ["a"], "(a==0) => 1"), ("(a==0) => 1", ["b", "a"], "(b==0) => 1")])
def test_names_of_operands_do_not_matter(comment, operands, expected):
    assert _expression(comment, operands) == expected


def test_a_tree_at_another_place_is_elaborated_again(monkeypatch, tmp_path):
    """Its sources have other positions."""
    made = []

    def make():
        made.append(True)
        return Toy()

    for place in (coverage._HDL, tmp_path, tmp_path):
        monkeypatch.setattr(coverage, "_HDL", place)
        coverage._counted_build(make, "moved-toy", [str(tmp_path)])

    assert len(made) == 2
