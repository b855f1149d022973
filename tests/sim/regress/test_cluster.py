"""Pieces on a cluster of Dask: two workers, one of which dies; and clusters that cannot be used."""

import os
import time
from contextlib import suppress
from dataclasses import replace

import pytest

from host.cluster import SETTINGS, Cluster, open_cluster
from host.cluster import cluster as cluster_module
from sim.regress.result import Results
from sim.regress.schedule import Schedule
from sim.regress.versions import describe_here

from .small import write_piece

dask        = pytest.importorskip("dask", reason="needs the extra `cluster`")
distributed = pytest.importorskip("distributed", reason="needs the extra `cluster`")

PASSES = "def test_passes(): pass"
#: The parent of a piece is the worker that runs it.
KILLS  = """
import os, signal
from pathlib import Path

def test_kills():
    count = Path(__file__).with_suffix(".count")
    number = int(count.read_text()) if count.exists() else 0
    if number < {times}:
        count.write_text(str(number + 1))
        os.kill(os.getppid(), signal.SIGKILL)
"""


@pytest.fixture(scope="module")
def cluster():
    """A LocalCluster of two worker processes; a piece may end one."""
    with dask.config.set(SETTINGS):
        made = distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=":0",
                                        memory_limit=0)
        yield made
        with suppress(TimeoutError):  # on a computer that is busy
            made.close()


def connect(cluster, describe=describe_here):
    client = distributed.Client(cluster, set_as_default=False)
    return Cluster(client, None, describe)


def run(pool, pieces, folder):
    work = [(piece, 3) for piece in pieces]
    return Schedule(pool, Results(folder), describe_here()).run(work)


def test_a_worker_that_dies_loses_no_piece_and_none_counts_twice(cluster, tmp_path):
    pieces = [write_piece(tmp_path, "kills", KILLS.format(times=1)),
              *(write_piece(tmp_path, f"passes_{number}", PASSES) for number in range(4))]

    with connect(cluster) as pool:
        results = [*run(pool, pieces, tmp_path / "results").values()]

    assert (tmp_path / "test_kills.count").read_text() == "1"
    assert [result.name for result in results] == [piece.name for piece in pieces]
    assert [(result.outcome, result.passed) for result in results] == [("passed", 1)] * 5


@pytest.mark.long
def test_a_piece_that_ends_two_workers_is_reported(cluster, tmp_path):
    pieces = [write_piece(tmp_path, "kills", KILLS.format(times=9)),
              write_piece(tmp_path, "passes", PASSES)]

    with connect(cluster) as pool:
        lost, passed = run(pool, pieces, tmp_path / "results").values()

    assert (lost.outcome, passed.outcome) == ("lost", "passed")
    assert lost.output.startswith("it ended 2 workers, the last at tcp://127.0.0.1:")
    assert (tmp_path / "test_kills.count").read_text() == "2"


def test_workers_with_other_sources_are_named(cluster):
    cluster.wait_for_workers(2, timeout=120)
    here, process = describe_here(), os.getpid()

    def describe():
        return here if os.getpid() != process else replace(here, sources="0123", python="3.9.1")

    with pytest.raises(ValueError, match=r"^Worker tcp://127.0.0.1:\d+ is not as this "
                                         r"computer: sources [0-9a-f]{16}, here 0123; python 3.*, "
                                         r"here 3.9.1$"):
        connect(cluster, describe)


def test_no_scheduler(monkeypatch):
    begin = time.monotonic()
    assert cluster_module.ANSWER == 10
    monkeypatch.setattr(cluster_module, "ANSWER", 1)

    with dask.config.set(dict.fromkeys(SETTINGS)):
        with pytest.raises(ValueError, match=r"^No scheduler answers at tcp://127.0.0.1:9 within 1 "
                                             r"s$"):
            open_cluster("tcp://127.0.0.1:9", None)
        assert {name: dask.config.get(name) for name in SETTINGS} == SETTINGS
    assert time.monotonic() - begin < 30


@pytest.mark.parametrize("where", ["none", "tcp://host", "udp://host:1", "a b:1"])
def test_what_is_no_address(where):
    with pytest.raises(ValueError, match=rf"^The cluster must be local, an address like "
                                         rf"tcp://HOST:8786, or a file NAME.yaml, not '{where}'$"):
        open_cluster(where, None)


@pytest.mark.parametrize(("text", "sentence"), [
    (None, r"Cannot read .*\.yaml: No such file or directory"),
    ("a: [", r".* is not valid YAML: .*"),
    ("module: x", r".* must have the fields module and class of a cluster, .*"),
    ("module: json\nclass: Slurm", r"There is no cluster json:Slurm: .*"),
    ("module: no_such\nclass: Slurm", r"There is no cluster no_such:Slurm: No module .*"),
    ("module: distributed\nclass: LocalCluster\nkwargs: {queue: x}",
     r"Cluster distributed:LocalCluster: .*")])
def test_files_that_describe_no_cluster(text, sentence, tmp_path):
    path = tmp_path / "cluster.yaml"
    if text is not None:
        path.write_text(text)

    with pytest.raises(ValueError, match=f"^{sentence}$"):
        open_cluster(str(path), None)


@pytest.mark.long
def test_a_cluster_from_a_file(tmp_path):
    path = tmp_path / "cluster.yaml"
    path.write_text("version: 1\nmodule: distributed\nclass: LocalCluster\n"
                    "kwargs: {n_workers: 1, threads_per_worker: 1, dashboard_address: ':0'}\n")

    with open_cluster(str(path), describe_here) as pool:
        [result] = run(pool, [write_piece(tmp_path, "passes", PASSES)], tmp_path).values()
        assert pool.label.startswith("1 workers of tcp://127.0.0.1:")

    assert result.is_good
