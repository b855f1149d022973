# SPDX-License-Identifier: Apache-2.0
"""Loader: program memory, and the pass that all blocks load."""

from amaranth import Cat, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from xymac.hdl.arith import delay
from xymac.hdl.config import SLOTS, words_at_once
from xymac.hdl.core.xmem import word_memory
from xymac.hdl.isa import (
    ADDRESS_BITS,
    PASS_STRIDE,
    PASS_WORDS,
    PLACES,
    Encoded,
    Move,
    Place,
    Table,
    pack_place,
    table_of,
)
from xymac.hdl.limits import check_passes, check_slots

from .checker import Checker
from .scan import Rows

__all__ = ["Loader", "Moves", "PlaceWrite", "ProgramWrite", "Starts"]

_WORD     = 64
_WORDS    = data.ArrayLayout(_WORD, PASS_WORDS)
_RELATIVE = signed(ADDRESS_BITS)

#: Both moves of a loop in the current iteration.
Moves = data.ArrayLayout(_RELATIVE, 2)
#: Start addresses of X, Y and Z of a pass, moves included.
Starts = data.ArrayLayout(_RELATIVE, 3)
#: A write to the place of a table, with byte strobes.
PlaceWrite = data.StructLayout({"table": Table, "place": Place, "enable": 4})


def ProgramWrite(passes):
    """Layout of a write to program memory: a 64-bit word with byte strobes."""
    return data.StructLayout({"address": range(passes * PASS_STRIDE), "data": _WORD, "mask": 8})


class Loader(wiring.Component):
    """Load a pass line by line, look up its table, and check the pass.

    Program memory is as wide as its block RAMs: a line has 1, 2 or 4 words. Every block stores its
    fields of the pass in the slot marked by ``loading``. Latency
    ``cycles`` cycles from ``load`` to ``loaded``, throughput 1 pass in ``cycles`` cycles, no
    backpressure.

    Parameters
    ----------
    passes : int, capacity of program memory, a power of two from 2 to 256
    ways : int, MACs per lane: 1, 2 or 4
    x_rows, y_rows : int, rows of X and of Y memory, 2 .. 4096
    slots : int, physical slots, 2 or 4; higher slot numbers mirror them
    functions : int, value of ``Register.FUNCTIONS``
    vendor : None or "ecp5", see ``Scan``

    TypeError unless an int, ValueError otherwise.

    Members
    -------
    write, write_enable : In, write to program memory; place : In(PlaceWrite), write to a table
        place
    load : In(1), held until ``loaded``; number : In(pass number), slot : In(slot), stable meanwhile
    moves : In(Moves), stable meanwhile; again : In(1), not the first iteration, so moves apply
    flush : In(1), abort the load
    loaded : Out(1), the last cycle of ``load``; the outputs below are valid in the next cycle
    pass_ : Out(Encoded); status : Out(Status), field : Out(4), result of the checker
    moved : Out(Starts), a cycle after ``pass_``
    found : Out(Place), the place of the table of ``pass_``, a cycle after it
    rows : Out(Rows), turn : Out(4), windows of the pass; the last window follows two cycles after
        ``loaded``
    loading : Out(``SLOTS``), mask of ``slot``, from the second cycle of ``load`` to the cycle after
        it
    """

    def __init__(self, *, passes, ways, x_rows, y_rows, slots, functions,
                 vendor=None):
        self._passes, self._count = check_passes(passes), check_slots(slots)
        self._line  = words_at_once(passes)
        self._lines = PASS_WORDS // self._line  # of a pass
        self.cycles = self._lines + 2 + Checker.LATENCY
        self._checker = Checker(ways=ways, x_rows=x_rows, y_rows=y_rows, functions=functions,
                                vendor=vendor)
        super().__init__({
            "write": In(ProgramWrite(passes)), "write_enable": In(1), "place": In(PlaceWrite),
            "load": In(1), "flush": In(1), "number": In(unsigned(exact_log2(passes) + 1)),
            "slot": In(range(slots)), "moves": In(Moves), "again": In(1), "loaded": Out(1),
            "pass_": Out(Encoded), "status": Out(self._checker.status.shape()), "field": Out(4),
            "moved": Out(Starts), "rows": Out(Rows), "turn": Out(4), "found": Out(Place),
            "loading": Out(SLOTS)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.checker = checker = self._checker
        count = Signal(range(self.cycles))
        place = Signal(self._lines)
        m.d.comb += [self.loaded.eq(count == self.cycles - 1), checker.pass_.eq(self.pass_),
                     checker.begin.eq(place[self._lines - Checker.AHEAD]),
                     self.status.eq(checker.status), self.field.eq(checker.field),
                     self.rows.eq(checker.rows), self.turn.eq(checker.turn)]
        m.d.sync += [count.eq(Mux(self.load, count + 1, 0)),
                     place.eq(Mux(self.flush, 0, Cat(self.load & (count == 1), place)))]
        loaded = Signal(_WORDS, reset_less=True)
        m.d.comb += self.pass_.eq(loaded.as_value()[:Encoded.size])
        lines, width = self._read(m, count), self._line * _WORD
        for at in range(self._lines):
            with m.If(place[at]):
                m.d.sync += loaded.as_value().word_select(at, width).eq(lines[at % len(lines)])
        self._move(m, place, loaded, lines)
        self._find(m)
        return m

    def _read(self, m, count):
        """Read line ``count`` into copies of a register, two cycles later.

        Each bit of a copy drives at most 8 ends. The copies have different initial values, so
        synthesis cannot merge them.
        """
        words = self._line
        m.submodules.program = memory = word_memory(
            width=words * _WORD, depth=self._passes * self._lines)
        reader, writer = memory.read_port(), memory.write_port(granularity=8)
        lines = [Signal(words * _WORD, init=init, reset_less=True, name=f"line{copy}")
                 for copy, init in enumerate((0, (1 << _WORD) - 1)[:2 // words or 1])]
        mask, bits = Mux(self.write_enable, self.write.mask, 0), exact_log2(words)
        word = self.write.address[:bits]
        m.d.comb += [reader.addr.eq(Cat(count[:exact_log2(self._lines)], self.number)),
                     reader.en.eq(1), writer.addr.eq(self.write.address >> bits),
                     writer.data.eq(self.write.data.replicate(words)),
                     writer.en.eq(Cat(Mux(word == at, mask, 0) for at in range(words)))]
        m.d.sync += [line.eq(reader.data) for line in lines]
        return lines

    def _find(self, m):
        """Look up the table place of the pass being loaded."""
        init = [pack_place(PLACES.get(table)) for table in Table]
        m.submodules.tables = memory = Memory(
            shape=Place.size, depth=len(Table), init=init, attrs={"ram_style": "distributed"})
        reader, writer = memory.read_port(domain="comb"), memory.write_port(granularity=8)
        found = Signal(Place, reset_less=True)
        m.d.comb += [reader.addr.eq(table_of(self.pass_)), self._checker.place.eq(found),
                     self.found.eq(found), writer.addr.eq(self.place.table),
                     writer.data.eq(self.place.place), writer.en.eq(self.place.enable)]
        m.d.sync += found.eq(reader.data)

    def _move(self, m, place, loaded, lines):
        """Add the moves to the start addresses, and mark the slot being loaded.

        X, Y and Z share an adder in turn, as in ``Scan``; Z follows the last line. The addends are
        registered in the cycle before, when the line that holds them may just arrive.
        """
        start = Signal(_RELATIVE, name="start", reset_less=True)
        first, second = (Signal(name=name, reset_less=True) for name in ("first", "second"))
        for at, find in enumerate((lambda pass_: pass_.x.agu, lambda pass_: pass_.y.agu,
                                   lambda pass_: pass_.z), self._lines - 3):
            access = find(self._arriving(loaded, lines, at))
            with m.If(place[at]):
                m.d.sync += [start.eq(access.start),
                             first.eq(self.again & (access.move == Move.FIRST)),
                             second.eq(self.again & (access.move == Move.SECOND))]
        moved = start + Mux(first, self.moves[0], Mux(second, self.moves[1], 0))
        turns = [place[-2], place[-1], delay(m, place[-1], 1, name="turn_z")]
        for moves, value in zip(turns, self.moved, strict=True):
            with m.If(moves):
                m.d.sync += value.eq(moved)
        for index in range(self._count):
            m.d.sync += self.loading[index].eq(self.load & (self.slot == index))

    def _arriving(self, loaded, lines, at):
        """The pass in the cycle in which its line ``at`` arrives, without later lines."""
        end = (at + 1) * self._line * _WORD
        bits = Cat(loaded.as_value()[:at * self._line * _WORD], lines[at % len(lines)])
        return data.View(Encoded, Cat(bits, loaded.as_value()[end:])[:Encoded.size])
