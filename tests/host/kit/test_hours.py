# SPDX-License-Identifier: Apache-2.0
"""A device that fails once in thousands of cases is found by further rounds."""

import pytest

from xymac.host.kit.device.adapter import Adapter, Supports
from xymac.host.kit.device.functions import ask_functions
from xymac.host.kit.hours import go_on
from xymac.host.kit.report.outcome import judge
from xymac.host.kit.stimuli.tasks import list_tasks


class Tired(Adapter):
    """A device whose state goes wrong after so many cases."""

    supports = (Supports("relu", "tflm"),)

    def __init__(self, last):
        self.left = last

    def relu(self, case):
        """Right results for a while."""
        self.left -= 1
        return case.expected() ^ (self.left < 0)


@pytest.mark.parametrize(("last", "seconds", "is_found"), [(95, 60, True), (10**6, 0.5, False),
                                                           (95, 0, False)])
def test_rounds_go_on_until_a_case_differs_or_time_is_over(last, seconds, is_found):
    device = Tired(last)
    task   = list_tasks(device, 5)[0]
    first  = judge(task, ask_functions(device, task.cases))

    outcome = go_on("", device, task, first, cases=5, seed=0, seconds=seconds)

    assert outcome.passed is not is_found
    if is_found:
        assert outcome.cases == 105
        assert outcome.sentence.startswith("seed 2, 50 cases: ")
    elif seconds:
        assert outcome.cases == outcome.equal > 55
    else:
        assert outcome.cases == 5

