# SPDX-License-Identifier: Apache-2.0
"""Pieces in processes on this computer, without a cluster."""

from xymac.host.cluster import Threads, WorkerError, count_cores, place, run_checked
from xymac.host.errors import InputError

from .versions import describe_here

__all__ = ["Processes"]


class Processes(Threads):
    """A process pool on this computer, a process per CPU core by default; they end with the pool.

    As on a cluster, sources and tools must not change during the run; ``running`` locates the
    pieces.
    """

    def __init__(self, workers=None):
        super().__init__(workers or count_cores())
        self._here    = describe_here()
        self._running = {}
        self._is_open = True

    def __exit__(self, *_):
        """Terminate the running processes."""
        self._is_open = False
        for process in list(self._running.values()):
            process.terminate()
        super().__exit__()

    def submit(self, key, function, *arguments):
        """Start a piece, ``run_piece`` with its arguments; returns a Future for its Result."""
        return super().submit(key, self._run, key, function, *arguments)

    def running(self):
        """{running piece's key: its location}."""
        return {key: f"{place()}/{process.pid}" for key, process in dict(self._running).items()}

    def _run(self, key, function, *arguments):
        def watch(process):
            self._running[key] = process
            if not self._is_open:
                process.terminate()

        try:
            return run_checked(self._here, describe_here, function, *arguments, watch)
        except WorkerError as error:
            raise InputError("The sources were changed in mid-run") from error
        finally:
            self._running.pop(key, None)
