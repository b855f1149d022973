# SPDX-License-Identifier: Apache-2.0
"""Requantisers in Verilog and SystemVerilog, one right, five wrong: each is named."""

import pytest

from tests.support.modules import ROOT
from tests.support.sizes import between
from xymac.host.kit.device.adapter import load_adapter
from xymac.host.kit.explain import explain
from xymac.host.kit.stimuli.generate import generate
from xymac.sim.kit.runner import ask_simulated

FOLDER = ROOT / "tests" / "sim" / "kit" / "requantisers"
CASES  = 120


@pytest.mark.parametrize(("name", "clause"), [
    ("right", "all {} outputs are those of tflite-micro"),
    between("cut_shift", "cuts the second shift without rounding; "),
    between("half_up", "rounds the second shift half up; "),
    between("clip_first", "saturates before it adds the zero point; "),
    between("short_multiplier", "cuts the multiplier to 16 bits; "),
    between("wrap24", "wraps the sum at 24 bits; ")])
def test_each_is_named(name, clause):
    adapter = load_adapter(FOLDER / f"{name}.py")
    cases   = generate(adapter.supports[0], CASES).cases

    answers = ask_simulated(FOLDER / f"{name}.py", adapter, cases)

    assert [answer.failure for answer in answers if answer.failure] == []
    verdict = explain(list(cases), [answer.values for answer in answers])
    assert verdict.sentence.startswith(clause.format(f"{verdict.outputs:,}"))
    assert "do not distinguish it" not in verdict.sentence
    assert verdict.equal is (name == "right")
    assert verdict.unexplained is None
