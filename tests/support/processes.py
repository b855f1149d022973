# SPDX-License-Identifier: Apache-2.0
"""How tests start processes and wait for them."""

import os
import signal
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["LATE", "await_until", "hear_interrupts", "is_running", "started"]

LATE = 60  #: seconds


def hear_interrupts():
    """Let a new process end by SIGINT, which a shell makes its background jobs ignore.

    For ``preexec_fn`` of ``subprocess``.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def started(command, **options):
    """A process in a session of its own that hears interrupts; an error in the context kills it."""
    with subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.PIPE, preexec_fn=hear_interrupts, **options) as process:
        try:
            yield process
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise


def is_running(pid):
    """Whether a process exists and is no zombie, which only waits for its parent."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def await_until(condition):
    """Return when ``condition()`` holds; AssertionError after ``LATE``."""
    end = time.monotonic() + LATE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
