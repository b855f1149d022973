# SPDX-License-Identifier: Apache-2.0
"""Devices that are functions: a C model, an FPGA, another process."""

from __future__ import annotations

import inspect
from collections import defaultdict
from threading import Thread
from typing import TYPE_CHECKING

from .answer import Answer, describe_error, take_answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xymac.host.kit.case import Case
    from xymac.host.kit.device.adapter import Adapter

__all__ = ["ask_functions"]

_HANGS = 2  #: Timeouts of an operation before its other cases are skipped.


def ask_functions(adapter: Adapter, cases: Sequence[Case]) -> list[Answer]:
    """An Adapter's Answers, one per Case, a list.

    After ``adapter.seconds`` a function continues in an abandoned thread.
    """
    hangs, answers = defaultdict(int), []
    for case in cases:
        if hangs[case.operation] >= _HANGS:
            answers.append(Answer(None, describe_error(
                case, f"not tried, as {_HANGS} others did not end")))
            continue
        answer = _ask(adapter, case)
        hangs[case.operation] += answer is None
        answers.append(answer or Answer(None, describe_error(
            case, f"did not end within {adapter.seconds:g} s")))
    return answers


def _ask(adapter, case):
    """Answer to a Case, None after a timeout."""
    method = adapter.method_of(case.operation)
    if method is None:
        return Answer(None, describe_error(case, f"{adapter.title} has no {case.operation}"))
    if not callable(method) or inspect.iscoroutinefunction(method):
        return Answer(None, describe_error(
            case, f"{case.operation} of {adapter.title} must be a function, as it has no sources"))
    answers = []

    def call():
        try:
            answers.append(take_answer(case, method(case)))
        except (Exception, SystemExit) as error:  # Whatever a user's function does.
            answers.append(Answer(None, describe_error(case, error)))

    thread = Thread(target=call, daemon=True)
    thread.start()
    thread.join(adapter.seconds)
    return answers[0] if answers else None
