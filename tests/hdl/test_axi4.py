# SPDX-License-Identifier: Apache-2.0
"""The AXI4 front end with an independent master, and what the bench notices."""

import pytest

from tests.support.sizes import rarely
from xymac.hdl.axi4 import AxiBurst
from xymac.hdl.config import find_size
from xymac.hdl.dma.axi4 import CoreDma4
from xymac.sim.blocks.axi4 import X_BYTES, Y_BYTES

SIZES = {"x_bytes": X_BYTES, "y_bytes": Y_BYTES}


@pytest.mark.parametrize("fast", [0, 1])
def test_bursts(bench, fast):
    bench(AxiBurst(fast=fast, **SIZES), "xymac.sim.blocks.axi4", f"axi_burst_{fast}")


@pytest.mark.parametrize("fast", [0, 1])
def test_refusals_and_resets(bench, fast):
    bench(AxiBurst(fast=fast, **SIZES), "xymac.sim.blocks.axi4_refusals", f"axi_burst_{fast}")


@pytest.mark.parametrize(("size", "cycles"), [
    ("tiny,dma=32", 2), pytest.param("small,dma=64", 1, marks=pytest.mark.long)])
def test_memories_in_bursts(bench, size, cycles):
    config = find_size(size)
    bench(CoreDma4(config), "xymac.sim.blocks.dma.axi4", f"core_axi4_{config.name}", config=config,
          size=size, cycles=cycles)


@pytest.mark.parametrize("size", ["tiny,dma=32", *rarely("small,dma=64")])
def test_bursts_beside_lists(bench, size):
    config = find_size(size)
    bench(CoreDma4(config), "xymac.sim.blocks.dma.core", f"core_axi4_{config.name}", config=config,
          size=size)


@pytest.mark.long
@pytest.mark.parametrize("pauses", [0, 60])
def test_kernels_in_bursts(bench, pauses):
    size = "small,dma=64"
    bench(CoreDma4(find_size(size)), "xymac.sim.blocks.kernels", "kernels_axi4_dma",
          size=size, kernels="cnn,lstm,sa8,xs3", pauses=pauses)
