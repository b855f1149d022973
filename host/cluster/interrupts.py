# SPDX-License-Identifier: Apache-2.0
"""Futures whose waiting thread takes interrupts between its steps, never within a step.

``concurrent.futures.wait``, ``as_completed`` and ``threading.Event`` hold locks in Python code. An
interrupt in this code leaves a lock held, and the thread at the end of the pool waits forever.

While a process starts, the main thread blocks interrupts, and the system hands them to a thread of
a library, which Python does not run. The main thread learns of this only when it runs again.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from concurrent.futures import Future

__all__ = ["arriving", "interrupts_deferred", "result_of"]

_STEP = 0.5  # seconds after which a waiting thread runs


@contextmanager
def interrupts_deferred() -> Iterator[None]:
    """Defer interrupts to the context's end; they reach the main thread alone, others defer none.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came  = []
    usual = signal.signal(signal.SIGINT, lambda *_: came.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if came:
            signal.raise_signal(signal.SIGINT)


def arriving(futures: Collection[Future]) -> Iterator[Future]:
    """Yield futures as they end."""
    ended = SimpleQueue()
    with interrupts_deferred():
        for future in futures:
            future.add_done_callback(ended.put)
    for _ in range(len(futures)):
        yield _next(ended)


def _next(ended):
    """The next item of a queue, awaited in steps."""
    while True:
        with suppress(Empty):
            return ended.get(timeout=_STEP)


def result_of(future: Future) -> Any:
    """Result of an ended future, or its exception."""
    with interrupts_deferred():
        return future.result()
