# SPDX-License-Identifier: Apache-2.0
"""An interrupt at any step of a waiting thread: no lock is held afterwards, and processes end."""

import os
import signal
import sys
import threading
import time
from concurrent.futures import Future
from pathlib import Path

import pytest

from tests.support.processes import LATE, started
from tests.support.sizes import rarely
from xymac.host.cluster import Workers
from xymac.host.cluster.interrupts import arriving, interrupts_deferred, result_of

ROOT = Path(__file__).parents[3]


class Interrupting:
    """Context that sends an interrupt to this process at its ``at``-th call or return."""

    def __init__(self, at):
        self._at, self.events = at, 0

    def __enter__(self):
        sys.setprofile(self._count)
        return self

    def __exit__(self, *_):
        sys.setprofile(None)

    def _count(self, *_):
        self.events += 1
        if self.events == self._at:
            os.kill(os.getpid(), signal.SIGINT)


def make_futures():
    """One future that has ended, and one that ends soon."""
    futures = [Future(), Future()]
    futures[0].set_result(1)
    timer = threading.Timer(0.005, futures[1].set_result, [2])
    timer.start()
    return futures, timer


def add_up(futures):
    return sum(result_of(future) for future in arriving(futures))


def test_no_lock_is_held():
    futures, timer = make_futures()
    with Interrupting(0) as counted:
        assert add_up(futures) == 3
    assert counted.events > 40

    interrupted = 0
    for at in range(1, counted.events + 1):
        futures, timer = make_futures()
        try:
            with Interrupting(at):
                add_up(futures)
        except KeyboardInterrupt:
            interrupted += 1
        timer.join(LATE)
        assert not timer.is_alive(), at
        assert all(future._condition.acquire(blocking=False) for future in futures), at
    assert interrupted > 20  # a busy computer has fewer events: the second future may end first


def test_a_deferred_interrupt_comes_at_the_end():
    done = []

    def defer():
        with interrupts_deferred():
            with interrupts_deferred():
                os.kill(os.getpid(), signal.SIGINT)
                done.append("inner")
            done.append("outer")

    with pytest.raises(KeyboardInterrupt):
        defer()
    assert done == ["inner", "outer"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_another_thread_defers_nothing():
    usual, seen = signal.getsignal(signal.SIGINT), []

    def look():
        with interrupts_deferred():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join(LATE)

    assert seen == [usual]


def run_interrupted(at):
    """Run a pool; an interrupt ends with 130."""
    try:
        with Workers(2, "A process") as workers, Interrupting(at):
            list(workers.run(abs, range(100)))
    except KeyboardInterrupt:
        sys.exit(130)


#: There are about 14,000 events.
@pytest.mark.parametrize("at", [1448, 8685, *rarely(1, 40, 500, 3000, 4584, 6000, 9167, 11338)])
def test_an_interrupt_at_any_step_ends_the_pool(at, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f"from {__name__} import run_interrupted\n"
                      f"if __name__ == '__main__':\n    run_interrupted({at})\n")
    with started([sys.executable, script], cwd=ROOT,
                 env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}) as process:
        _, error = process.communicate(timeout=LATE)

    assert (process.returncode, error) == (130, "")


def test_an_interrupt_that_another_thread_takes_reaches_the_main_thread():
    """While a process starts the system hands interrupts to the threads of libraries."""
    future = Future()

    def interrupt():
        time.sleep(0.2)  # the main thread waits
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        end.wait(20)
        future.set_result(None)
    end    = threading.Event()
    thread = threading.Thread(target=interrupt)
    thread.start()
    before = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            next(arriving([future]))
        assert time.monotonic() - before < 20
    finally:
        end.set()
        thread.join()
