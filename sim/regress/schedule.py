# SPDX-License-Identifier: Apache-2.0
"""Pieces go to a pool until all have a result, each once; kept results are not made again."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from xymac.host.cluster import interrupts_deferred, result_of
from xymac.host.errors import InputError

from .result import Result, key_of
from .work import run_piece

__all__ = ["Schedule", "Watch"]

_TICK = 1  # interval between updates of the running pieces, seconds


@dataclass(frozen=True)
class Watch:
    """A run's callbacks; they do nothing by default.

    Parameters
    ----------
    ended : function of a piece's Result
    runs : function of {key: location}, called about once a second
    """

    ended: Callable = lambda result: None
    runs:  Callable = lambda places: None


class Schedule:
    """Pieces in progress in a pool.

    Parameters
    ----------
    pool : runs pieces, see ``Processes``
    kept : Results from earlier runs; new results are added
    environment : this computer's Environment
    watch : Watch

    Attributes
    ----------
    results : {key: Result}, in piece order; None while a piece has no result
    """

    def __init__(self, pool, kept, environment, watch=None):
        self._pool, self._kept = pool, kept
        self._environment = environment
        self._watch   = watch or Watch()
        self._pending = {}
        self._ended   = SimpleQueue()  # futures of self._pending
        self.results  = {}

    def run(self, work):
        """Run the (Piece, seed) pairs from ``work``; returns the results.

        Equal pieces run once. InputError if a worker's environment differs, or if the pool is gone.
        """
        work = iter(work)
        while True:
            self._fill(work)
            if not self._pending:
                return self.results
            with suppress(Empty):
                self._end(self._ended.get(timeout=_TICK))
            self._watch.runs(self._pool.running())

    def _fill(self, work):
        """Submit pieces while the pool is not full, and take kept results meanwhile."""
        width = self._pool.width
        while len(self._pending) < width:
            piece, seed = next(work, (None, None))
            if piece is None:
                return
            key = key_of(piece, seed, self._environment)
            if key in self.results:
                continue
            self.results[key] = self._kept.get(key)
            if self.results[key] is None:
                with interrupts_deferred():
                    future = self._pool.submit(key, run_piece, piece, seed, self._environment)
                    self._pending[future] = piece, seed, key
                    future.add_done_callback(self._ended.put)
            else:
                self._watch.ended(self.results[key])

    def _end(self, future):
        """Store a finished piece's result; a lost result if the pool knows the reason."""
        piece, seed, key = self._pending.pop(future)
        try:
            result = result_of(future)
        except InputError:
            raise
        except Exception as error:
            reason = self._pool.blame(error)
            if reason is None:
                raise
            result = Result(key=key, kind=piece.kind, name=piece.name, seed=seed,
                            command=piece.shown(seed), outcome="lost", failed=1, output=reason)
        self.results[key] = result
        self._kept.keep(result)
        self._watch.ended(result)
