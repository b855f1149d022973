# SPDX-License-Identifier: Apache-2.0
"""X memory: lane slices, read by vector for all lanes or by lane, written by column."""

from amaranth import Cat, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import delay
from xymac.hdl.carry import SelectAdd
from xymac.hdl.isa import BANKS
from xymac.hdl.limits import check_rows, check_vendor, check_ways

__all__ = ["Write", "XMemory", "XRead", "word_memory"]

#: A read of X: all lane banks receive the vector at ``address``; with ``lanes`` bank ``b`` receives
#: the vector at ``address + b``, with ``crossed`` at ``address ^ b``. ``zero`` is subtracted from
#: each element. With ``one`` all elements are 1.
XRead = data.StructLayout({
    "address": unsigned(17), "wide": 1, "zero": signed(16), "lanes": 1, "crossed": 1, "one": 1})


def Write(ways):
    """Layout of a row write in X or Y: its banks, columns, bytes and MAC."""
    return data.StructLayout({
        "host": 1, "x": 1, "y": 1, "row": unsigned(12), "bytes": unsigned(2), "way": unsigned(ways),
        "bank": unsigned(BANKS), "column": unsigned(ways)})


def word_memory(*, width, depth):
    """Block RAM with byte writes; reading a word during its write is undefined."""
    return Memory(shape=width, depth=depth, init=[], attrs={"no_rw_check": 1})


class XMemory(wiring.Component):
    """Slices of X, a slice per lane: bank ``b``, column ``c`` is lane ``b * ways + c``.

    A read fetches a row from each bank; ``o[b]`` is the vector for lane bank ``b``, see ``XRead``.
    8-bit elements are sign-extended; every element minus ``zero`` must fit 16 bits.
    Latency ``LATENCY`` cycles from ``read`` to ``o``, ``PLAIN`` cycles to ``elements``; throughput
    1 read and 1 write per cycle, no backpressure.

    Parameters
    ----------
    ways : int, lane columns: 1, 2 or 4
    rows : int, 16-bit words in a lane's slice, 2 .. 4096
    vendor : None or "ecp5", see ``carry.SelectAdd``; ValueError otherwise

    TypeError unless an int, ValueError out of range.

    Members
    -------
    read : In(XRead), every cycle
    o : Out(BANKS arrays of ``ways`` signed(16))
    elements : Out(``BANKS * ways`` signed(16)), the element read from each slice
    write : In(``ways`` Write), for each lane column
    data : In(``ways`` 16-bit words); an 8-bit element fills both bytes
    """

    LATENCY = 5
    PLAIN   = 4

    def __init__(self, *, ways, rows, vendor=None):
        self._ways, self._vendor = check_ways(ways), check_vendor(vendor)
        self._rows = check_rows("X", rows)
        super().__init__({
            "read": In(XRead),
            "o": Out(data.ArrayLayout(data.ArrayLayout(signed(16), ways), BANKS)),
            "elements": Out(data.ArrayLayout(signed(16), BANKS * ways)),
            "write": In(data.ArrayLayout(Write(ways), ways)),
            "data": In(data.ArrayLayout(16, ways))})

    def elaborate(self, platform):
        m = Module()
        read = self.read
        # Stages 2 to 4: block RAM, its register, the selected byte minus the zero point.
        rows, uppers = self._rows_of(m)
        wide  = delay(m, read.wide, 3, name="wide")
        zero  = delay(m, read.zero, 3, name="zero")
        for lane in range(BANKS * self._ways):
            bank, column = divmod(lane, self._ways)
            raw  = self._slice(m, lane, rows[bank], column)
            sign = Mux(uppers[bank], raw[15], raw[7])
            m.submodules[f"less_{lane}"] = add = SelectAdd(
                width=16, subtract=1, vendor=self._vendor)
            element = Signal(signed(16), name=f"element{lane}", reset_less=True)
            m.d.comb += [
                add.term.eq(zero), add.high.eq(Cat(raw[8:], raw[8:])),
                add.low.eq(Cat(raw[:8], sign.replicate(8))),
                add.select.eq(Cat(uppers[bank].replicate(8), wide.replicate(8))),
                self.elements[lane].eq(element)]
            m.d.sync += element.eq(add.o)
        self._turn(m)
        return m

    def _rows_of(self, m):
        """Stage 1: row and upper-byte select for each bank, timed for their use.

        In a read by ``lanes``, banks below the first bank hold a vector of the next row.
        """
        read = self.read
        bank, index = read.address[:2], read.address[2:]
        width = range(self._rows)
        here, behind = Signal(width, name="here"), Signal(width, name="behind")
        m.d.comb += [here.eq(Mux(read.wide, index, index >> 1)), behind.eq(here + 1)]
        rows, uppers = [], []
        for b in range(BANKS):
            row, upper = Signal(width, name=f"row{b}"), Signal(name=f"upper{b}", reset_less=True)
            later = (b < bank) & read.lanes
            m.d.sync += [row.eq(Mux(later & (read.wide | index[0]), behind, here)),
                         upper.eq((index[0] ^ later) & ~read.wide)]
            rows.append(row)
            uppers.append(delay(m, upper, 2, name=f"upper{b}"))
        return rows, uppers

    def _turn(self, m):
        """Stage 5: rotate the vectors into the lane banks.

        Two 2:1 multiplexers per bank: an even bank selects bank 0 or 2, an odd bank 1 or 3; then
        bank ``b`` takes this choice or its neighbour's. Bank 1 has neighbour 2, bank 3 has
        neighbour 0. For a crossed read whose first bank is odd, banks 0 and 2 swap their choices.
        """
        first, lanes, crossed = (delay(m, value, 3, name=name) for name, value in (
            ("first", self.read.address[:2]), ("lanes", self.read.lanes),
            ("crossed", self.read.crossed)))
        one = delay(m, self.read.one, 4, name="one")
        odd, upper = first
        same = ~lanes & ~crossed  # the same vector for all banks
        halves = Signal(BANKS, reset_less=True)
        other = Signal(BANKS, reset_less=True)
        m.d.sync += [
            halves.eq(Cat(upper ^ (crossed & odd), upper, upper ^ (lanes | (crossed & ~odd)),
                          upper ^ ~same)),
            other.eq(Cat(odd, odd ^ same, odd, odd ^ same))]
        for column in range(self._ways):
            element = [self.elements[bank * self._ways + column] for bank in range(BANKS)]
            chosen  = [Mux(halves[b], element[2 + b % 2], element[b % 2]) for b in range(BANKS)]
            for b, neighbour in enumerate((1, 2, 3, 0)):
                m.d.sync += self.o[b][column].eq(
                    Mux(one, 1, Mux(other[b], chosen[neighbour], chosen[b])))

    def _slice(self, m, lane, row, column):
        """A lane's slice of memory; returns its registered output."""
        m.submodules[f"x_{lane}"] = memory = word_memory(width=16, depth=self._rows)
        reader = memory.read_port()
        writer = memory.write_port(granularity=8)
        write  = self.write[column]
        raw    = Signal(16, name=f"raw{lane}", reset_less=True)
        m.d.comb += [
            reader.addr.eq(row), reader.en.eq(1),
            writer.addr.eq(write.row), writer.data.eq(self.data[column]),
            writer.en.eq(Mux(write.x & write.bank[lane // self._ways] & write.column[column],
                             write.bytes, 0)),
        ]
        m.d.sync += raw.eq(reader.data)
        return raw
