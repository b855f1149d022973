# SPDX-License-Identifier: Apache-2.0
"""AXI4 memory and AXI4-Lite register access for a device under test."""

import numpy as np
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam

from .ports import bus_of, reset_of

__all__ = ["Axi"]

_PAUSE = 16  #: Clocks between two looks at a register.


class Axi:
    """The memory beside a device under test, and its registers; create it in the Adapter's
    ``start``.

    A device reset resets both, and the memory keeps its content.

    Parameters
    ----------
    dut : cocotb handle
    adapter : Adapter, which names clock and reset
    memory, registers : str, port name prefixes without the trailing ``_``; "" if the device has
        none
    size : int, memory bytes
    """

    def __init__(self, dut, adapter, *, memory="m_axi", registers="s_axi", size=1 << 20):
        self._clock = getattr(dut, adapter.clock)
        ends = self._clock, *reset_of(dut, adapter)
        self._memory    = memory and AxiRam(bus_of(AxiBus, dut, memory), *ends, size=size)
        self._registers = registers and AxiLiteMaster(bus_of(AxiLiteBus, dut, registers), *ends)

    def write(self, places, arrays):
        """Write arrays to memory in their own types.

        Parameters
        ----------
        places : {name: address}, bytes
        arrays : {name: numpy array}; arrays without an address are skipped
        """
        for name, place in places.items():
            if name in arrays:
                self._memory.write(place, np.ascontiguousarray(arrays[name]).tobytes())

    def read(self, place, case):
        """A Case's result at an address: an array with its type and shape."""
        size = int(np.prod(case.shape)) * case.dtype.itemsize
        return np.frombuffer(self._memory.read(place, size), case.dtype).reshape(case.shape)

    async def set(self, register, value):
        """Write 32 bits to the register at an address, bytes."""
        await self._registers.write_dword(register, value)

    async def get(self, register):
        """A register's 32-bit value, an int >= 0."""
        return await self._registers.read_dword(register)

    async def run(self, start, busy, *, mask=0xFFFFFFFF, done=0):
        """Write 1 to the register ``start``, then wait until the bits of ``mask`` in the register
        ``busy`` are ``done``."""
        await self.set(start, 1)
        while await self.get(busy) & mask != done:
            await ClockCycles(self._clock, _PAUSE)
