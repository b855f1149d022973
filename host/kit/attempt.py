# SPDX-License-Identifier: Apache-2.0
"""Run a task on a device, and keep waves of the first failing case."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from xymac.host.errors import InputError

from .device.ask import ask_device
from .report.outcome import find_failing, judge

if TYPE_CHECKING:
    from xymac.host.kit.device.adapter import Adapter
    from xymac.host.kit.report.outcome import Outcome
    from xymac.host.kit.stimuli.tasks import Task

__all__ = ["attempt", "check_waves"]


def check_waves(adapter: Adapter, folder: Path | str) -> None:
    """Raise InputError unless the Adapter's device can write waves to ``folder``."""
    if not adapter.is_simulated:
        raise InputError(f"There are no waves of {adapter.title}, which has no sources to simulate")
    if adapter.simulator != "verilator":
        raise InputError(f"Waves need the simulator verilator, not {adapter.simulator}")
    if Path(folder).exists() and not Path(folder).is_dir():
        raise InputError(f"Waves need a folder, and {folder} is a file")


def attempt(path: Path | str, adapter: Adapter, task: Task,
            waves: Path | str | None = None) -> Outcome:
    """Run a Task on the device of the Adapter in the file ``path``; returns its Outcome.

    ``waves`` is a folder for a VCD file of the first failing case, or None. InputError if the
    simulation cannot be built.
    """
    answers, seconds = ask_device(path, adapter, task.cases)
    outcome = judge(task, answers, seconds)
    failing = find_failing(task.cases, answers)
    if waves is not None and failing is not None:
        outcome.waves = _keep_waves(path, adapter, task, failing, Path(waves))
    return outcome


def _keep_waves(path, adapter, task, failing, folder):
    """Write waves of case number ``failing``; returns a phrase about them.

    The simulation repeats the preceding cases, because the fault may depend on their state.
    """
    cases  = task.cases[:failing + 1]
    name   = cases[-1].name
    target = folder / f"{task.name.replace(' ', '-')}.vcd"
    try:
        answers, _ = ask_device(path, adapter, cases, waves=target)
    except InputError as error:
        return f"no waves of {name}: {error}"
    again = find_failing(cases, answers) == failing
    return f"waves of {name}{'' if again else ', which did not fail again'}: {target}"
