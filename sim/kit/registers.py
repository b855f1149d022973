# SPDX-License-Identifier: Apache-2.0
"""A device under test's registers behind APB or Wishbone."""

from cocotb.triggers import RisingEdge

from xymac.host.kit.device.packing import read

from .ports import drive

__all__ = ["Apb", "Wishbone"]

_BYTES = 4


class Apb:
    """Registers behind APB; create it in the Adapter's ``start``.

    Parameters
    ----------
    dut : cocotb handle
    adapter : Adapter, which names the clock
    prefix : str, port name prefix without the trailing ``_``, as in ``s_apb_paddr``; the ports
        pready, pslverr, pstrb and pprot may be missing
    """

    def __init__(self, dut, adapter, prefix="s_apb"):
        self._clock  = getattr(dut, adapter.clock)
        self._dut    = dut
        self._prefix = prefix
        self._drive(paddr=0, psel=0, penable=0, pwrite=0, pwdata=0)
        for name, value in (("pstrb", (1 << _BYTES) - 1), ("pprot", 0)):
            if hasattr(dut, f"{prefix}_{name}"):
                self._drive(**{name: value})

    async def set(self, register, value):
        """Write 32 bits to the register at an address, bytes; OSError if the device refuses."""
        self._drive(paddr=register, pwrite=1, pwdata=value & 0xFFFFFFFF)
        await self._transfer(register, "pready")

    async def get(self, register):
        """32-bit value of a register, an int >= 0; OSError if the device refuses."""
        self._drive(paddr=register, pwrite=0)
        return await self._transfer(register, "prdata")

    async def _transfer(self, register, name):
        """The two phases; returns what is on the port ``name`` at their end."""
        self._drive(psel=1)
        await RisingEdge(self._clock)
        self._drive(penable=1)
        await RisingEdge(self._clock)
        while not self._read("pready", 1):
            await RisingEdge(self._clock)
        self._drive(psel=0, penable=0)
        if self._read("pslverr", 0):
            raise OSError(f"{self._prefix}_pslverr is 1 at register {register}")
        return self._read(name, 1)

    def _drive(self, **values):
        drive(self._dut, **{f"{self._prefix}_{name}": value for name, value in values.items()})

    def _read(self, name, missing):
        port = getattr(self._dut, f"{self._prefix}_{name}", None)
        return missing if port is None else read(port, signed=False)


class Wishbone:
    """Registers behind a classic Wishbone port; create it in the Adapter's ``start``.

    Parameters
    ----------
    dut : cocotb handle
    adapter : Adapter, which names the clock
    prefix : str, port name prefix without the trailing ``_``, as in ``wb_cyc``
    names : {signal: port name without its prefix} for ports not called cyc, stb, we, adr,
        sel, dat_w, dat_r or ack; sel may be missing
    """

    def __init__(self, dut, adapter, prefix="wb", names=None):
        self._clock = getattr(dut, adapter.clock)
        self._dut   = dut
        self._names = {name: f"{prefix}_{(names or {}).get(name, name)}" for name in (
            "cyc", "stb", "we", "adr", "sel", "dat_w", "dat_r", "ack")}
        self._drive(cyc=0, stb=0, we=0)

    async def set(self, register, value):
        """Write 32 bits to the register at an address, in the port's units."""
        self._drive(dat_w=value & 0xFFFFFFFF)
        await self._cycle(register, we=1)

    async def get(self, register):
        """A register's 32-bit value, an int >= 0; UnknownBitsError for x or z."""
        return await self._cycle(register, we=0)

    async def _cycle(self, register, *, we):
        self._drive(cyc=1, stb=1, we=we, adr=register)
        if hasattr(self._dut, self._names["sel"]):
            self._drive(sel=(1 << _BYTES) - 1)
        while True:
            await RisingEdge(self._clock)
            if read(getattr(self._dut, self._names["ack"])):
                break
        value = None if we else read(getattr(self._dut, self._names["dat_r"]), signed=False)
        self._drive(cyc=0, stb=0, we=0)
        await RisingEdge(self._clock)
        return value

    def _drive(self, **values):
        drive(self._dut, **{self._names[name]: value for name, value in values.items()})
