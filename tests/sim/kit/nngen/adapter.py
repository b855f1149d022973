# SPDX-License-Identifier: Apache-2.0
"""A convolution and a fully connected layer of NNgen: operands in memory, a register starts."""

import numpy as np
from nngen_places import PLACES

import xymac


class NNgen(xymac.Adapter):
    supports = (
        xymac.Supports("conv2d", "mli-1", "fx8", {
            "height": (5,), "width": (5,), "channels": (4,), "outputs": (4,),
            "kernel_height": (3,), "kernel_width": (3,), "stride_height": (1,),
            "stride_width": (1,), "padding": (0,), "layout": ("HWC",), "activation": ("none",)}),
        xymac.Supports("fully_connected", "mli-1", "fx8", {"channels": (16,), "outputs": (16,)}))
    sources, top, clock, reset = ("nngen.v",), "nngen", "CLK", "!RESETN"

    async def start(self, dut):
        self.axi = xymac.Axi(dut, self, memory="maxi", registers="saxi")

    async def conv2d(self, dut, case):
        places, given = PLACES[case.operation], case.operands
        bias  = given["bias"].astype(np.int32) << given["bias_shift"]
        shift = np.full(bias.shape, given["shift"], np.int8)
        self.axi.write(places, given | {"bias": bias, "shift": shift})
        await self.axi.run(start=16, busy=20)
        return self.axi.read(places["y"], case)

    fully_connected = conv2d
