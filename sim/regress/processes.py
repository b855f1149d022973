"""Pieces in processes of this computer, without a cluster."""

import os
from concurrent.futures import ThreadPoolExecutor

from host.cluster import WorkerError, place
from host.errors import InputError

__all__ = ["Processes"]


class Processes:
    """A pool of as many processes as asked for, one a core if None; a context.

    A pool runs pieces somewhere: ``submit`` begins one, ``running`` says where each is, ``blame``
    explains an exception, ``width`` is how many are worth having in it at once.
    """

    def __init__(self, workers=None):
        self.width    = workers or os.cpu_count() or 1
        self._threads = ThreadPoolExecutor(self.width)
        self._running = {}
        self._is_open = True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """End what runs."""
        self._is_open = False
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in list(self._running.values()):
            process.terminate()
        self._threads.shutdown()

    @property
    def label(self):
        """What computes, for people."""
        return f"{self.width} process{'es' * (self.width > 1)} of this computer"

    def submit(self, key, function, *arguments):
        """Begin a piece, ``run_piece`` and what it takes; returns a Future of its Result."""
        return self._threads.submit(self._run, key, function, *arguments)

    def running(self):
        """{key of a piece: where it runs}."""
        return {key: f"{place()}/{process.pid}" for key, process in dict(self._running).items()}

    def blame(self, error):
        """Why a piece has no result, or None if that is no matter of the pool."""

    def _run(self, key, function, *arguments):
        def watch(process):
            self._running[key] = process
            if not self._is_open:
                process.terminate()

        try:
            return function(*arguments, watch)
        except WorkerError as error:
            raise InputError("The sources were changed in mid-run") from error
        finally:
            self._running.pop(key, None)
