# SPDX-License-Identifier: Apache-2.0
"""This computer's processes as a pool, and work batches for a pool."""

from concurrent.futures import ThreadPoolExecutor

from xymac.host.errors import InputError

from .cluster import open_cluster
from .interrupts import arriving, interrupts_deferred, result_of

__all__ = ["Threads", "open_pool", "run_all"]


class Threads:
    """Pool for work waiting for external processes, with a fixed thread count; a context manager.

    A pool starts work with ``submit``; ``blame`` explains missing results.
    """

    def __init__(self, width):
        self.width    = width
        self._threads = ThreadPoolExecutor(width)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._threads.shutdown(cancel_futures=True)

    @property
    def label(self):
        """Description of the computing resources for a person."""
        return f"{self.width} process{'es' * (self.width > 1)} of this computer"

    def submit(self, key, function, *arguments):
        """Begin ``function(*arguments)``; returns a Future."""
        return self._threads.submit(function, *arguments)

    def blame(self, error):
        """Reason why work has no result, or None if the pool is not the cause."""


def open_pool(where, describe, width):
    """The pool named by ``--cluster``, see ``open_cluster``; ``width`` Threads for None."""
    return Threads(width) if where is None else open_cluster(where, describe)


def run_all(pool, work, ended=lambda key, result: None):
    """Execute ``work``, ``{key: (function, argument ...)}`` with str keys; returns ``{key:
    result}`` in order.

    ``ended(key, result)`` is called as results arrive. An InputError in a function, or work that
    kills its workers, ends everything.
    """
    futures, results = {}, dict.fromkeys(work)
    try:
        with interrupts_deferred():
            for key, call in work.items():
                futures[pool.submit(key, *call)] = key
        for future in arriving(futures):
            key = futures[future]
            results[key] = _result(pool, key, future)
            ended(key, results[key])
    except BaseException:
        with interrupts_deferred():
            for future in futures:
                future.cancel()
        raise
    return results


def _result(pool, key, future):
    try:
        return result_of(future)
    except InputError:
        raise
    except Exception as error:
        reason = pool.blame(error)
        if reason is None:
            raise
        raise InputError(f"{key} has no result: {reason}") from error
