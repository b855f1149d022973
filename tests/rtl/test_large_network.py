# SPDX-License-Identifier: Apache-2.0
"""The vendor's larger CIFAR-10 network in every type of MLI 1.x, in tiles where X is too small."""

import pytest

from tests.host.plan.test_tiled import assert_exact
from tests.support.rtl_device import assert_counters
from xymac.host.plan.tiling.tiled import TiledPlan
from xymac.sim.benchmarks.benchmarks import large_network


@pytest.mark.parametrize("kind", ["fx16", *(pytest.param(kind, marks=pytest.mark.long)
                                            for kind in ("fx8", "fx8w16d"))])
def test_large_network(kind, rtl):
    layers, x = large_network(kind).operands()
    device    = rtl("base")
    device.harness.reset()

    plan, run = assert_exact(device, list(layers), x)

    assert isinstance(plan, TiledPlan) == (kind != "fx8")
    assert_counters(run.result)
