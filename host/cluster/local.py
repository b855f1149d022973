"""The processes of this computer as a pool, and work that a pool is given at once."""

from concurrent.futures import ThreadPoolExecutor, as_completed

from host.errors import InputError

from .cluster import open_cluster

__all__ = ["Threads", "open_pool", "run_all"]


class Threads:
    """A pool for work that waits for a process of its own: so many at the same time; a context.

    A pool begins work with ``submit``, and ``blame`` says why work has no result.
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
        """What computes, for people."""
        return f"{self.width} process{'es' * (self.width > 1)} of this computer"

    def submit(self, key, function, *arguments):
        """Begin ``function(*arguments)``; returns a Future."""
        return self._threads.submit(function, *arguments)

    def blame(self, error):
        """Why work has no result, or None if that is no matter of the pool."""


def open_pool(where, describe, width):
    """The pool that ``--cluster`` names, see ``open_cluster``; ``width`` Threads if it is None."""
    return Threads(width) if where is None else open_cluster(where, describe)


def run_all(pool, work, ended=lambda key, result: None):
    """Do ``work``, ``{key: (function, argument ...)}`` with str for keys; returns ``{key: result}``
    in that order.

    ``ended`` is called with each key and result as it comes. InputError of a function ends it all;
    it also names work that ended the workers that it ran on.
    """
    futures = {pool.submit(key, *call): key for key, call in work.items()}
    results = dict.fromkeys(work)
    try:
        for future in as_completed(futures):
            key = futures[future]
            results[key] = _result(pool, key, future)
            ended(key, results[key])
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    return results


def _result(pool, key, future):
    try:
        return future.result()
    except InputError:
        raise
    except Exception as error:
        reason = pool.blame(error)
        if reason is None:
            raise
        raise InputError(f"{key} has no result: {reason}") from error
