# SPDX-License-Identifier: Apache-2.0
"""Devices that add, simulated: right, wrong, and with a fault for every case."""

from pathlib import Path
from time import sleep
from types import MappingProxyType

from cocotb.triggers import ClockCycles, Event

import xymac

__all__ = ["Adder", "FaultyAdder", "SleepyAdder", "WrongAdder"]


class Adder(xymac.Adapter):
    """A device that is right."""

    sources = (str(Path(__file__).with_name("adder.v")),)
    top     = "adder"
    reset   = "!rst_n"
    cycles  = 2000
    supports = (xymac.Supports("add", "mli-1", "fx8"),)

    async def start(self, dut):
        """No end."""
        dut.quit.value = 0

    async def add(self, dut, case):
        """Two elements, and a clock to add them."""
        out = []
        for given in case.elements:
            xymac.drive(dut, a=given["x"], b=given["z"])
            await ClockCycles(dut.clk, 2)
            out.append(xymac.read(dut.q))
        return out


class WrongAdder(Adder):
    """A device that ends at 126."""

    parameters = MappingProxyType({"HIGHEST": 126})


class FaultyAdder(Adder):
    """A device whose first case hangs and whose second one raises; others quit, it may be."""

    supports = (*Adder.supports, xymac.Supports("relu", "mli-1", "fx8"))

    async def add(self, dut, case):
        """A fault, or the sums."""
        number = int(case.name.split()[1])
        if number == 0:
            await Event().wait()
        if number == 1:
            raise RuntimeError("no power")
        if number == 4:
            dut.quit.value = 1
        return await super().add(dut, case)


class SleepyAdder(Adder):
    """A device that never lets the simulation go on."""

    seconds = 0.05

    async def add(self, dut, case):
        """Nothing, for ever."""
        while True:
            sleep(0.01)
