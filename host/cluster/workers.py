# SPDX-License-Identifier: Apache-2.0
"""Python functions in several processes of this computer: start, number, interrupts, ends."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import parent_process, resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import TYPE_CHECKING, Any, TypeVar

from xymac.host.errors import InputError

from .interrupts import arriving, interrupts_deferred, result_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["Workers", "count_cores"]

_GRACE = 3.0  # seconds from the request to end to the kill

_Item = TypeVar("_Item")


def count_cores() -> int:
    """CPU core count available to this process."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Workers:
    """A process pool for picklable functions; a context manager.

    Processes are new interpreters, each leading its own process group: a terminal interrupt reaches
    only this process. They end with the context, together with their child processes: after the
    pending calls, or at once if an exception leaves the context. They also end if this process is
    killed.

    Parameters
    ----------
    width : int, process count
    name : str, a process in an error message
    begin : picklable function of ``arguments``, called at each process's start, or None
    error : exception class for a process ended from outside
    """

    def __init__(self, width: int, name: str, *, begin: Callable[..., object] | None = None,
                 arguments: tuple = (), error: type[Exception] = InputError) -> None:
        self._name, self._error = name, error
        self._context = _Context()
        self._pool    = ProcessPoolExecutor(width, self._context, _begin, (begin, arguments))

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        with interrupts_deferred():
            if kind is not None:
                _end(self._context.started)
            self._pool.shutdown(cancel_futures=kind is not None)

    def run(self, function: Callable[[_Item], Any],
            items: Iterable[_Item]) -> Iterator[tuple[_Item, Any]]:
        """Yield (item, ``function(item)``) as results arrive; raises a call's exception."""
        try:
            with interrupts_deferred():
                futures = {self._pool.submit(_call, function, item): item for item in items}
            for future in arriving(futures):
                yield futures[future], result_of(future)
        except BrokenProcessPool as error:
            raise self._error(f"{self._name} was ended from outside") from error


class _Process(SpawnProcess):
    """A process started with interrupts blocked."""

    def start(self):
        resource_tracker.ensure_running()  # its start would unblock interrupts
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            super().start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Context(SpawnContext):
    """A multiprocessing context listing its processes."""

    def __init__(self):
        super().__init__()
        self.started: list[_Process] = []

    def Process(self, *arguments, **options):
        process = _Process(*arguments, **options)
        self.started.append(process)
        return process


def _begin(begin, arguments):
    """Run at the start of a process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.setpgrp()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if begin is not None:
        begin(*arguments)


def _call(function, item):
    """A call; a request to end closes the call's contexts, then ends the process.

    Before its first call a process has none, and the request ends it at once.
    """
    try:
        signal.signal(signal.SIGTERM, _leave)
        return function(item)
    except SystemExit:
        os._exit(1)


def _leave(*_):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the pool repeats the request
    sys.exit(1)


def _end_with_parent():
    parent_process().join()
    os.killpg(0, signal.SIGTERM)
    time.sleep(_GRACE)
    os.killpg(0, signal.SIGKILL)


def _end(started):
    """End processes and their groups, but for a process that the system did not start."""
    processes = [process for process in started if process.pid is not None]
    late = time.monotonic() + _GRACE
    _signal(processes, signal.SIGTERM)
    for process in processes:
        process.join(max(late - time.monotonic(), 0))
    _signal(processes, signal.SIGKILL)


def _signal(processes, number):
    for process in processes:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(ProcessLookupError):  # before it has its group
            if process.is_alive():
                os.kill(process.pid, number)
