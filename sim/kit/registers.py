# SPDX-License-Identifier: Apache-2.0
"""A device under test's registers behind APB or Wishbone."""

from cocotb.triggers import RisingEdge
from cocotbext.axi import ApbBus, ApbMaster

from xymac.host.kit.device.packing import read

from .ports import drive, reset_of

__all__ = ["Apb", "Wishbone"]

_BYTES = 4


class Apb:
    """Registers behind APB; create it in the Adapter's ``start``.

    Parameters
    ----------
    dut : cocotb handle
    adapter : Adapter, which names clock and reset
    prefix : str, port name prefix without the trailing ``_``, as in ``s_apb_paddr``
    """

    def __init__(self, dut, adapter, prefix="s_apb"):
        self._master = ApbMaster(ApbBus.from_prefix(dut, prefix), getattr(dut, adapter.clock),
                                 *reset_of(dut, adapter))

    async def set(self, register, value):
        """Write 32 bits to the register at an address, bytes."""
        await self._master.write(register, (value & 0xFFFFFFFF).to_bytes(_BYTES, "little"))

    async def get(self, register):
        """32-bit value of a register, an int >= 0."""
        response = await self._master.read(register, _BYTES)
        return int.from_bytes(response.data, "little")


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
