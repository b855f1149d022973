# SPDX-License-Identifier: Apache-2.0
"""Our own core in RTL, asked by the kit as any other device."""

import pytest

from tests.support.modules import ROOT
from tests.support.seed import SEED
from xymac.host.kit.device.adapter import load_adapter
from xymac.host.kit.device.functions import ask_functions
from xymac.host.kit.report.outcome import judge
from xymac.host.kit.stimuli.tasks import list_tasks

CORE = load_adapter(ROOT / "tests" / "support" / "kit" / "core_adapter.py")


@pytest.mark.parametrize("task", [task for task in list_tasks(CORE, 2, SEED.value)
                                  if task.source == "drawn"], ids=lambda task: task.name)
def test_the_core_passes(task, device):
    CORE.device = device

    outcome = judge(task, ask_functions(CORE, task.cases))

    assert outcome.passed, "\n".join(outcome.lines)
    assert outcome.equal == 2
