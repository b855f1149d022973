"""The whole core over AXI4-Lite, with an independent client."""

from hdl.axi import CoreAxi
from hdl.config import TINY


def test_core_over_axi(bench):
    bench(CoreAxi(TINY), "sim.blocks.core", "core_axi")
