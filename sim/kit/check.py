# SPDX-License-Identifier: Apache-2.0
"""The kit within a user's cocotb test."""

from xymac.host.kit.report.outcome import judge
from xymac.host.kit.report.report import Report
from xymac.host.kit.stimuli.recorded import SHIPPED
from xymac.host.kit.stimuli.tasks import list_tasks

from .ask import ask_dut

__all__ = ["check"]


async def check(dut, adapter, *, cases=100, seed=0, vectors=SHIPPED, networks=()):
    """Run all tasks of an Adapter on a device under test; returns a Report.

    AssertionError with a description of the differences unless everything passes.

    Parameters
    ----------
    dut : cocotb handle
    adapter : Adapter; its clock is started here, so use "" if yours runs already
    cases, seed : int, number and seed of the drawn cases per operation
    vectors : folder of reference vectors
    networks : paths of networks
    """
    outcomes = []
    for task in list_tasks(adapter, cases, seed, vectors, networks):
        outcomes.append(judge(task, await ask_dut(dut, adapter, task.cases)))
    report = Report(adapter.title, seed, tuple(outcomes))
    wrong  = [line for outcome in outcomes for line in outcome.lines]
    if not report.passed:
        raise AssertionError("\n".join(wrong))
    return report
