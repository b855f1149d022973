# SPDX-License-Identifier: Apache-2.0
"""Pieces in a pool: each once, results kept, and what a worker refuses."""

import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from types import SimpleNamespace

import pytest

from tests.support.sizes import between
from xymac.host.cluster import WorkerError, run_checked
from xymac.host.cluster.environment import digest_sources
from xymac.host.errors import InputError
from xymac.sim.regress import work
from xymac.sim.regress.piece import Piece
from xymac.sim.regress.processes import Processes
from xymac.sim.regress.result import Result, Results, key_of
from xymac.sim.regress.schedule import Schedule, Watch
from xymac.sim.regress.versions import describe_here
from xymac.sim.regress.work import run_piece

from .small import HERE, write_piece

PIECES = [Piece("tests", f"piece {number}", ("pytest", str(number))) for number in range(7)]
MIXED  = """
import pytest
def test_good(): pass
def test_bad(): print("tell\\x1bme"); assert False
def test_skipped(): pytest.skip("so")
"""


class FakePool:
    """A pool of ``width`` whose pieces pass at once, but for those called ``bad``."""

    width = 2

    def __init__(self, bad=(), error=None):
        self.bad, self.error, self.asked, self.most = bad, error, [], 0

    def submit(self, key, function, piece, seed, environment):
        future = Future()
        self.asked.append((piece.name, seed))
        if piece.name in self.bad and self.error:
            future.set_exception(self.error)
        else:
            outcome = "failed" if piece.name in self.bad else "passed"
            future.set_result(Result(key, piece.kind, piece.name, seed, "", outcome, passed=1))
        return future

    def running(self):
        return {}

    def blame(self, error):
        return "it ended 2 workers" if isinstance(error, RuntimeError) else None


def run(pool, folder, pieces=PIECES, watch=None):
    work = [(piece, 3) for piece in pieces]
    return [*Schedule(pool, Results(folder), HERE, watch).run(work).values()]


def test_every_piece_once_and_in_order(tmp_path):
    pool, told = FakePool(), []

    results = run(pool, tmp_path, [*PIECES, *PIECES[:3]], Watch(ended=told.append))

    assert [result.name for result in results] == [piece.name for piece in PIECES]
    assert pool.asked == [(piece.name, 3) for piece in PIECES]
    assert sorted(told, key=str) == sorted(results, key=str)


def test_a_second_run_does_only_what_did_not_pass(tmp_path):
    run(FakePool(bad=["piece 4"]), tmp_path)
    pool = FakePool()

    results = run(pool, tmp_path)

    assert pool.asked == [("piece 4", 3)]
    assert all(result.is_good for result in results)
    assert [result.is_kept for result in results] == [name != 4 for name in range(7)]


@pytest.mark.parametrize("change", [{"sources": "4567"}, {"python": "3.12.0"},
                                    {"tools": (("verilator", "5.36"),)}])
def test_what_is_kept_is_of_these_sources_and_tools(change):
    assert key_of(PIECES[0], 3, HERE) != key_of(PIECES[0], 3, replace(HERE, **change))
    assert key_of(PIECES[0], 3, HERE) != key_of(PIECES[0], 4, HERE)
    assert key_of(PIECES[0], 3, HERE) == key_of(replace(PIECES[0], name="other"), 3, HERE)


def test_damaged_files_of_results_count_as_none(tmp_path):
    run(FakePool(), tmp_path)
    for path, text in zip(sorted(tmp_path.iterdir()), ("", "[]", '{"key": 1}', "{"), strict=False):
        path.write_text(text)
    pool = FakePool()

    run(pool, tmp_path)

    assert len(pool.asked) == 4


def test_a_piece_that_ends_its_workers_is_told(tmp_path):
    [result] = run(FakePool(["piece 0"], RuntimeError()), tmp_path, PIECES[:1])

    assert (result.outcome, result.failed, result.output) == ("lost", 1, "it ended 2 workers")
    with pytest.raises(KeyError):
        run(FakePool(["piece 0"], KeyError()), tmp_path, PIECES[:1])


def test_counts_and_the_end_of_the_output(tmp_path):
    piece = write_piece(tmp_path, "mixed", MIXED)

    result = run_piece(piece, 3, describe_here())

    assert (result.outcome, result.passed, result.failed, result.skipped) == ("failed", 1, 1, 1)
    assert "tell\x1bme" in result.output
    assert result.command.endswith("test_mixed.py")


@pytest.mark.parametrize(("text", "outcome"), [
    between("import pytest\npytest.skip('x', allow_module_level=True)", "skipped"), ("", "failed"),
    ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "failed")],
    ids=["skipped", "nothing", "signal"])
def test_pieces_that_count_nothing(text, outcome, tmp_path):
    result = run_piece(write_piece(tmp_path, "odd", text), 3, describe_here())

    assert result.outcome == outcome
    assert ("ended by signal 11" in result.output) == ("SIGSEGV" in text)


def test_a_piece_that_hangs_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr("xymac.sim.regress.work._LONGEST", 1)

    result = run_piece(write_piece(tmp_path, "hangs", "import time\ntime.sleep(600)"), 3,
                       describe_here())

    assert (result.outcome, result.passed) == ("failed", 0)
    assert result.output.endswith("ended because it took more than 1 seconds")


def test_a_late_piece_is_named_however_late_its_timer_ends(monkeypatch):
    """The process may have ended before the timer's thread has."""
    monkeypatch.setattr(work, "_LONGEST", 0.01)
    killed = Event()

    def kill():
        killed.set()
        time.sleep(0.3)

    process = SimpleNamespace(kill=kill, wait=lambda: killed.wait() and -9)

    assert work._wait(process) == (-9, ["ended because it took more than 0.01 seconds"])


def test_a_worker_that_is_not_as_this_computer_is_named():
    with pytest.raises(WorkerError, match=r"^Worker \S+:\d+ is not as this computer: sources "
                                          r"[0-9a-f]{16}, here 0123$"):
        run_checked(replace(describe_here(), sources="0123"), describe_here, pytest.fail)


def test_sources_that_change_end_a_run(monkeypatch):
    with Processes(1) as pool:
        monkeypatch.setattr("xymac.sim.regress.processes.describe_here", lambda: HERE)
        future = pool.submit("key", run_piece, PIECES[0], 3, HERE)

        with pytest.raises(InputError, match=r"^The sources were changed in mid-run$"):
            future.result()


def test_processes_run_at_the_same_time_and_end_with_the_pool(tmp_path):
    text  = f"import time, pathlib\npathlib.Path({str(tmp_path)!r}, __file__[-4] + '.on').touch()"
    work  = [write_piece(tmp_path, name, f"{text}\ntime.sleep(600)") for name in "ab"]
    begin = time.monotonic()

    with Processes(2) as pool, ThreadPoolExecutor() as watch:
        futures = [pool.submit(piece.name, run_piece, piece, 3, describe_here()) for piece in work]
        watch.submit(wait_for, tmp_path, 2).result()
        places = pool.running()

    assert {*places} == {"a", "b"}
    assert not any(future.result().is_good for future in futures)
    assert time.monotonic() - begin < 300


def wait_for(folder, count):
    """Until so many files ``.on`` are there."""
    while len([*folder.glob("*.on")]) < count:
        time.sleep(0.05)


def test_sources_count_by_content_alone(tmp_path):
    (tmp_path / "hdl").mkdir()
    path = tmp_path / "hdl" / "core.py"
    path.write_text("one")
    before = digest_sources(tmp_path)
    path.write_text("two")
    after = digest_sources(tmp_path)
    path.write_text("one")
    (tmp_path / "hdl" / "__pycache__").mkdir()
    (tmp_path / "hdl" / "__pycache__" / "core.pyc").touch()

    assert digest_sources(tmp_path) == before != after
