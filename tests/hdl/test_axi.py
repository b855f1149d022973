# SPDX-License-Identifier: Apache-2.0
"""The AXI4-Lite front end with an independent client."""

from xymac.hdl.axi import AxiLite


def test_axi_lite(bench):
    bench(AxiLite(), "xymac.sim.blocks.axi", "axi_lite")
