# SPDX-License-Identifier: Apache-2.0
"""A pool of processes: results, errors, interrupts, and no process left behind."""

import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests.support.processes import LATE, await_until, is_running, started
from tests.support.sizes import rarely
from xymac.host.cluster import Workers
from xymac.host.errors import InputError

ROOT = Path(__file__).parents[3]

_added = 0


def set_added(value):
    global _added
    _added = value


def add(value):
    return value + _added


def refuse(value):
    raise InputError(f"{value} is on fire")


def vanish(value):
    os.kill(os.getpid(), signal.SIGKILL)


def leave(value):
    sys.exit(3)


def wait(folder):
    """A call with a temporary folder and a process of its own, until it is interrupted."""
    with tempfile.TemporaryDirectory(dir=folder), subprocess.Popen(["sleep", "600"]) as process:
        Path(folder, f"{os.getpid()}.started").write_text(f"{os.getpid()} {process.pid}")
        try:
            process.wait()
        finally:
            process.kill()


def run_waits(folder):
    """Two calls of ``wait``; an interrupt ends with 130."""
    try:
        sys.stdout.write("here\n")
        sys.stdout.flush()
        with Workers(2, "A waiting process") as workers:
            list(workers.run(wait, [folder, folder]))
    except KeyboardInterrupt:
        sys.exit(130)


def waits(folder):
    """A process that runs ``run_waits``; see ``started``."""
    script = folder / "script.py"
    script.write_text(f"from {__name__} import run_waits\nif __name__ == '__main__':\n"
                      f"    run_waits({str(folder)!r})\n")
    return started([sys.executable, script], cwd=ROOT,
                   env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})


def test_results_have_their_items():
    with Workers(2, "A process", begin=set_added, arguments=(10,)) as workers:
        results = dict(workers.run(add, range(5)))

    assert results == {index: index + 10 for index in range(5)}
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(("call", "message"), [
    (refuse, "^7 is on fire$"), (vanish, "^A process was ended from outside$"),
    (leave, "^A process was ended from outside$")])
def test_errors_end_the_pool(call, message):
    with pytest.raises(InputError, match=message), Workers(2, "A process") as workers:
        list(workers.run(call, [7]))

    assert not multiprocessing.active_children()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130),
                                              (signal.SIGKILL, -signal.SIGKILL)])
def test_no_process_is_left(number, code, tmp_path):
    with waits(tmp_path) as process:
        await_until(lambda: len([path for path in tmp_path.glob("*.started")
                                 if path.read_text()]) == 2)
        pids = [pid for path in tmp_path.glob("*.started") for pid in path.read_text().split()]
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal does
        else:
            process.kill()
        await_until(lambda: not any(map(is_running, pids)))
        _, error = process.communicate(timeout=LATE)

    assert process.returncode == code
    assert error == "" or number == signal.SIGKILL  # after which Python tidies up
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


@pytest.mark.parametrize("delay", [0.02, *rarely(0.1, 0.3)])
def test_an_interrupt_at_the_start(delay, tmp_path):
    with waits(tmp_path) as process:
        process.stdout.readline()
        time.sleep(delay)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.killpg(process.pid, signal.SIGINT)
        _, error = process.communicate(timeout=LATE)
        await_until(lambda: not any(map(is_running, children)))

    assert (process.returncode, error) == (130, "")
