# SPDX-License-Identifier: Apache-2.0
"""What `xymac regress` is cut into: every test and reference call in exactly one piece."""

import ast
import json
import os
import subprocess
import sys
from collections import Counter
from fnmatch import fnmatchcase

import pytest

from tests.support.readers import READERS as DAMAGED
from xymac.host.cluster import ROOT
from xymac.sim.regress.calls import FOLDERS, NETLISTS, glob_of, list_functions
from xymac.sim.regress.items import FAULTS, cut_tests, kind_of, long_tests, whole_mark
from xymac.sim.regress.piece import KINDS, Piece
from xymac.sim.regress.pieces import cut, rounds
from xymac.sim.regress.robust import CAMPAIGNS, READERS

#: A plugin of pytest that tells which tests there are, and their marks.
COLLECT = """
import json
from pathlib import Path

def pytest_collection_finish(session):
    marks = ("gates", "bitstream", "long")
    items = [(item.nodeid, [mark for mark in marks if item.get_closest_marker(mark)])
             for item in session.items]
    Path("collected.json").write_text(json.dumps(items))
"""


@pytest.fixture(scope="module")
def pieces():
    return cut(ROOT)


def test_every_function_is_checked_on_every_backend_once(pieces):
    for (folder, dialect), functions in list_functions(ROOT).items():
        globs = dict.fromkeys(map(glob_of, functions))
        for function in functions:
            assert sum(fnmatchcase(function, glob) for glob in globs) == 1, function
        checks = Counter(piece.words[piece.words.index("--backend") + 1] for piece in pieces
                         if piece.words[:3] == ("xymac", "check", folder))
        assert checks == {"golden": 1, "machine": len(globs), "rtl": len(globs)}
        assert FOLDERS[folder] == dialect


@pytest.mark.parametrize("size", NETLISTS)
def test_every_function_is_on_the_netlist_once(size, pieces):
    items = Counter(word for piece in pieces if piece.kind == "gates" and size in piece.words
                    for word in piece.words if word.startswith("tests/"))

    file = "tests/rtl/test_gate_level.py"
    assert items == {f"{file}::test_programs": 1} | {
        f"{file}::test_smallest_case_in_every_variant[{dialect}-{name}]": 1
        for (_, dialect), names in list_functions(ROOT).items() for name in names}


def test_seeds_of_place_and_route_are_all_others():
    pieces = cut(ROOT, ["fit"])

    assert Counter(piece.words[3:6:2] for piece in pieces) == {
        ("base", "ecp5-85k"): 5, ("small", "ecp5-25k"): 5}
    firsts = {piece.words[3]: [] for piece in pieces}
    for piece in pieces:
        assert piece.words[-2:] == ("--seeds", "1")
        firsts[piece.words[3]] += [piece.line(seed)[-1] for seed in (1, 2)]
    assert all(len({*each}) == 10 for each in firsts.values())


def test_tests_are_given_the_networks_of_others():
    for piece in cut(ROOT, ["vectors", "chains"], workloads="/nets"):
        assert (piece.words[-2:] == ("--workloads", "/nets")) == (piece.kind == "chains")


def test_pieces_have_names_and_commands_of_their_own(pieces):
    assert len({piece.name for piece in pieces}) == len(pieces)
    assert len({piece.line(3) for piece in pieces}) == len(pieces)
    assert {piece.kind for piece in pieces} >= {*KINDS} - {"fit", "kit"}


def test_campaigns_give_their_shares(pieces):
    for campaign in CAMPAIGNS:
        parts = [piece for piece in pieces if campaign.test in piece.words]
        given = sum(int(piece.words[piece.words.index("--stimuli") + 1]) for piece in parts)
        assert given == campaign.share
        assert campaign.goal % campaign.share == 0
        assert len({piece.line(seed) for piece in parts for seed in range(5)}) == 5 * len(parts)


def test_damaged_files_of_all_readers_are_there():
    assert tuple(DAMAGED) == READERS


def test_tests_of_campaigns_exist_and_count_under_their_names():
    for campaign in CAMPAIGNS:
        path, _, test = campaign.test.partition("::")
        text = (ROOT / path).read_text()
        name = campaign.name.partition(":")[0].partition(",")[0]
        assert f"def {test.partition('[')[0]}(" in text
        assert f'counted(f"{name}' in text or f'counted("{name}' in text, name


def test_all_faults_are_there(pieces):
    faults = [piece for piece in pieces if "--faults" in piece.words and piece.kind == "faults"]

    assert sum(int(piece.words[piece.words.index("--faults") + 1]) for piece in faults) == FAULTS
    assert len({piece.line(seed) for piece in faults for seed in range(5)}) == 5 * len(faults)


@pytest.mark.long
def test_every_test_is_in_exactly_one_piece(pieces, tmp_path):
    (tmp_path / "collecting.py").write_text(COLLECT)
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "collecting", "--collect-only",
                    "--rootdir", str(ROOT), "-c", str(ROOT / "pyproject.toml"), "-m", "",
                    str(ROOT / "tests")], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL,
                   env=os.environ | {"PYTHONPATH": f"{tmp_path}:{ROOT}"})
    items = json.loads((tmp_path / "collected.json").read_text())
    taken = Counter((place, mark_of(piece)) for piece in pieces for place in places_of(piece))

    wrong = [item for item, marks in items if sum(
        taken[place, mark] for place in {item, item.partition("[")[0], item.partition("::")[0]}
        for mark in marks or [None]) != 1]

    assert len(items) > 10_000
    assert wrong == []


def places_of(piece):
    """Files and tests that a piece runs as they are: on other boards, or more of it, is extra."""
    if piece.words[0] != "pytest" or {"--board", "--stimuli", "--faults", "small"} & {*piece.words}:
        return []
    return [word for word in piece.words if word.startswith("tests/")]


def mark_of(piece):
    return piece.words[piece.words.index("-m") + 1] if "-m" in piece.words else None


@pytest.mark.parametrize(("source", "names"), [
    ("@pytest.mark.long\ndef test_a(): pass\ndef test_b(): pass", ["test_a"]),
    ("from x import rarely\nALL = [*rarely(1), 2]\n@parametrize('size', ALL)\ndef test_a(): pass",
     ["test_a"]),
    ("@parametrize('size', [param(1, marks=pytest.mark.long)])\ndef test_a(size): pass",
     ["test_a"]),
    (("@pytest.fixture(params=[param(1, marks=pytest.mark.long)])\ndef size(): pass\n"
     "def test_a(size): pass\ndef test_b(): pass"), ["test_a"]),
    ("@pytest.mark.skipif(windows, reason='x')\ndef test_a(): pass", []),
    ("rarely = 1\n@parametrize('size', rarely)\ndef test_a(size): pass", [])])
def test_long_tests_are_seen(source, names):
    assert long_tests(ast.parse(source)) == names


@pytest.mark.parametrize(("source", "is_there"), [
    ("@pytest.mark.long\ndef test_a(): pass", False),
    ("pytestmark = pytest.mark.long\ndef test_a(): pass", False),
    ("@pytest.mark.long\ndef test_a(): pass\ndef test_b(): pass", True),
    ("@parametrize('a', [param(1, marks=pytest.mark.long)])\ndef test_a(a): pass", True)])
def test_no_piece_is_empty(source, is_there, tmp_path):
    (tmp_path / "tests" / "vectors").mkdir(parents=True)
    (tmp_path / "tests" / "test_it.py").write_text(source)

    names = [piece.name for piece in cut_tests(tmp_path)]

    assert ("tests/test_it.py" in names) == is_there
    assert "tests/test_it.py::test_a (long)" in names


@pytest.mark.parametrize(("mark", "names"), [
    ("gates", []), ("bitstream", ["tests/test_it.py (bitstream)"])])
def test_files_of_another_mark(mark, names, tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(
        f"pytestmark = pytest.mark.{mark}\ndef test_a(): pass")

    [*pieces, board, netlist] = cut_tests(tmp_path)

    assert [piece.name for piece in pieces] == names
    assert board.name == "tests/sim/test_board.py of ulx3s-85f"
    assert netlist.name == "tests/sim/test_netlist.py (gates)"


def test_marks_and_kinds_of_files():
    assert whole_mark(ast.parse("pytestmark = pytest.mark.gates")) == "gates"
    assert whole_mark(ast.parse("other = 1")) is None
    assert kind_of("tests/sim/test_board.py") == "board"
    assert kind_of("tests/hdl/test_isa.py") == "tests"


def test_further_rounds_are_of_what_takes_a_seed():
    random, same = Piece("tests", "random", ("a",)), Piece("vectors", "same", ("b",), option="")
    answers = iter([True, True, True, True, True, False])

    work = list(rounds([random, same], 7, goes_on=lambda: next(answers)))

    assert work == [(random, 7), (same, 7), (random, 8), (random, 9)]
    assert [*rounds([random, same], 7, seeds=3)] == work


def test_the_command_repeats_a_piece():
    piece = Piece("tests", "name", ("pytest", "a[1 2]"), part=2, parts=10)

    assert piece.shown(5) == "python -m pytest 'a[1 2]' --seed 52"
    assert piece.process(5) == [sys.executable, "-m", "pytest", "a[1 2]", "--seed", "52"]


def test_refusals(tmp_path):
    with pytest.raises(ValueError, match=r"^A regression needs a clone of the repository: there "
                                         r"are no tests in /"):
        cut(tmp_path)
    with pytest.raises(ValueError, match=r"^There is no piece of kind faults and name x in /"):
        cut(ROOT, ["faults"], "x")
    with pytest.raises(ValueError, match=r"^There is no piece of kind kit and name faults\* in /"):
        cut(ROOT, ["faults", "kit"], "faults*")
    with pytest.raises(ValueError, match=r"^There is no piece of kind any and name x in /"):
        cut(ROOT, match="x")
