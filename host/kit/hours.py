# SPDX-License-Identifier: Apache-2.0
"""Repeat a task with new seeds, to find faults that few cases show."""

from __future__ import annotations

from itertools import count
from time import monotonic
from typing import TYPE_CHECKING

from xymac.host.plural import plural

from .attempt import attempt
from .stimuli.tasks import redraw

if TYPE_CHECKING:
    from pathlib import Path

    from xymac.host.kit.device.adapter import Adapter
    from xymac.host.kit.report.outcome import Outcome
    from xymac.host.kit.stimuli.tasks import Task

__all__ = ["go_on"]

_TIMES = 10  #: Cases of a further round relative to the first.


def go_on(path: Path | str, adapter: Adapter, task: Task, first: Outcome, *, cases: int, seed: int,
          seconds: float, waves: Path | str | None = None) -> Outcome:
    """Repeat a drawn Task until ``seconds`` have passed or a case differs; returns the Outcome.

    Each round has the next seed and ten times the cases of the first round.

    Parameters
    ----------
    path, adapter : the adapter's file and the Adapter
    task, first : the Task and its Outcome
    cases, seed : case count and seed of the first round
    seconds : float, time limit for the start of a round
    waves : folder for waves of the first failing case, or None
    """
    end, outcome = monotonic() + seconds, first
    for number in count(seed + 1):
        if monotonic() >= end or not outcome.passed:
            return outcome
        again   = redraw(adapter, task, _TIMES * cases, number)
        outcome = outcome.then(attempt(path, adapter, again, waves),
                               f"seed {number}, {plural(_TIMES * cases, 'case')}")
    return outcome
