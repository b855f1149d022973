# SPDX-License-Identifier: Apache-2.0
"""The whole core over AXI4-Lite, with an independent client."""

from xymac.hdl.axi import CoreAxi
from xymac.hdl.config import TINY


def test_core_over_axi(bench):
    bench(CoreAxi(TINY), "xymac.sim.blocks.core", "core_axi", config=TINY)
