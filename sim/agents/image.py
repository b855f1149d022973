# SPDX-License-Identifier: Apache-2.0
"""An image with command lists in a cocotbext-axi memory, and random lists."""

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiBus, AxiResp, AxiSlave

from xymac.golden.machine.commands import HazardError, run_list
from xymac.hdl.isa import Command, Opcode, Region

from .seed import random_of

__all__ = ["BASE", "DATA", "ImageMemory", "assemble", "random_move", "without_hazards"]

BASE = 0x7FC0   #: Address of an image; not aligned to 4 KiB.
DATA = 0x1000   #: Offset of the data in an image; commands lie before it.


class ImageMemory:
    """External memory with an image at ``BASE``, random pauses, and errors at chosen addresses.

    Attributes
    ----------
    bad : set of int, byte offsets in the image that answer with an error
    decode : bool, the error is DECERR, else SLVERR
    written : bool array, written image bytes
    bursts : int, bursts in progress
    """

    def __init__(self, dut, image, *, pause=0.0, seed=0):
        self.image, self.bad, self.size = image, set(), len(image)
        self.written, self.decode = np.zeros(len(image), bool), False
        self.bursts = 0
        cocotb.start_soon(self._watch(dut))
        self._ram = AxiSlave(AxiBus.from_prefix(dut, "m_axi"), dut.clk, dut.bus_reset, target=self)
        rng = random_of(41 + seed)
        for interface, names in ((self._ram.write_if, ("aw", "w", "b")),
                                 (self._ram.read_if, ("ar", "r"))):
            interface.log.setLevel("ERROR")
            for name in names if pause else ():
                channel = getattr(interface, f"{name}_channel")
                channel.set_pause_generator(iter(lambda: rng.random() < pause, None))
        for interface, channel, field in ((self._ram.read_if, "r", "rresp"),
                                          (self._ram.write_if, "b", "bresp")):
            self._mark(getattr(interface, f"{channel}_channel"), field)

    def _mark(self, channel, field):
        """Turn SLVERR into DECERR while ``decode`` is set."""
        send = channel.send

        async def marked(answer):
            if self.decode and getattr(answer, field) == AxiResp.SLVERR:
                setattr(answer, field, AxiResp.DECERR)
            await send(answer)

        channel.send = marked

    async def _watch(self, dut):
        """Count the bursts in flight."""
        while True:
            await RisingEdge(dut.clk)
            if dut.bus_reset.value:
                self.bursts = 0
            self.bursts += bool(dut.m_axi_arvalid.value and dut.m_axi_arready.value)
            self.bursts += bool(dut.m_axi_awvalid.value and dut.m_axi_awready.value)
            self.bursts -= bool(dut.m_axi_bvalid.value and dut.m_axi_bready.value)
            self.bursts -= bool(dut.m_axi_rvalid.value and dut.m_axi_rready.value
                                and dut.m_axi_rlast.value)

    async def read(self, address, length):
        """Answer a read beat; ValueError, which becomes an error response, if it is bad."""
        start = address - BASE
        assert -length < start < self.size, f"a read of {start:#x}, outside the image"
        if self.bad & {*range(start, start + length)}:
            raise ValueError("bad address")
        return self.image[start:start + length].tobytes().ljust(length, b"\0")

    async def write(self, address, data):
        """Take a beat's bytes; ValueError as in ``read``."""
        start = address - BASE
        assert 0 <= start <= start + len(data) <= self.size, f"a write of {start:#x}, outside"
        if self.bad & {*range(start, start + len(data))}:
            raise ValueError("bad address")
        self.image[start:start + len(data)] = np.frombuffer(bytes(data), np.uint8)
        self.written[start:start + len(data)] = True


def assemble(commands, size, rng, *, first=0):
    """Image of ``size`` bytes: the commands and an END from ``first`` on, noise from ``DATA`` on.

    A command is a ``Command`` or a word list.
    """
    words = [command.encode() if isinstance(command, Command) else command for command in commands]
    words += [Command(Opcode.END).encode()]
    assert first + 32 * len(words) <= DATA
    image = np.zeros(size, np.uint8)
    image[DATA:] = np.frombuffer(rng.randbytes(size - DATA), np.uint8)
    image[first:first + 32 * len(words)] = np.array(words, "<u4").reshape(-1).view(np.uint8)
    return image


def _start(rng, low, high, size, rows, stride):
    """Random start for ``rows`` rows of ``size`` bytes in ``low .. high - 1``, or None."""
    reach = (rows - 1) * stride
    low, high = low - min(reach, 0), high - size - max(reach, 0)
    return rng.randint(low, high) if low <= high else None


def random_move(rng, config, image_size, regions):
    """A legal transfer without waits; a LOAD or a FILL writes one of ``regions``.

    ``regions`` maps a Region to the usable offsets (low, high) in it.
    """
    while True:
        opcode = rng.choice([Opcode.LOAD, Opcode.LOAD, Opcode.STORE, Opcode.FILL])
        region = Region.X if opcode is Opcode.STORE else rng.choice([*regions])
        narrow = region is Region.X and rng.random() < 0.5
        unit   = 1 if narrow else 2 if region in (Region.X, Region.Y) else 4
        size   = unit * rng.choice([1, 2, 3, rng.randint(1, 20), rng.randint(1, 300)])
        rows   = rng.choice([1, 1, 2, rng.randint(1, 9)])
        stride = rng.choice([size, size, rng.randint(-400, 400), 0, size + 1])
        apart  = unit * rng.randint(-300, 300)
        core   = _start(rng, *(place // unit for place in regions[region]), size // unit, rows,
                        apart // unit)
        offset = _start(rng, DATA, image_size, size, rows, stride)
        if core is None or offset is None:
            continue
        if opcode is Opcode.FILL:
            offset = rng.randrange(1 << 32)
        return Command(opcode, 0, 0, offset, region.value + unit * core, size, rows, stride, apart,
                       narrow)


def without_hazards(commands, image_of, machine_of):
    """``commands`` with more waits where the machine refuses them.

    ``image_of(commands)`` and ``machine_of()`` make a fresh image and Machine; returns the
    commands, the image and machine after their run, and the ListOutcome.
    """
    commands = list(commands)
    while True:
        image, machine = image_of(commands), machine_of()
        try:
            return commands, image, machine, run_list(machine, image)
        except HazardError as error:
            before = commands[:error.entry]
            runs   = sum(command.opcode is Opcode.RUN for command in before)
            words  = commands[error.entry]
            commands[error.entry] = Command(
                words.opcode, runs, len(before) - runs, words.offset, words.core, words.row_bytes,
                words.rows, words.stride, words.core_stride, words.narrow)
