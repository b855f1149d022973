"""What a bus master does that runs the instructions of a ROM, on a core that is words alone."""

import numpy as np

from host.network.rom import Opcode
from host.network.standalone import make_standalone
from tests.support.fake.core import FakeCore

__all__ = ["MasterError", "RomMaster", "array_at"]


class MasterError(Exception):
    """The master of the Verilog would end in its state of failure."""


def array_at(ram, entry):
    """Array in the bytes of a RAM, by its entry in ``memory.json``."""
    dtype = np.dtype(entry["type"])
    count = int(np.prod(entry["shape"]))
    return np.frombuffer(ram[entry["address"]:].tobytes(), dtype, count).reshape(entry["shape"])


class RomMaster:
    """A network of a Compiled in the ROM of a master, and its inputs in the RAM.

    Parameters
    ----------
    compiled : Compiled
    inputs : arrays
    config : CoreConfig, of the core

    Attributes
    ----------
    ram : array of uint8
    """

    def __init__(self, compiled, inputs, config):
        self._made = make_standalone(compiled, inputs)
        self._rom  = [word for words, _ in self._made.rom for word in words]
        self._core, self._at = FakeCore(config, busy=0), 0
        self.ram = self._made.ram.view(np.uint8)
        self._go()

    def _go(self):
        """Run to the next pause."""
        while True:
            head   = self._next()
            opcode = Opcode(head >> 28)
            if opcode is Opcode.PAUSE:
                self._at = self._next()
                return
            if opcode is not Opcode.WAIT:
                getattr(self, f"_{opcode.name.lower()}")(head >> 24 & 0xF, head & 0xFFFFFF)

    def run(self):
        """Run once; arrays of the outputs."""
        self._go()
        return [array_at(self.ram, entry) for entry in self._made.description["outputs"]]

    def _next(self):
        self._at += 1
        return self._rom[self._at - 1]

    def _send(self, address, word, strobe):
        if self._core.write(address, word, strobe):
            raise MasterError(f"the core refuses a write of 0x{address:X}")

    def _write(self, strobe, count):
        address = self._next()
        for index in range(count):
            self._send(address + 4 * index, self._next(), strobe)

    def _fill(self, strobe, count):
        address, word = self._next(), self._next()
        for index in range(count):
            self._send(address + 4 * index, word, strobe)

    def _check(self, strobe, count):
        address, mask, value = self._next(), self._next(), self._next()
        if self._core.read(address) & mask != value:
            raise MasterError(f"word 0x{address:X} is 0x{self._core.read(address):X}")

    def _read(self, strobe, count):
        address, place = self._next(), self._next()
        for index in range(count):
            word = self._core.read(address + 4 * index)
            self.ram[place + 4 * index:][:4] = list(word.to_bytes(4, "little"))

    def _scatter(self, strobe, count):
        for _ in range(count):
            address, place = self._next(), self._next()
            item = int.from_bytes(self.ram[place:place + strobe.bit_length()], "little")
            self._send(address & ~3, item << 8 * (address & 3), strobe << (address & 3))

    def _gather(self, strobe, count):
        for _ in range(count):
            address, place = self._next(), self._next()
            word = self._core.read(address & ~3).to_bytes(4, "little")[address & 3:]
            size = strobe.bit_length()
            self.ram[place:place + size] = list(word[:size])
