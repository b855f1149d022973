# SPDX-License-Identifier: Apache-2.0
"""Pieces on a cluster of Dask: two workers, one of which dies; and clusters that cannot be used."""

import os
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from xymac.host.cluster import SETTINGS, Cluster, open_cluster
from xymac.host.cluster import cluster as cluster_module
from xymac.host.errors import InputError
from xymac.sim.regress.processes import Processes
from xymac.sim.regress.result import Results
from xymac.sim.regress.schedule import Schedule
from xymac.sim.regress.versions import describe_here

from .small import write_piece

dask        = pytest.importorskip("dask", reason="needs the extra `cluster`")
distributed = pytest.importorskip("distributed", reason="needs the extra `cluster`")

PASSES = "def test_passes(): pass"
WAITS  = """
import os, subprocess, time
from pathlib import Path

def test_waits():
    child = subprocess.Popen(["sleep", "600"])
    part  = Path(__file__).with_suffix(".part")
    part.write_text(f"{os.getpid()} {child.pid}")
    part.rename(Path(__file__).with_suffix(".numbers"))
    time.sleep(600)
"""
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
              *(write_piece(tmp_path, f"passes_{number}", PASSES) for number in range(2))]

    with connect(cluster) as pool:
        results = [*run(pool, pieces, tmp_path / "results").values()]

    assert (tmp_path / "test_kills.count").read_text() == "1"
    assert [result.name for result in results] == [piece.name for piece in pieces]
    assert [(result.outcome, result.passed) for result in results] == [("passed", 1)] * 3


def listening(processes):
    """Addresses at which a process or one of its descendants listens, hexadecimal."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    while more := {each for each, parent in parents.items() if parent in processes} - processes:
        processes = processes | more
    sockets = set()
    for process in processes:
        with suppress(OSError):
            sockets |= {os.readlink(path) for path in Path(f"/proc/{process}/fd").iterdir()}
    lines = [line.split() for name in ("tcp", "tcp6")
             for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return {line[1].partition(":")[0] for line in lines
            if line[3] == "0A" and f"socket:[{line[9]}]" in sockets}


def test_a_cluster_of_this_computer_is_for_this_computer():
    before = listening({os.getpid()})

    with open_cluster("local", describe_here, workers=1):
        assert listening({os.getpid()}) - before <= {"0100007F"}


def test_a_piece_ends_with_the_process_that_runs_it(tmp_path):
    code = ("import sys; from pathlib import Path;"
            "from xymac.sim.regress.versions import describe_here;"
            "from xymac.sim.regress.work import run_piece;"
            "from tests.sim.regress.small import write_piece;"
            "run_piece(write_piece(Path(sys.argv[1]), 'waits', sys.argv[2]), 3, describe_here())")
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path), WAITS]) as worker:
        numbers = tmp_path / "test_waits.numbers"
        wait_until(numbers.exists)
        processes = [int(number) for number in numbers.read_text().split()]
        assert all(map(is_alive, processes))
        worker.kill()

    wait_until(lambda: not any(map(is_alive, processes)))


def test_schedulers_that_anybody_may_use_get_a_warning(monkeypatch, caplog):
    monkeypatch.setattr(cluster_module, "ANSWER", 1)

    for where in ("tcp://127.0.0.1:9", "127.0.0.1:9", "tls://127.0.0.1:9"):
        caplog.clear()
        with pytest.raises(ValueError, match=r"^(No scheduler answers at|Cannot connect to) "):
            open_cluster(where, None)
        assert (f"Anybody who reaches {where} can run programs" in caplog.text) == (
            not where.startswith("tls"))


def test_a_full_disk_ends_no_run(monkeypatch, tmp_path, caplog):
    def refuse(path, content):
        raise InputError(f"Cannot write {path}: No space left on device")

    monkeypatch.setattr("xymac.sim.regress.result.write_file", refuse)
    pieces = [write_piece(tmp_path, "passes", PASSES)]

    with Processes(1) as pool:
        results = run(pool, pieces, tmp_path / "results")

    assert [result.outcome for result in results.values()] == ["passed"]
    [message] = set(caplog.messages)
    assert message == (f"Results are not kept for later runs: Cannot write {tmp_path / 'results'}: "
                       f"No space left on device")


@pytest.mark.long
def test_a_scheduler_that_dies_is_one_sentence(tmp_path):
    port  = free_port()
    where = f"tcp://127.0.0.1:{port}"
    with start("scheduler", "--port", str(port), "--no-dashboard") as scheduler, \
            start("worker", where, "--nthreads", "1", "--no-dashboard") as worker:
        try:
            with subprocess.Popen(
                    [sys.executable, "-m", "xymac.host.cli.main", "regress", "--only", "vectors",
                     "--match", "tflm*machine*", "--cluster", where, "--report", str(tmp_path),
                     "--cache", str(tmp_path / "cache")],
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as regress:
                wait_until(lambda: any((tmp_path / "cache").glob("*.json")), 300)
                scheduler.kill()
                told = regress.communicate(timeout=120)[1]
        finally:
            scheduler.kill()
            worker.kill()

    lines = [line for line in told.splitlines() if "warning" not in line]
    assert regress.returncode == 2
    assert lines == ["xymac regress: The scheduler is gone; --resume goes on with what is left"]


def start(*words):
    """A process of Dask that tells nothing."""
    return subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:]],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def is_alive(process):
    """Whether a process runs: one that ended and was not waited for does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(true, seconds=60):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


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
    (None, r"There is no file .*\.yaml"),
    ("a: [", r".* is not valid YAML: .*"),
    ("module: x", r".* must have the fields module and class of a cluster, .*"),
    ("module: json\nclass: Slurm", r"There is no cluster json:Slurm: .*"),
    ("module: no_such\nclass: Slurm", r"There is no cluster no_such:Slurm: No module .*"),
    ("module: distributed\nclass: SpecCluster\nkwargs: {queue: x}",
     r"Cluster distributed:SpecCluster: .*")])
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
