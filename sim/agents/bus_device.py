# SPDX-License-Identifier: Apache-2.0
"""A core behind its AXI4-Lite or AXI4 port in a bench, as a device of the host."""

import cocotb.task
import numpy as np
from cocotb.triggers import RisingEdge, with_timeout
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiMaster, AxiResp

from xymac.host.device.device import MAX_CYCLES, DeviceError
from xymac.host.device.registers import RegisterDevice
from xymac.sim.agents.seed import random_of

__all__ = ["BusDevice"]

_WORD    = 4  # bytes
_PATIENT = 20  # time limit of a word, microseconds: 2000 cycles


class BusDevice(RegisterDevice):
    """A host device whose word transfers go through a cocotbext-axi master.

    Its methods block: call them in a function that ``cocotb.task.bridge`` runs.

    Parameters
    ----------
    config : CoreConfig, the core's
    dut : the simulation's top module, with ``s_axi_*``, ``irq``, ``clk`` and ``rst``
    pauses : int, percent of cycles in which each of the five channels pauses

    Attributes
    ----------
    words : int, transfer count
    """

    def __init__(self, config, dut, pauses=0):
        super().__init__(config)
        self.words = 0
        self._dut = dut
        bus, master = ((AxiBus, AxiMaster) if hasattr(dut, "s_axi_awlen") else
                       (AxiLiteBus, AxiLiteMaster))
        self._bus = master(bus.from_prefix(dut, "s_axi"), dut.clk, dut.rst)
        rng = random_of(51)
        for agent, names in ((self._bus.write_if, ("aw", "w", "b")),
                             (self._bus.read_if, ("ar", "r"))):
            agent.log.setLevel("WARNING")
            for name in names if pauses else ():
                getattr(agent, f"{name}_channel").set_pause_generator(
                    iter(lambda: rng.randrange(100) < pauses, None))

    def run(self, first=0, max_cycles=MAX_CYCLES):
        self.start(first)
        cocotb.task.resume(self._wait)()
        return self.finish(first)

    def close(self):
        """Nothing: the simulation ends with its bench."""

    @property
    def irq(self):
        """Whether the interrupt is raised."""
        return bool(self._dut.irq.value)

    async def _wait(self):
        """Wait for the interrupt."""
        if not self.irq:
            await with_timeout(RisingEdge(self._dut.irq), 100, "ms")

    def _write_words(self, address, words, first_mask=0xF, last_mask=0xF):
        data  = np.asarray(words, "<u4").tobytes()
        start = (first_mask & -first_mask).bit_length() - 1
        end   = len(data) - _WORD + last_mask.bit_length()
        self._check(address, cocotb.task.resume(self._transfer)(
            self._bus.write(address + start, data[start:end]), len(words)))

    def _read_words(self, address, count):
        answer = cocotb.task.resume(self._transfer)(self._bus.read(address, _WORD * count), count)
        self._check(address, answer)
        return np.frombuffer(answer.data, "<u4").astype(np.uint32)

    async def _transfer(self, transfer, words):
        self.words += words
        return await with_timeout(transfer, _PATIENT * words, "us")

    @staticmethod
    def _check(address, answer):
        """Raise DeviceError unless all words were answered by OKAY."""
        if answer.resp != AxiResp.OKAY:
            raise DeviceError(f"The core refused a word from {address:#x} on: {answer.resp.name}")
