from hdl.bus import CoreAxi
from hdl.config import TINY


def test_core_over_axi(bench):
    bench(CoreAxi(TINY), "sim.bench_core", "core_axi")
