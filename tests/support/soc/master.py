# SPDX-License-Identifier: Apache-2.0
"""What a bus master does that runs the instructions of a ROM, on a core that is words alone."""

import numpy as np

from xymac.host.network.rom import MasterOpcode

__all__ = ["MasterError", "RomMaster", "array_at"]


class MasterError(Exception):
    """The master of the Verilog would end in its state of failure."""


def array_at(ram, entry):
    """Array in the bytes of a RAM, by its entry in ``memory.json``."""
    dtype = np.dtype(entry["type"])
    count = int(np.prod(entry["shape"]))
    return np.frombuffer(ram[entry["address"]:].tobytes(), dtype, count).reshape(entry["shape"])


class RomMaster:
    """The master of ``boards/soc`` and its memories; WAIT takes no time.

    Parameters
    ----------
    standalone : Standalone, what ROM and RAM hold
    core : FakeCore or SparseCore

    Attributes
    ----------
    ram : array of uint8
    """

    def __init__(self, standalone, core):
        self._rom = [word for words, _ in standalone.rom for word in words]
        self._description = standalone.description
        self._core, self._at = core, 0
        self.ram = standalone.ram.view(np.uint8).copy()
        self.go()

    def go(self):
        """Run to the next pause."""
        while True:
            head   = self._next()
            opcode = MasterOpcode(head >> 28)
            if opcode is MasterOpcode.PAUSE:
                self._at = self._next()
                return
            if opcode is not MasterOpcode.WAIT:
                getattr(self, f"_{opcode.name.lower()}")(head >> 24 & 0xF, head & 0xFFFFFF)

    def run(self):
        """Go on once; arrays of the outputs."""
        self.go()
        return [array_at(self.ram, entry) for entry in self._description["outputs"]]

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

    def _scatter(self, strobe, count, inverted=0):
        for _ in range(count):
            address, place = self._next(), self._next()
            item = int.from_bytes(self.ram[place:place + strobe.bit_length()], "little") ^ inverted
            self._send(address & ~3, item << 8 * (address & 3), strobe << (address & 3))

    def _gather(self, strobe, count, inverted=0):
        for _ in range(count):
            address, place = self._next(), self._next()
            word = (self._core.read(address & ~3) >> 8 * (address & 3) ^ inverted).to_bytes(
                4, "little")
            size = strobe.bit_length()
            self.ram[place:place + size] = list(word[:size])

    def _scatterx(self, strobe, count):
        self._scatter(strobe, count, 1 << 8 * strobe.bit_length() - 1)

    def _gatherx(self, strobe, count):
        self._gather(strobe, count, 1 << 8 * strobe.bit_length() - 1)
