# SPDX-License-Identifier: Apache-2.0
"""Layers that work element by element on inputs that do not fit, and layers that cannot."""

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac import golden
from xymac.golden import mli1, xs3
from xymac.golden.xs3 import Integers
from xymac.hdl.config import TINY
from xymac.host.device.device import MachineDevice
from xymac.host.errors import Refusal
from xymac.host.plan.run import run_layer


@pytest.mark.parametrize(("layer", "shape", "dtypes"), [
    (xs3.Requantize16To8(), (3, 9001), (np.int16,)),
    (xs3.AddElementwise((3, -2), (900, -700), 5, 9), (2, 5, 1700), (np.int8,) * 2)])
def test_pieces_make_the_whole(layer, shape, dtypes):
    rng    = random_of(0)
    inputs = [Integers(rng.integers(-100, 100, shape).astype(dtype)) for dtype in dtypes]

    with MachineDevice(TINY) as device:
        run = run_layer(device, layer, *inputs)

    assert run.output == golden.run(layer, *inputs).output
    assert not run.overflow
    assert len(run.plan.parts) > 1
    assert len(run.result.trace) == len(run.plan.program)


def test_counters_of_pieces_add_up(monkeypatch):
    counted = iter(range(1, 9))

    class Counting(MachineDevice):
        def run(self, *arguments, **options):
            result = super().run(*arguments, **options)
            result.counters["cycles"] = next(counted)
            return result

    with Counting(TINY) as device:
        run = run_layer(device, xs3.Requantize16To8(), Integers(np.zeros(12000, np.int16)))

    assert run.result.counters["cycles"] == sum(range(1, 9)) - sum(counted)


def test_what_is_not_element_by_element_must_fit():
    with MachineDevice(TINY) as device, pytest.raises(
            Refusal, match=r"^Layer 0 \(Softmax\): its input needs "):
        run_layer(device, mli1.Softmax(), mli1.Tensor(np.zeros(9000, np.int16), 7))
