# SPDX-License-Identifier: Apache-2.0
"""The requantisers to the kit; each has a file of its own that says which one it is."""

from cocotb.triggers import FallingEdge

import xymac


class Requantiser(xymac.Adapter):
    supports = (xymac.Supports("requantise", "tflm", "int8", {"shift": range(-31, 1)}),)
    sources  = ("operands.v", "right.v", "cut_shift.v", "half_up.v", "clip_first.sv",
                "short_multiplier.sv", "wrap24.v", "top.v")
    top, reset = "requantisers", ""

    async def requantise(self, dut, case):
        out = []
        await FallingEdge(dut.clk)  # so that a rising edge follows the first operands, too
        for given in case.elements:
            xymac.drive(dut, which=self.which, **given | {"shift": -given["shift"]})
            await FallingEdge(dut.clk)
            out.append(xymac.read(dut.q))
        return out
