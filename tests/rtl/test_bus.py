# SPDX-License-Identifier: Apache-2.0
"""Whole kernels over AXI4-Lite and AXI4: as exported, by a master that is not ours."""

from pathlib import Path

import amaranth
import pytest

from tests.support.sizes import each_size
from xymac.boards.commands.verilog import export_files
from xymac.hdl.axi import CoreAxi
from xymac.hdl.axi4 import CoreAxi4
from xymac.hdl.config import TINY
from xymac.sim.build.cache import cached
from xymac.sim.build.compile import ports_of

pytestmark = pytest.mark.long

KERNELS = "cnn,lstm,sa8,xs3"
ROOT    = Path(__file__).parents[2]
SOURCES = [*sorted((ROOT / "hdl").rglob("*.py")), *sorted((ROOT / "boards/commands").glob("*.py"))]


def exported(component, config):
    """The Verilog that ``xymac verilog`` writes, inside of a top with the name that benches know.
    """
    name  = f"xymac_{config.name}"
    ports = [f"{direction.value} [{len(signal) - 1}:0] {port}"
             for port, (signal, direction) in ports_of(component).items()]
    pins  = ", ".join(f".{port}({port})" for port in ("clk", "rst", *ports_of(component)))
    parts = [repr(config), amaranth.__version__, *(path.read_bytes() for path in SOURCES)]
    made  = cached(f"export-{config.name}", parts, lambda folder: (folder / "core.v").write_text(
        export_files(config)[f"{name}.v"]))
    return (f"{(made / 'core.v').read_text()}\n"
            f"module top(input clk, input rst, {', '.join(ports)});\n"
            f"  {name} core({pins});\nendmodule\n")


@pytest.mark.parametrize("pauses", [0, 60])
@each_size
def test_kernels_on_the_bus(bench, config, pauses):
    bench(CoreAxi(config), "xymac.sim.blocks.kernels", f"kernels_{config.name}",
          verilog=lambda component: exported(component, config), size=config.name,
          kernels=KERNELS, pauses=pauses)


@pytest.mark.parametrize("pauses", [0, 60])
def test_kernels_in_bursts(bench, pauses):
    bench(CoreAxi4(TINY), "xymac.sim.blocks.kernels", "kernels_axi4", size="tiny",
          kernels=KERNELS, pauses=pauses)
