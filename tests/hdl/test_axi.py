"""The AXI4-Lite front end with an independent client."""

from hdl.axi import AxiLite


def test_axi_lite(bench):
    bench(AxiLite(), "sim.blocks.axi", "axi_lite")
