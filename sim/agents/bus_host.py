# SPDX-License-Identifier: Apache-2.0
"""A bus master as a program sees it: loads and starts the core behind its AXI port."""

from cocotb.triggers import RisingEdge, with_timeout
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiMaster, AxiResp
from cocotbext.axi.axil_channels import AxiLiteAWTransaction, AxiLiteWTransaction

from xymac.hdl.isa import PASS_STRIDE, Control, Region, Register, State, Status, pack_words

from .seed import random_of

__all__ = ["BusHost"]


class BusHost:
    """The core as a program on a bus master sees it; every answer is checked.

    The port is AXI4-Lite, or AXI4 with bursts.
    """

    def __init__(self, dut, pause):
        self.dut = dut
        bus, master = ((AxiBus, AxiMaster) if hasattr(dut, "s_axi_awlen") else
                       (AxiLiteBus, AxiLiteMaster))
        self.bus = master(bus.from_prefix(dut, "s_axi"), dut.clk, dut.rst)
        for agent in (self.bus.write_if, self.bus.read_if):
            agent.log.setLevel("WARNING")
        rng = random_of(31)
        for channel in (self.bus.write_if.aw_channel, self.bus.write_if.w_channel,
                        self.bus.write_if.b_channel, self.bus.read_if.ar_channel,
                        self.bus.read_if.r_channel) if pause else ():
            channel.set_pause_generator(iter(lambda: rng.random() < pause, None))

    async def write(self, address, text):
        """Write bytes, and assert that the core accepted them."""
        answer = await with_timeout(self.bus.write(address, text), 1, "ms")
        assert answer.resp == AxiResp.OKAY, hex(address)

    async def write_nothing(self, addresses):
        """Write words without a byte strobe, which the client itself never does."""
        channels = self.bus.write_if
        for address in addresses:
            await channels.aw_channel.send(AxiLiteAWTransaction(awaddr=address, awprot=0))
            await channels.w_channel.send(AxiLiteWTransaction(wdata=0xFFFF_FFFF, wstrb=0))
            answer = await with_timeout(channels.b_channel.recv(), 1, "ms")
            assert answer.bresp == AxiResp.OKAY, hex(address)

    async def read(self, address, count):
        """Return ``count`` bytes, and assert that the core answered without error."""
        answer = await with_timeout(self.bus.read(address, count), 1, "ms")
        assert answer.resp == AxiResp.OKAY, hex(address)
        return answer.data

    async def set(self, register, value):
        """Write a register."""
        await self.write(register.value, value.to_bytes(4, "little"))

    async def get(self, register):
        """Return a register's value."""
        return int.from_bytes(await self.read(register.value, 4), "little")

    async def load(self, passes):
        """Write passes to program memory, from the first place on."""
        for index, pass_ in enumerate(passes):
            words = b"".join(word.to_bytes(8, "little") for word in pack_words(pass_))
            await self.write(Region.PROGRAM.value + 8 * PASS_STRIDE * index, words)

    async def start(self):
        """Start the program, with its interrupt."""
        await self.set(Register.IRQ_MASK, 1)
        await self.set(Register.CONTROL, Control.START.value)

    async def wait(self):
        """Wait for the interrupt; returns state and status."""
        if not self.dut.irq.value:
            await with_timeout(RisingEdge(self.dut.irq), 100, "us")
        word = await self.get(Register.STATUS)
        return State(word & 0xF), Status(word >> 4 & 0xF)
