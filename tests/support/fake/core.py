# SPDX-License-Identifier: Apache-2.0
"""Cores behind the fake board: words alone, or registers in front of the golden machine."""

from bisect import bisect_right

import numpy as np

from xymac.golden.machine.machine import Machine
from xymac.hdl.config import TINY
from xymac.hdl.isa import (
    COUNTERS,
    PASS_FIELDS,
    PASS_STRIDE,
    PLACES,
    TRACE_STRIDE,
    Access,
    Axis,
    Encoded,
    Pass,
    Reduce,
    Region,
    Register,
    State,
    Table,
    pack_place,
    pack_words,
    unpack_place,
)

__all__ = ["FakeCore", "SparseCore"]


#: Bits of a word that a write leaves as they are, by the mask of its bytes.
_KEPT = [sum(0xFF << 8 * byte for byte in range(4) if not mask >> byte & 1) for mask in range(16)]


class SparseCore:
    """4 MiB of words and nothing else; keeps what was written, in order, and what was read.

    ``refused`` are addresses that it answers with an error.
    """

    def __init__(self, refused=()):
        self.words, self.writes, self.refused = {}, [], set(refused)

    def write(self, address, data, mask):
        """Write the bytes of a word that ``mask`` names; returns whether that was refused."""
        if address in self.refused:
            return True
        self.writes.append((address, data, mask))
        keep = _KEPT[mask]
        self.words[address] = self.words.get(address, 0) & keep | data & ~keep
        return False

    def read(self, address):
        """The word at an address, None if that was refused."""
        return None if address in self.refused else self.words.get(address, 0)


def decoded_pass(words):
    """Inverse of ``pack_words``."""
    fields = Encoded.from_bits(sum(int(word) << 64 * index for index, word in enumerate(words)))

    def access(agu, taps=(0, 0, 0)):
        return Access(agu.start + agu.low, agu.low, agu.low + agu.high, tuple(agu.outer),
                      tuple(taps), agu.mode, agu.move)

    same = [name for name in Encoded.members if name in PASS_FIELDS
            and name not in ("x", "y", "z", "rows", "cols", "outer", "taps", "clip", "advance",
                             "bias_row", "table", "reduce")]
    axes = {name: Axis(fields[name].pad, fields[name].step, fields[name].size)
            for name in ("rows", "cols")}
    return Pass(x=access(fields.x.agu, fields.x.taps), y=access(fields.y.agu, fields.y.taps),
                z=access(fields.z), table=Table(fields.table | fields.own << 3), **axes,
                reduce=Reduce(fields.reduce | fields.ranks << 2),
                bias_row=fields.bias_row if fields.bias else None,
                **{name: tuple(fields[name]) for name in ("outer", "taps", "clip", "advance")},
                **{name: fields[name] for name in same})


_REGIONS = sorted(Region, key=lambda region: region.value)
_STARTS  = [region.value for region in _REGIONS]


class FakeCore:
    """Registers, program and memories of a core; programs run on the golden machine.

    ``busy`` is how often the status register says so after a start, None for ever, or until a stop
    unless ``deaf``; every counter of every pass is 7.
    """

    def __init__(self, config=TINY, busy=3, *, deaf=False):
        self.config, self._busy, self._deaf = config, busy, deaf
        self._machine, self._polls = Machine(config), 0
        self.program  = np.zeros(2 * PASS_STRIDE * config.passes, np.uint32)
        self._outcome = None
        self.registers = {Register(offset): word
                          for offset, word in config.capabilities.words().items()}
        self.starts, self._places = [], {}

    def write(self, address, data, mask):
        """See ``SparseCore``."""
        region = _REGIONS[bisect_right(_STARTS, address) - 1]
        offset = address - region.value
        if region is Region.REGISTERS:
            self._write_register(Register(offset), data, mask)
            return False
        if region is Region.PLACES:
            self._write_place(Table(offset // 4), data, mask)
            return False
        words = self._words(region)
        if words is None or offset // 4 >= len(words):
            return True
        keep = _KEPT[mask]
        words[offset // 4] = int(words[offset // 4]) & keep | data & ~keep
        return False

    def _words(self, region):
        """Words of a memory that can be written, or None."""
        if region is Region.PROGRAM:
            return self.program
        if region is Region.TABLES:
            return self._machine.tables.entries.view(np.uint32)
        cells = {Region.X: self._machine.x, Region.Y: self._machine.y}.get(region)
        return None if cells is None else cells.view(np.uint32)

    def _write_place(self, table, data, mask):
        keep = _KEPT[mask]
        word = self._places.get(table, pack_place(PLACES.get(table))) & keep | data & ~keep
        self._places[table] = word
        self._machine.tables.place(table, unpack_place(word))

    def read(self, address):
        """See ``SparseCore``."""
        region = _REGIONS[bisect_right(_STARTS, address) - 1]
        offset = address - region.value
        if region is Region.REGISTERS:
            return self._read_register(Register(offset))
        if region is Region.TRACE:
            index, word = divmod(offset // 4, TRACE_STRIDE)
            overflow = self._outcome.overflow[index - self.registers[Register.FIRST]]
            return 7 if word < len(COUNTERS) else overflow << 31 | 8
        words = {Region.X: self._machine.x, Region.Y: self._machine.y}[region].view(np.uint32)
        return int(words[offset // 4])

    def _write_register(self, register, data, mask):
        keep = _KEPT[mask]
        data &= ~keep
        self.registers[register] = self.registers.get(register, 0) & keep | data
        if register is Register.CONTROL and data & 2:
            self._outcome = None
        if register is Register.CONTROL and data & 4 and not self._deaf:
            self._outcome = None
        if register is Register.CONTROL and data & 1:
            first = self.registers[Register.FIRST]
            self.starts.append(first)
            self._load(first)
            self._outcome, self._polls = self._machine.run(first), 0

    def _load(self, first):
        for index in range(first, self.config.passes):
            words = self.program[2 * PASS_STRIDE * index:][:2 * PASS_STRIDE].view(np.uint64)
            if not words.any():
                return
            pass_ = decoded_pass(words)
            assert pack_words(pass_) == words.tolist()
            self._machine.load([pass_], index)

    def _read_register(self, register):
        if register.value >= Register.CYCLES.value:
            return 7
        if register is Register.FLAGS:
            return int(self._outcome.flagged)
        if register is not Register.STATUS:
            return self.registers[register]
        if self._outcome is None:
            return State.IDLE.value
        self._polls += 1
        if self._busy is None or self._polls <= self._busy:
            return State.BUSY.value
        end = self._outcome
        return end.state.value | end.status.value << 4 | end.field << 8 | end.pass_index << 16
