# SPDX-License-Identifier: Apache-2.0
"""The compact core in RTL, and what stands for the fast one."""

import numpy as np
import pytest

from xymac.hdl.config import COMPACT
from xymac.hdl.isa import PASS_STRIDE, Region
from xymac.host.cycles.model import predict
from xymac.sim.rtl.device import RtlDevice


@pytest.fixture(scope="package")
def core():
    """The compact core, one for all of this folder."""
    with RtlDevice(COMPACT) as device:
        yield device


@pytest.fixture
def device(core):
    """The compact core after reset, its program memory cleared."""
    core.harness.reset()
    words = 2 * PASS_STRIDE * COMPACT.passes
    core.harness.write(Region.PROGRAM.value + 4 * np.arange(words), np.zeros(words, np.uint32))
    return core


def assert_predicted(result, programs, config):
    """The cycle model is right within 5 %: what depends on data it takes as an average."""
    [program] = programs
    predicted, cycles = predict(program, config), result.counters["cycles"]
    assert predicted.issued == result.counters["issued"]
    assert abs(predicted.cycles - cycles) <= 0.05 * cycles, (
        f"Predicted {predicted.cycles} cycles, not {cycles}: {program}")


@pytest.fixture
def rtl(core, monkeypatch):
    """The compact core for what asks for a size, and its cycle model."""
    monkeypatch.setattr("tests.support.rtl_device.assert_predicted", assert_predicted)
    return lambda size: core
