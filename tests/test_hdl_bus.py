from hdl.bus import AxiLite


def test_axi_lite(bench):
    bench(AxiLite(), "sim.bench_bus", "axi_lite")
