# SPDX-License-Identifier: Apache-2.0
"""Passes of recurrent kernels of MLI 2.0 are made once, wherever they are placed."""

from dataclasses import replace

import pytest

from tests.support.mli2.gate_layers import random_cell, random_dense
from xymac.golden.mli2 import GruCell, LstmCell
from xymac.hdl.config import SMALL
from xymac.host.device.device import MachineDevice
from xymac.host.lower.recurrent.dense import DenseSumsLowering
from xymac.host.lower.recurrent.gates import GruSteps, LstmSteps
from xymac.host.lower.registry import find_lowering
from xymac.host.plan.run import run_layer

KERNELS = pytest.mark.parametrize(("call", "maker", "method"), [
    (random_cell(1, "fx16", GruCell, 6), GruSteps, "passes"),
    (random_cell(1, "sa8", LstmCell, 6), LstmSteps, "passes"),
    (random_dense(1, "sa8", 6), DenseSumsLowering, "make")])


@pytest.fixture
def calls(monkeypatch, maker, method):
    """A list that gets an entry whenever ``maker`` makes passes."""
    made, original = [], getattr(maker, method)

    def make(*arguments):
        made.append(maker)
        return original(*arguments)

    monkeypatch.setattr(maker, method, make)
    return made


@KERNELS
def test_a_run_makes_passes_once(call, calls):
    with MachineDevice(SMALL) as device:
        run_layer(device, *call)

    assert len(calls) == 1


@KERNELS
def test_other_rows_move_the_same_passes(call, calls):
    layer, *inputs = call
    lowering = find_lowering(layer, inputs, SMALL.ways)
    preferred, programs = lowering.source_layouts(None), []

    for row in (0, 5):
        sources   = tuple(layout.at(row) for layout in preferred)
        target    = lowering.target_layout(sources)
        constants = replace(lowering.constants(sources), y_row=row)
        programs.append(lowering.passes(sources, target.at(target.before + row), constants))

    assert len(calls) == 1
    first, second = programs
    assert len(first) == len(second)
    for one, other in zip(first, second, strict=True):
        assert one.operands.x.base < other.operands.x.base
        assert one.operands.y.base < other.operands.y.base
        assert one.epilogue.z.base < other.epilogue.z.base
