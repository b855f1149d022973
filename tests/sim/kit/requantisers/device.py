"""The requantisers to the kit; each has a file of its own that says which one it is."""

import numpy as np
from cocotb.triggers import FallingEdge

from host.kit.device.adapter import Adapter, Supports

__all__ = ["Requantiser"]


class Requantiser(Adapter):
    """Sums one a clock, results a clock later."""

    supports = (Supports("requantise", "tflm", "int8", {"shift": range(-31, 1)}),)
    sources  = ("operands.v", "right.v", "cut_shift.v", "half_up.v", "clip_first.sv",
                "short_multiplier.sv", "wrap24.v", "top.v")
    top      = "requantisers"
    reset    = ""
    which    = 0

    async def requantise(self, dut, case):
        """Results of all sums, channel by channel."""
        asked = case.operands
        dut.which.value, dut.zero.value = self.which, asked["out_zero"]
        dut.low.value, dut.high.value   = asked["low"], asked["high"]
        out = np.zeros(asked["acc"].shape, np.int8)
        for channel in range(out.shape[-1]):
            place = channel % len(asked["multiplier"])
            dut.multiplier.value = asked["multiplier"][place]
            dut.shift.value      = -asked["shift"][place]
            for row, acc in enumerate(asked["acc"][:, channel].tolist()):
                dut.acc.value = acc
                await FallingEdge(dut.clk)
                out[row, channel] = dut.q.value.to_signed()
        return out
