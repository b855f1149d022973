# SPDX-License-Identifier: Apache-2.0
"""A tile with AXI-Stream and a unit with commands, right and broken: what the report says."""

import pytest

from tests.support.modules import ROOT
from xymac.host.kit.device.adapter import load_adapter
from xymac.host.kit.report.outcome import judge
from xymac.host.kit.stimuli.tasks import list_tasks
from xymac.sim.kit.runner import ask_simulated

FOLDER = ROOT / "tests" / "sim" / "kit"


def test_registers_behind_apb_and_wishbone():
    path    = FOLDER / "registers" / "adapter.py"
    adapter = load_adapter(path)
    task    = list_tasks(adapter, 10)[0]

    outcome = judge(task, ask_simulated(path, adapter, task.cases))

    assert (outcome.lines, outcome.equal) == ([], 10)


@pytest.mark.parametrize(("name", "fault", "sentence"), [
    ("tile8", 0, ""), ("tile8", 1, "wraps the sum at 16 bits"),
    ("tile8", 2, "all wrong outputs lie in channel 5"),
    ("tile8", 3, "the results are the expected outputs 8 elements late"),
    ("tile8", 4, "takes weights as unsigned"),
    ("commands", 0, ""), ("commands", 1, "wraps the sum at 24 bits"),
    ("commands", 2, "takes inputs as unsigned"),
    ("commands", 3, "every 50th output is wrong, counted over all cases")])
def test_the_report_on_a_device(name, fault, sentence):
    path    = FOLDER / name / "adapter.py"
    adapter = load_adapter(path)
    adapter.parameters = {"FAULT": fault}
    [task]  = list_tasks(adapter, 30)

    outcome = judge(task, ask_simulated(path, adapter, task.cases))

    assert outcome.failures == []
    assert outcome.passed is (fault == 0)
    assert sentence in outcome.sentence
