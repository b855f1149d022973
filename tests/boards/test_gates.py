# SPDX-License-Identifier: Apache-2.0
"""Models of the cells of the ECP5, and blocks of the core after synthesis."""

import pytest

from xymac.boards.tools.gates import cell_models, gate_level
from xymac.boards.tools.rtlil import rtlil_of
from xymac.hdl.core.lane import Lane
from xymac.hdl.core.output import OutputStage
from xymac.hdl.core.scale import ScaleUnit
from xymac.hdl.core.xmem import XMemory
from xymac.hdl.multiply import Multiply
from xymac.sim.agents.ecp5_cells import BlockRam, DspMultiply, Register
from xymac.sim.build.compile import ports_of, verilog_of
from xymac.sim.build.verilator import ToolError

pytestmark = pytest.mark.long


def model(component):
    """Verilog of a component that has one cell, with the model of it."""
    cell = {BlockRam: "DP16KD", DspMultiply: "MULT18X18D", Register: "TRELLIS_FF"}
    return cell_models([cell[type(component)]]) + verilog_of(component)


def gates(component):
    """Verilog of a component after synthesis."""
    return gate_level(rtlil_of(component, "top", ports=ports_of(component)), "top")


@pytest.mark.parametrize(("widths", "mode", "registered"), [
    ((1, 2), "NORMAL", "B"), ((4, 18), "WRITETHROUGH", "A"), ((9, 9), "READBEFOREWRITE", "AB"),
    ((9, 9), "READBEFOREWRITE", "-"), ((18, 1), "WRITETHROUGH", "-"),
    ((18, 18), "READBEFOREWRITE", "B"), ((36, 36), "NORMAL", "-"), ((36, 9), "NORMAL", "-")])
def test_block_ram(bench, widths, mode, registered):
    ports = {f"REGMODE_{side}": "OUTREG" for side in "AB" if side in registered}
    bench(BlockRam(widths, WRITEMODE_A=mode, **ports), "xymac.sim.blocks.ecp5.block_ram",
          "block_ram", verilog=model, widths=",".join(map(str, widths)),
          mode=mode, registered=registered)


@pytest.mark.parametrize(("registered", "signed"), [
    ((), (0, 0)), (("INPUTA",), (1, 0)), (("INPUTB", "OUTPUT"), (0, 1)),
    (("INPUTA", "INPUTB", "OUTPUT"), (1, 1))])
def test_multiplier(bench, registered, signed):
    bench(DspMultiply(registered, signed), "xymac.sim.blocks.ecp5.multiply", "dsp_multiply",
          verilog=model, registered=",".join(registered), signed=",".join(map(str, signed)))


@pytest.mark.parametrize("value", ["RESET", "SET"])
def test_register(bench, value):
    bench(Register(value), "xymac.sim.blocks.ecp5.register", "register", verilog=model,
          value=int(value == "SET"))


@pytest.mark.parametrize(("cell", "parameter"), [
    (BlockRam((3, 9)), "DATA_WIDTH"), (BlockRam((9, 36)), "DATA_WIDTH"),
    (BlockRam((9, 9), WRITEMODE_A="THROUGH"), "WRITEMODE"),
    (BlockRam((9, 9), REGMODE_A="INREG"), "REGMODE"),
    (BlockRam((36, 36), REGMODE_B="OUTREG"), "REGMODE"),
    (BlockRam((9, 9), CSDECODE_B="0b001"), "CSDECODE"),
    (BlockRam((9, 9), CLKAMUX="INV"), "CLKMUX"), (BlockRam((9, 9), GSR="ENABLED"), "GSR"),
    (BlockRam((9, 9), INIT_DATA="DYNAMIC"), "INIT_DATA"),
    (DspMultiply((), (0, 0), REG_OUTPUT_CLK="CLK1"), "REG_CLK"),
    (DspMultiply((), (0, 0), REG_PIPELINE_CLK="CLK0"), "REG_PIPELINE_CLK")])
def test_what_has_no_model_is_refused(cell, parameter, bench):
    with pytest.raises(ToolError, match=parameter):
        bench(cell, "xymac.sim.blocks.ecp5.register", "refused", verilog=model)


@pytest.mark.parametrize("pin", ["RSTA", "CSB1", "WEB"])
def test_pin_without_a_model_ends_the_simulation(pin, bench):
    def high(component):
        return model(component).replace(f".{pin}(1'h0)", f".{pin}(1'h1)")

    with pytest.raises(RuntimeError, match="return code: 1"):
        bench(BlockRam((9, 9)), "xymac.sim.blocks.ecp5.block_ram", "refused", verilog=high,
              widths="9,9", mode="NORMAL", registered="-")


def test_memory_after_synthesis(bench):
    bench(XMemory(ways=1, rows=512, vendor="ecp5"), "xymac.sim.blocks.xmem", "xmem_gates",
          verilog=gates, ways=1, rows=512)


@pytest.mark.parametrize(("ways", "rows", "lane"), [(1, 3072, 1), (4, 2560, 15)])
def test_lane_after_synthesis(ways, rows, lane, bench):
    bench(Lane(ways=ways, rows=rows, lane=lane, vendor="ecp5"), "xymac.sim.blocks.lane",
          f"lane_gates_{ways}", verilog=gates, ways=ways, rows=rows, lane=lane)


def test_multiply_after_synthesis(bench):
    bench(Multiply(vendor="ecp5"), "xymac.sim.blocks.multiply", "multiply_gates", verilog=gates)


def test_cell_without_a_model():
    with pytest.raises(ValueError, match=r"^There is no model of the cell EHXPLLL$"):
        cell_models(["LUT4", "EHXPLLL"])


def test_output_stage_after_synthesis(bench):
    bench(OutputStage(vendor="ecp5"), "xymac.sim.blocks.output", "output_gates", verilog=gates)


def test_scale_unit_after_synthesis(bench):
    bench(ScaleUnit(vendor="ecp5"), "xymac.sim.blocks.scale", "scale_gates", verilog=gates)
