"""NNgen, hardware of somebody else's: the kit names its rule, and under that rule it passes.

It is from PyPI; what it generates has an AXI4 port for memory and an AXI4-Lite port for registers.
"""

import importlib.util
import shutil
import subprocess
import sys
from itertools import chain

import pytest

from host.kit.device.adapter import load_adapter
from host.kit.explain import explain
from host.kit.rounding import Limit, Rounding
from host.kit.rule import Rule
from host.kit.ruled import under
from host.kit.stimuli.generate import generate
from sim.kit.runner import ask_simulated
from tests.support.modules import ROOT

SOURCE = ROOT / "tests" / "sim" / "kit" / "nngen"
COUNTS = (16, 24)  # cases of the convolution and of the fully connected layer
RULE   = Rule(last=Rounding.AWAY, out=Limit.SYMMETRIC)


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    """Cases, and what NNgen's hardware gave for them."""
    if importlib.util.find_spec("nngen") is None:
        pytest.skip("NNgen is not installed: pip install 'xymac[nngen]'")
    folder = tmp_path_factory.mktemp("nngen")
    subprocess.run([sys.executable, SOURCE / "generate.py", folder], check=True, cwd=folder)
    path    = shutil.copy(SOURCE / "adapter.py", folder)
    adapter = load_adapter(path)
    cases   = list(chain.from_iterable(
        generate(support, count).cases
        for support, count in zip(adapter.supports, COUNTS, strict=True)))
    answers = ask_simulated(path, adapter, cases)
    assert [answer.failure for answer in answers if answer.failure] == []
    return cases, [answer.values for answer in answers]


def test_its_rule_is_named(answered):
    cases, results = answered

    verdict = explain(cases, results)

    assert verdict.rule == RULE
    assert verdict.sentence.startswith(
        "rounds half away from zero, clips to plus or minus the highest output; ")
    assert verdict.sentence.endswith(" % of outputs one off embARC MLI 1.x")


@pytest.mark.parametrize("operation", ["conv2d", "fully_connected"])
def test_it_passes_under_its_rule(answered, operation):
    chosen = [(case, result) for case, result in zip(*answered, strict=True)
              if case.operation == operation]
    cases, results = zip(*chosen, strict=True)

    verdict = explain(under(RULE, cases), results)

    assert verdict.equal, verdict.sentence
    assert not explain(list(cases), results).equal
