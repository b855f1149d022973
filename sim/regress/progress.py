# SPDX-License-Identifier: Apache-2.0
"""A run's progress display: counts, running pieces, and failures as they happen."""

import time

from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from .schedule import Watch

__all__ = ["Board"]

_ROWS = 16  # maximum rows of running pieces; further pieces are only counted
_TAIL = 30  # output lines shown of the first failure


class Board:
    """Context that shows pieces and failures on a Console; see ``watch``.

    Parameters
    ----------
    console : Console
    names : {key: piece name}, first round
    total : int, pieces in the first round
    """

    def __init__(self, console, names, total):
        self._console, self._names = console, names
        self._bar   = Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
                               TimeElapsedColumn(), console=console)
        self._task  = self._bar.add_task("pieces", total=total)
        self._total = total
        self._done, self._failed, self._since = 0, 0, {}
        self._live  = Live(self._bar, console=console, transient=True, auto_refresh=False)

    def __enter__(self):
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_):
        self._live.stop()

    @property
    def watch(self):
        """The run's Watch."""
        return Watch(ended=self._ended, runs=self._runs)

    def _say(self, text):
        self._console.print(text, markup=False, soft_wrap=True)

    def _ended(self, result):
        self._done += 1
        self._total = max(self._total, self._done)
        self._bar.update(self._task, completed=self._done, total=self._total)
        if not result.is_good:
            self._failed += 1
            self._say(f"{result.outcome}: {result.name} with seed {result.seed}, on "
                      f"{result.where or 'no worker that is left'}")
            self._say(f"  repeat it alone: {result.command}")
            if self._failed == 1 or result.outcome == "lost":
                self._say("\n".join(result.output.splitlines()[-_TAIL:]))
        elif not self._console.is_terminal:
            self._say(f"{self._done} of {self._total}: {result.name}, "
                      f"{'kept' if result.is_kept else f'{result.seconds:.1f} s'}")

    def _runs(self, places):
        now = time.monotonic()
        self._since = {key: self._since.get(key, now) for key in places}
        if not self._console.is_terminal:
            return
        table = Table(box=None, show_header=False)
        for key, place in list(places.items())[:_ROWS]:
            table.add_row(place, self._names.get(key, key),
                          f"{now - self._since[key]:.0f} s")
        if len(places) > _ROWS:
            table.add_row("", f"and {len(places) - _ROWS} more", "")
        self._live.update(Group(self._bar, table), refresh=True)
