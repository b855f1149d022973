# SPDX-License-Identifier: Apache-2.0
"""First test module in a simulation: run the bench behind it for many mutants, in forks.

A fork costs milliseconds; a new simulation loads Python and the bench for more than a second. The
module forks before the initial blocks read a mutant's number from the file ``NUMBER`` in the
working folder. It runs in the process of the simulator.
"""

import json
import os
import re
import resource
import shutil
import signal
import sys
import time
from pathlib import Path

from cocotb import simulator
from cocotb.regression import RegressionManager
from cocotb_tools.check_results import get_results

from .elaborate import NUMBER

__all__ = ["VERDICTS", "WANTED"]

WANTED   = "wanted.json"     #: File with the numbers, [without a mutant, ...].
VERDICTS = "verdicts.jsonl"  #: File for the verdicts: [number, why the bench fails, seconds].

_CPU   = 10, 30  #: Processor time limit: a multiple of the time without a mutant, and seconds.
_start = RegressionManager.start_regression


def _start_each(self):
    """Run all tests for each mutant in turn; a mutant ends with its first failure."""
    limit = None
    with open(VERDICTS, "w", encoding="utf-8") as verdicts:
        for number in json.loads(Path(WANTED).read_text()):
            began  = time.perf_counter()
            folder = Path(f"mutant-{number}").absolute()
            folder.mkdir()
            child = os.fork()
            if child == 0:
                verdicts.close()
                _enter(self, folder, number, limit)
                return _start(self)
            _, status, used = os.wait4(child, 0)
            if limit is None:  # the first run has no mutant
                factor, least = _CPU
                limit = int(factor * used.ru_utime + least)
            seconds = round(time.perf_counter() - began, 2)
            verdicts.write(json.dumps([number, _why(folder, status), seconds]) + "\n")
            verdicts.flush()
            shutil.rmtree(folder)
    return os._exit(0)


def _enter(manager, folder, number, limit):
    """In a fork: write all output into a folder of its own, and limit the processor time."""
    os.chdir(folder)
    Path(NUMBER).write_text(f"{number}\n")
    log = os.open("log", os.O_WRONLY | os.O_CREAT)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.environ["COCOTB_RESULTS_FILE"] = str(folder / "results.xml")
    manager._max_failures = 1
    simulator.stop_simulator = _exit  # the simulator's own threads are not in a fork
    if limit is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))


def _exit():
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _why(folder, status):
    """Why a bench fails, or None; ``status`` is the simulator's wait status."""
    if os.WIFSIGNALED(status):
        return f"the simulation is ended by {signal.Signals(os.WTERMSIG(status)).name}"
    results = folder / "results.xml"
    total, failed = get_results(results) if results.exists() else (0, 0)
    if total and not failed:
        return None
    log   = re.sub(r"\x1b\[[0-9;]*m", "", (folder / "log").read_text(errors="replace"))
    lines = [line.strip() for line in log.splitlines() if "Error" in line or "assert" in line]
    return (lines or [f"{failed} of {total} cases fail"])[-1][:200]


RegressionManager.start_regression = _start_each
