# SPDX-License-Identifier: Apache-2.0
"""Every kernel between cells in the order of the user's arrays, written and read over the bus."""

import pytest

from tests.support.c_order import assert_cells_are_arrays
from tests.support.layers import CALLS
from xymac import golden
from xymac.hdl.config import SIZES
from xymac.host.errors import Refusal
from xymac.host.plan.plan import Plan
from xymac.sim.rtl.device import RtlDevice

LAYERS = [(f"{wing}-{number}-{type(layer).__name__}", layer, inputs)
          for wing, calls in CALLS.items() for number, (layer, *inputs) in enumerate(calls)]


def has_passes(config, layer, inputs):
    """Whether the layer has exact passes at all."""
    try:
        Plan(config, [layer], *inputs)
    except Refusal:
        return False
    return True


@pytest.fixture(scope="module")
def bus():
    with RtlDevice(SIZES["base"], backdoor=False) as device:
        yield device


@pytest.mark.parametrize(("layer", "inputs"), [call[1:] for call in LAYERS],
                         ids=[call[0] for call in LAYERS])
def test_cells_are_the_users_arrays(bus, layer, inputs):
    config = bus.config
    if not has_passes(config, layer, inputs):
        with pytest.raises(Refusal):
            Plan(config, [layer], *inputs, c_order=True)
        return
    plan = Plan(config, [layer], *inputs, c_order=True)
    assert_cells_are_arrays(bus, plan, inputs, golden.run(layer, *inputs).output.data)
