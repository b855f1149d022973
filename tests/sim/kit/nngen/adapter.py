"""NNgen to the kit: memory and registers over AXI."""

import json
from pathlib import Path

import numpy as np
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam

from host.kit.device.adapter import Adapter, Supports

PLACES = json.loads((Path(__file__).parent / "addresses.json").read_text())
START, BUSY = 16, 20  # registers


class NNgen(Adapter):
    """Operands go to memory, both layers run, the output of one is read."""

    supports = (
        Supports("conv2d", "mli-1", "fx8", {
            "channels": (4,), "outputs": (4,), "height": (5,), "width": (5,),
            "kernel_height": (3,), "kernel_width": (3,), "stride_height": (1,),
            "stride_width": (1,), "padding": (0,), "layout": ("HWC",), "activation": ("none",)}),
        Supports("fully_connected", "mli-1", "fx8", {"channels": (16,), "outputs": (16,)}))
    sources, top, clock, reset = ("nngen.v",), "nngen", "CLK", "!RESETN"

    async def start(self, dut):
        ends = (dut.CLK, dut.RESETN, False)
        self.ram     = AxiRam(AxiBus.from_prefix(dut, "maxi"), *ends, size=1 << 12)
        self.control = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "saxi"), *ends)

    async def run(self, dut, case, layer, x, y, size):
        a     = case.operands
        bias  = a["bias"].astype(np.int32) << a["bias_shift"]
        shift = np.full(bias.shape, a["shift"], np.int8)
        for name, data in ((x, a["x"]), (f"{layer}_weights", a["weights"]),
                           (f"{layer}_bias", bias), (f"{layer}_shift", shift)):
            self.ram.write(PLACES[name], data.tobytes())
        await self.control.write_dword(START, 1)
        while await self.control.read_dword(BUSY):
            await ClockCycles(dut.CLK, 50)
        return np.frombuffer(self.ram.read(PLACES[y], size), np.int8)

    async def conv2d(self, dut, case):
        return await self.run(dut, case, "conv", "x", "y", 36)

    async def fully_connected(self, dut, case):
        return await self.run(dut, case, "dense", "row", "z", 16)
