# SPDX-License-Identifier: Apache-2.0
"""The tile to the kit."""

from pathlib import Path

import numpy as np

import xymac


class Tile8(xymac.Adapter):
    supports = (xymac.Supports("matmul", "tflm", "int8", {"channels": (8,), "outputs": (8,)}),)
    sources, top = (str(Path(__file__).with_name("tile8.v")),), "tile8"

    async def start(self, dut):
        self.stream = xymac.Stream(dut, self)

    async def matmul(self, dut, case):
        given = case.operands
        await self.stream.send(np.concatenate([given["weights"], given["x"]]))
        return await self.stream.receive(case)
