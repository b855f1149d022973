# SPDX-License-Identifier: Apache-2.0
"""Progress bars, which appear on a terminal alone: a pipe or a file gets the results."""

from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

__all__ = ["make_progress", "show_progress"]


def make_progress(console, *, transient=False):
    """A Progress with counts and times on ``console``; without a terminal it shows nothing."""
    return Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
                    TimeElapsedColumn(), console=console, transient=transient,
                    disable=not console.is_terminal)


@contextmanager
def show_progress(console, text, total):
    """Context for a bar with ``total`` steps: a function to advance it by a step."""
    with make_progress(console, transient=True) as progress:
        task = progress.add_task(text, total=total)
        yield lambda: progress.advance(task)
