# SPDX-License-Identifier: Apache-2.0
"""Commands and responses for a device under test with valid and ready."""

from cocotb.triggers import RisingEdge

from xymac.host.kit.device.packing import read

from .ports import drive

__all__ = ["Handshake"]


class Handshake:
    """A port for commands and a port for responses, each with valid and ready; create it in the
    Adapter's ``start``.

    Parameters
    ----------
    dut : cocotb handle
    adapter : Adapter, which names the clock
    to, back : str, port name prefixes without the trailing ``_``; ``<to>_valid``, ``<to>_ready``
        and the payload ``<to>_<name>``
    """

    def __init__(self, dut, adapter, *, to="cmd", back="rsp"):
        self._dut, self._to, self._back = dut, to, back
        self._clock = getattr(dut, adapter.clock)
        drive(dut, **{f"{to}_valid": 0, f"{back}_ready": 0})

    async def send(self, **payload):
        """Send a command; ends after the clock edge at which the device takes it."""
        drive(self._dut, **{f"{self._to}_{name}": value for name, value in payload.items()})
        await self._agree(f"{self._to}_valid", f"{self._to}_ready")

    async def receive(self, name, *, signed=True):
        """The payload ``name`` in the next response, an int; UnknownBitsError for x or z."""
        return await self._agree(f"{self._back}_ready", f"{self._back}_valid",
                                 lambda: read(getattr(self._dut, f"{self._back}_{name}"),
                                              signed=signed))

    async def ask(self, name, *, signed=True, **payload):
        """Send a command; returns the payload ``name`` in its response."""
        await self.send(**payload)
        return await self.receive(name, signed=signed)

    async def _agree(self, own, other, take=None):
        """Hold the port ``own`` at 1 until a clock edge at which ``other`` is 1."""
        drive(self._dut, **{own: 1})
        while True:
            await RisingEdge(self._clock)
            if read(getattr(self._dut, other)):
                taken = take() if take else None
                break
        drive(self._dut, **{own: 0})
        return taken
