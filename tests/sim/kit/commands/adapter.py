# SPDX-License-Identifier: Apache-2.0
"""The unit to the kit: four products a command."""

from pathlib import Path

import numpy as np

import xymac

_LOAD, _ADD, _OFFSET, _READ = range(4)
_LANES = 4


class Commands(xymac.Adapter):
    supports = (xymac.Supports("accumulate", "tflm", "int8", {"channels": range(1, 2049)}),)
    sources, top = (str(Path(__file__).with_name("unit.v")),), "unit"
    cycles = 100_000

    async def start(self, dut):
        self.unit = xymac.Handshake(dut, self)

    async def accumulate(self, dut, case):
        given = case.operands
        x, weights, bias = (np.asarray(given[name], np.int64) for name in ("x", "weights", "bias"))
        zero  = given["x_zero"]
        fill  = -x.shape[1] % _LANES
        x, weights = (np.pad(each, ((0, 0), (0, fill))) for each in (x, weights))
        await self._ask(_OFFSET, -zero)
        return np.array([[await self._sum(row, column, start)
                          for column, start in zip(weights, bias, strict=True)]
                         for row in x]).reshape(case.shape)

    async def _sum(self, row, column, start):
        await self._ask(_LOAD, start)
        for place in range(0, len(row), _LANES):
            await self._ask(_ADD, xymac.pack(row[place:place + _LANES], 8),
                            xymac.pack(column[place:place + _LANES], 8))
        return await self._ask(_READ)

    async def _ask(self, function, a=0, b=0):
        return await self.unit.ask("sum", function=function, a=int(a), b=int(b))
