# SPDX-License-Identifier: Apache-2.0
"""Both adders to the kit, one element after the other; every second one by the other port."""

from pathlib import Path

import xymac


class Adders(xymac.Adapter):
    supports = (xymac.Supports("add", "mli-1", "fx8"),)
    sources, top = (str(Path(__file__).with_name("adders.v")),), "adders"

    async def start(self, dut):
        self.ports = (xymac.Apb(dut, self),
                      xymac.Wishbone(dut, self, names={"dat_w": "dat_i", "dat_r": "dat_o"}))

    async def add(self, dut, case):
        out = []
        for place, given in enumerate(case.elements):
            port = self.ports[place % 2]
            await port.set(0, given["x"])
            await port.set(4, given["z"])
            value = await port.get(8)
            out.append(value - (value >> 31 << 32))
        return out
