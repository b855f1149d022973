# SPDX-License-Identifier: Apache-2.0
"""The AXI4 front end with an independent master, and what the bench notices."""

import pytest

from xymac.hdl.axi4 import AxiBurst
from xymac.sim.blocks.axi4 import X_BYTES, Y_BYTES

SIZES = {"x_bytes": X_BYTES, "y_bytes": Y_BYTES}


@pytest.mark.parametrize("fast", [0, 1])
def test_bursts(bench, fast):
    bench(AxiBurst(fast=fast, **SIZES), "xymac.sim.blocks.axi4", f"axi_burst_{fast}")
