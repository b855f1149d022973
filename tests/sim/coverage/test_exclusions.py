# SPDX-License-Identifier: Apache-2.0
"""Exclusions: which points they take out, and which of them are stale."""

import re
from pathlib import Path

import pytest

import xymac.hdl
from xymac.host.errors import InputError
from xymac.sim.coverage.exclusions import EXCLUSIONS, exclude, read_exclusions
from xymac.sim.coverage.jobs import SIZES
from xymac.sim.coverage.points import KINDS, Point
from xymac.sim.coverage.totals import figures
from xymac.sim.formal.command import PROPERTIES

FILE = "ring.py"
TEXT = Path(xymac.hdl.__file__).with_name(FILE).read_text().splitlines()
LINE = next(number for number, text in enumerate(TEXT, 1) if "m.d.sync" in text)
ENTRY = f'[[exclusion]]\nfile = "{FILE}"\nkind = "toggle"\nreason = "It is so"\n'


def points(*hits):
    """Toggles of a line of a ring, hit so often."""
    return {Point(FILE, LINE, "toggle", f"place[{bit}] 0->1"): count
            for bit, count in enumerate(hits)}


def read(folder, text, **options):
    path = folder / "exclusions.toml"
    path.write_text(text)
    return read_exclusions(path, **options)


def test_an_excluded_point_does_not_count(tmp_path):
    counts   = points(3, 0, 0)
    chosen   = read(tmp_path, ENTRY + 'source = "m.d.sync"\npoints = ["place[1] *"]\n')
    excluded, errors = exclude(counts, chosen, "tiny")
    assert [*excluded] == [Point(FILE, LINE, "toggle", "place[1] 0->1")]
    assert errors == []
    assert figures(counts, excluded) == {"toggle": 50.0, "points": 2, "excluded": 1}


@pytest.mark.parametrize(("more", "fault"), [
    ('points = ["place[9] *"]', "matches nothing in tiny"),
    ('points = ["place[1] *", "place[9] *"]', r"place\[9\] \* .* matches nothing in tiny"),
    ('source = "nowhere"', "matches nothing"),
    ("", rf"was hit in tiny, in line {LINE}: place\[0\] 0->1")])
def test_stale(tmp_path, more, fault):
    _, [error] = exclude(points(3, 0), read(tmp_path, ENTRY + more), "tiny")
    assert re.search(fault, error)


@pytest.mark.parametrize("when", ["{ways = 4}", "{ways = 4, slots = 4}"])
def test_another_size(tmp_path, when):
    chosen = read(tmp_path, ENTRY + f"when = {when}")
    assert exclude(points(3), chosen, "tiny") == ({}, [])
    assert len(exclude(points(3), chosen, "base")[1]) == 1


@pytest.mark.parametrize(("when", "own", "hit"), [
    ("{ways = 1}", 0, False), ("{ways = 1}", 1, True), ("{}", 0, True)])
def test_a_bench_contradicts_no_exclusion_of_a_configuration(tmp_path, when, own, hit):
    """Only a core of this configuration does; an exclusion of all cores is judged by all hits."""
    counts   = points(3, 0)
    point, _ = counts
    excluded, errors = exclude(
        counts, read(tmp_path, ENTRY + f"when = {when}\npoints = ['place[0] *']"), "tiny",
        points(own, 0))
    assert errors == [error for error in errors if "was hit in tiny" in error]
    assert bool(errors) == hit
    assert (point in excluded) != hit


def test_a_size_that_counts_other_files(tmp_path):
    chosen = read(tmp_path, ENTRY)
    assert len(exclude(points(3), chosen, "tiny")[1]) == 1
    assert exclude(points(3), chosen, "dma") == ({}, [])


@pytest.mark.parametrize(("text", "fault"), [
    ("[[exclusion", "exclusions.toml: "), ('[[exclusion]]\nkind = "line"', "has no file, reason"),
    (ENTRY + "lines = 3", "has the unknown lines"),
    (ENTRY.replace("It is so", " "), "has an empty reason"),
    (ENTRY + "when = {lanes = 4}", "has a core with the unknown lanes"),
    (ENTRY + "when = 4", "must have a table of core fields as when, not 4"),
    (ENTRY + 'points = "all"', "must have a list of texts as points, not 'all'"),
    (ENTRY + 'proof = "none"', "names the proof 'none', which does not exist")])
def test_faults_of_a_file(tmp_path, text, fault):
    with pytest.raises(InputError, match=fault):
        read(tmp_path, text, proofs={"ring"})


def test_the_exclusions_of_this_repository():
    """Each names a file, a text in it, a kind and a size that there are."""
    for each in read_exclusions(EXCLUSIONS, proofs=PROPERTIES):
        source = (Path(xymac.hdl.__file__).parent / each.file).read_text()
        assert each.source in source
        assert each.kind in KINDS
        assert any(map(each.applies, SIZES))
        assert len(each.reason.split()) > 3
