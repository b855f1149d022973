# SPDX-License-Identifier: Apache-2.0
"""Run cases on any kind of device."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from xymac.host.errors import InputError
from xymac.host.extensions import list_extensions, load_extension

from .functions import ask_functions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from xymac.host.kit.case import Case
    from xymac.host.kit.device.adapter import Adapter
    from xymac.host.kit.device.answer import Answer

__all__ = ["ask_device"]

_GROUP  = "xymac.runners"
_RUNNER = "cocotb"  #: Entry point of the simulator for adapters with sources.


def ask_device(path: Path | str, adapter: Adapter, cases: Sequence[Case], *,
               waves: Path | str | None = None) -> tuple[list[Answer], float]:
    """(answers, seconds): the list of Answers to the cases, and the total time.

    The Adapter comes from the file ``path``. ``waves`` is the path of a VCD file of the last case,
    for a simulated device. InputError if a simulation cannot be built.
    """
    start   = perf_counter()
    options = {} if waves is None else {"waves": waves}
    answers = (_load_runner()(path, adapter, cases, **options) if adapter.is_simulated
               else ask_functions(adapter, cases))
    return answers, perf_counter() - start


def _load_runner():
    entry = list_extensions(_GROUP).get(_RUNNER)
    if entry is None:
        raise InputError(f"There is no {_RUNNER} runner: its entry point of {_GROUP} is missing")
    return load_extension(entry, _check_runner)


def _check_runner(runner):
    if not callable(runner):
        raise TypeError(f"A runner must be a function, not {type(runner).__name__}")
