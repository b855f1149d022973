# SPDX-License-Identifier: Apache-2.0
"""NNgen, hardware of somebody else's: the kit names its rule, and under that rule it passes.

It is from PyPI; what it generates has an AXI4 port for memory and an AXI4-Lite port for registers.
"""

import importlib.util
import shutil
import subprocess
import sys
from itertools import chain

import pytest

from tests.support.modules import ROOT
from xymac.host.kit.device.adapter import load_adapter
from xymac.host.kit.explain import explain
from xymac.host.kit.rounding import Limit, Rounding
from xymac.host.kit.rule import Rule
from xymac.host.kit.ruled import under
from xymac.host.kit.stimuli.generate import generate
from xymac.sim.kit.runner import ask_simulated

SOURCE = ROOT / "tests" / "sim" / "kit" / "nngen"
COUNTS = (16, 24)  # cases of the convolution and of the fully connected layer
RULE   = Rule(last=Rounding.AWAY, out=Limit.SYMMETRIC)


def ask_nngen(folder):
    """Cases, and what NNgen's hardware gave for them."""
    subprocess.run([sys.executable, SOURCE / "generate.py", folder], check=True, cwd=folder)
    path    = shutil.copy(SOURCE / "adapter.py", folder)
    adapter = load_adapter(path)
    cases   = list(chain.from_iterable(
        generate(support, count).cases
        for support, count in zip(adapter.supports, COUNTS, strict=True)))
    answers = ask_simulated(path, adapter, cases)
    assert [answer.failure for answer in answers if answer.failure] == []
    return cases, [answer.values for answer in answers]


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("nngen") is None,
                    reason="NNgen is not installed: pip install 'xymac[nngen]'")
def test_its_rule_is_named_and_under_it_it_passes(tmp_path):
    cases, results = ask_nngen(tmp_path)

    verdict = explain(cases, results)
    assert verdict.rule == RULE
    assert verdict.sentence.startswith(
        "rounds half away from zero, clips to plus or minus the highest output; ")
    assert verdict.sentence.endswith(" % of outputs differ by 1 from embARC MLI 1.x")

    assert {case.operation for case in cases} == {"conv2d", "fully_connected"}
    assert explain(under(RULE, cases), results).equal
    for rule in (Rule(last=Rounding.AWAY), Rule(out=Limit.SYMMETRIC)):
        assert not explain(under(rule, cases), results).equal
