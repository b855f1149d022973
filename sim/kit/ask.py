# SPDX-License-Identifier: Apache-2.0
"""Run kit cases on a device under test, in cocotb."""

import inspect

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, SimTimeoutError, Timer, with_timeout

from xymac.host.kit.device.answer import Answer, describe_error, take_answer

__all__ = ["ask_dut"]

_RESET = 2  #: Clocks.
_HANGS = 2  #: Timeouts of an operation before its other cases are skipped.


async def ask_dut(dut, adapter, cases, begin=None, note=None):
    """Ask a device under test every Case; returns the list of its Answers.

    Starts the Adapter's clock and resets the device, also after a case that exceeds its cycle
    limit. ``begin()`` is called before each case, ``note(answer)`` after it.
    """
    clock = None
    if adapter.clock:
        clock = cocotb.start_soon(Clock(getattr(dut, adapter.clock), adapter.period,
                                        unit="ns").start())
    await adapter.start(dut)
    await _reset(dut, adapter)
    answers, hangs = [], {}
    for case in cases:
        if begin is not None:
            begin()
        if hangs.get(case.operation, 0) >= _HANGS:
            answer = Answer(None, describe_error(
                case, f"not tried, as {_HANGS} others did not end"))
        else:
            answer = await _ask(dut, adapter, case)
        if answer is None:
            hangs[case.operation] = hangs.get(case.operation, 0) + 1
            answer = Answer(None, describe_error(
                case, f"did not end within {adapter.cycles_of(case):,} cycles"))
            await _reset(dut, adapter)
        answers.append(answer)
        if note is not None:
            note(answer)
    if clock is not None:
        clock.cancel()
    return answers


async def _reset(dut, adapter):
    """Reset for two clock cycles, if there is a reset port."""
    if adapter.reset:
        port   = getattr(dut, adapter.reset.removeprefix("!"))
        active = not adapter.reset.startswith("!")
        port.value = int(active)
        await _wait(dut, adapter)
        port.value = int(not active)
    await _wait(dut, adapter)


async def _wait(dut, adapter):
    if adapter.clock:
        await ClockCycles(getattr(dut, adapter.clock), _RESET)
    else:
        await Timer(_RESET * adapter.period, "ns")


async def _ask(dut, adapter, case):
    """Answer to a Case, None after a timeout."""
    method = adapter.method_of(case.operation)
    if method is None:
        return Answer(None, describe_error(case, f"{adapter.title} has no {case.operation}"))
    if not inspect.iscoroutinefunction(method):
        return Answer(None, describe_error(
            case, f"{case.operation} of {adapter.title} must be a coroutine, async def"))
    limit = adapter.cycles_of(case) * adapter.period
    try:
        given = await with_timeout(method(dut, case), limit, "ns")
    except SimTimeoutError:
        return None
    except Exception as error:  # Whatever a user's coroutine does.
        return Answer(None, describe_error(case, error))
    return take_answer(case, given)
