# SPDX-License-Identifier: Apache-2.0
"""A run asks a layer, its lowering and its library's form once, and packs every pass once."""

import sys
from collections import Counter
from functools import partial

import numpy as np
import pytest

from tests.support.mli2.gate_layers import random_cell
from xymac.golden.kinds import EltwiseOp
from xymac.golden.mli1 import Conv2d, Tensor
from xymac.golden.mli2 import Affine, Element, Eltwise, GruCell, QuantTensor
from xymac.hdl import isa
from xymac.hdl.config import SMALL
from xymac.host.device.device import MachineDevice
from xymac.host.frontend.registry import LAYERS
from xymac.host.lower.recurrent.gates import GruSteps
from xymac.host.lower.registry import find_lowering
from xymac.host.plan.run import run_layer


def conv2d():
    """A convolution of MLI 1.x in fx8, and its input."""
    weights, bias = (Tensor(np.ones(shape, np.int8), 4) for shape in ((3, 2, 3, 3), 3))
    return Conv2d(weights, bias, 4), Tensor(np.ones((2, 5, 5), np.int8), 4)


def sum_of_two():
    """A sum of MLI 2.0 in sa8, and its operands."""
    a, b = (QuantTensor(np.ones(9, np.int8), Element.SA_8, Affine(zero, 3, 2)) for zero in (0, 5))
    return Eltwise(EltwiseOp.ADD, Affine(1, 5, 3)), a, b


def count(monkeypatch, owner, name, calls, key=None):
    """Count the calls of a method or function ``name`` of ``owner`` under ``key``."""
    original = getattr(owner, name)

    def counted(*arguments, **options):
        calls[key or name] += 1
        return original(*arguments, **options)

    monkeypatch.setattr(owner, name, counted)


def count_forms(monkeypatch, layer, calls):
    """Count the forms that are made of a layer."""
    def counted(make, *arguments):
        calls["form_of"] += 1
        return make(*arguments)

    monkeypatch.setitem(LAYERS, type(layer), tuple(
        (kind, partial(counted, make)) for kind, make in LAYERS[type(layer)]))


def counted_run(monkeypatch, calls, lowering, layer, *inputs):
    """Run a layer on the golden machine with the calls that all layers have in common counted."""
    count(monkeypatch, type(layer), "check", calls)
    count(monkeypatch, lowering, "__init__", calls, "lowering")
    count(monkeypatch, lowering, "passes", calls)
    with MachineDevice(SMALL) as device, monkeypatch.context() as patch:
        count(patch, sys.modules[isa.pack_words.__module__], "pack", calls)
        return run_layer(device, layer, *inputs)


@pytest.mark.parametrize("call", [conv2d, sum_of_two])
def test_layers_are_analysed_once(monkeypatch, call):
    calls, (layer, *inputs) = Counter(), call()
    lowering = type(find_lowering(layer, inputs, SMALL.ways))
    count_forms(monkeypatch, layer, calls)

    run = counted_run(monkeypatch, calls, lowering, layer, *inputs)

    assert calls == {"check": 1, "lowering": 1, "form_of": 1, "passes": 1,
                     "pack": len(run.plan.program)}


def test_steps_of_a_cell_are_made_once(monkeypatch):
    calls, (layer, *inputs) = Counter(), random_cell(1, "fx16", GruCell, 6)
    count(monkeypatch, GruSteps, "passes", calls, "steps")

    lowering = type(find_lowering(layer, inputs, SMALL.ways))
    run = counted_run(monkeypatch, calls, lowering, layer, *inputs)

    assert calls == {"check": 1, "lowering": 1, "steps": 1, "passes": 1,
                     "pack": len(run.plan.program)}
