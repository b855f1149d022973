"""X memory: lane slices, read by group for all lanes or by lane, written by column."""

from amaranth import Cat, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.arith import delay
from hdl.isa import BANKS
from hdl.limits import check_rows, check_ways

__all__ = ["Write", "XMemory", "XRead", "cell_memory"]

#: A read of X: ``address`` is that of the group for all banks of lanes; with ``lanes`` the next
#: banks have the groups behind it, ``crossed`` bank ``b`` that at ``address ^ b``. ``zero`` is
#: taken off each element.
XRead = data.StructLayout({
    "address": unsigned(17), "wide": 1, "zero": signed(16), "lanes": 1, "crossed": 1})


def Write(ways):
    """Layout of a write to one row, in X or Y: which banks, columns, bytes and way take it."""
    return data.StructLayout({
        "host": 1, "x": 1, "y": 1, "row": unsigned(12), "bytes": unsigned(2), "way": unsigned(ways),
        "bank": unsigned(BANKS), "column": unsigned(ways)})


def cell_memory(*, width, depth):
    """Block RAM of ``depth`` words with byte writes; reading while writing a word is undefined."""
    return Memory(shape=width, depth=depth, init=[], attrs={"no_rw_check": 1})


class XMemory(wiring.Component):
    """Slices of X, one a lane: bank ``b``, column ``c`` is lane ``b * ways + c``.

    A read takes a row of each bank; ``o[b]`` is the group for bank ``b`` of the lanes, see
    ``XRead``. 8-bit elements come sign-extended, those less ``zero`` fit 16 bits. Latency
    ``LATENCY`` cycles from ``read`` to ``o``, ``PLAIN`` to ``elements``, throughput 1 read and 1
    write a cycle, no backpressure.

    Parameters
    ----------
    ways : int, columns of lanes: 1, 2 or 4
    rows : int, cells of a lane's slice, 2 .. 4096

    TypeError for what is no int, ValueError outside.

    Members
    -------
    read : In(XRead), every cycle
    o : Out(BANKS arrays of ``ways`` signed(16))
    elements : Out(``BANKS * ways`` of signed(16)), what is read of each slice
    write : In(``ways`` of Write), one for each column of lanes
    data : In(``ways`` of 16 bits); an 8-bit element stands in both bytes
    """

    LATENCY = 5
    PLAIN   = 4

    def __init__(self, *, ways, rows):
        self._ways = check_ways(ways)
        self._rows = check_rows("X", rows)
        super().__init__({
            "read": In(XRead),
            "o": Out(data.ArrayLayout(data.ArrayLayout(signed(16), ways), BANKS)),
            "elements": Out(data.ArrayLayout(signed(16), BANKS * ways)),
            "write": In(data.ArrayLayout(Write(ways), ways)),
            "data": In(data.ArrayLayout(16, ways))})

    def elaborate(self, platform):
        m = Module()
        bank  = self.read.address[:2]
        index = self.read.address[2:]
        # Stage 1: each bank's row; of a read by lanes a bank before the first one holds a group of
        # the next row.
        rows  = [Signal(range(self._rows), name=f"row{b}") for b in range(BANKS)]
        bytes_ = []
        for b in range(BANKS):
            of_bank = Signal(15, name=f"index{b}")
            byte    = Signal(name=f"byte{b}")
            m.d.comb += of_bank.eq(index + ((b < bank) & self.read.lanes))
            m.d.sync += [rows[b].eq(Mux(self.read.wide, of_bank, of_bank >> 1)),
                         byte.eq(of_bank[0])]
            bytes_.append(delay(m, byte, 2, name=f"byte{b}"))
        first = Signal(2)
        wide  = Signal()
        lanes, crossed = Signal(name="lanes"), Signal(name="crossed")
        m.d.sync += [first.eq(bank), wide.eq(self.read.wide), lanes.eq(self.read.lanes),
                     crossed.eq(self.read.crossed)]
        wide  = delay(m, wide, 2, name="wide")
        first = delay(m, first, 2, name="first")
        lanes, crossed = (delay(m, bit, 2, name=name) for bit, name in (
            (lanes, "lanes"), (crossed, "crossed")))
        zero  = delay(m, self.read.zero, 3, name="zero")

        # Stages 2 to 4: block RAM, its register, the byte asked for less the zero point.
        extended = []
        for lane in range(BANKS * self._ways):
            b, column = divmod(lane, self._ways)
            raw = self._slice(m, lane, rows[b], column)
            element = Signal(signed(16), name=f"element{lane}")
            narrow  = Mux(bytes_[b], raw[8:], raw[:8]).as_signed()
            m.d.sync += element.eq(Mux(wide, raw.as_signed(), narrow) - zero)
            m.d.comb += self.elements[lane].eq(element)
            extended.append(element)
        # Stage 5: the group for each bank of lanes; a register of its own says in which bank it is.
        for b in range(BANKS):
            origin = Signal(2, name=f"origin{b}", reset_less=True)
            m.d.sync += origin.eq(Mux(lanes, first + b, Mux(crossed, first ^ b, first)))
            for column in range(self._ways):
                choices = data.ArrayLayout(signed(16), BANKS)
                turned  = Signal(choices, name=f"turned{b}_{column}")
                m.d.comb += turned.eq(Cat(*(extended[bank * self._ways + column]
                                            for bank in range(BANKS))))
                m.d.sync += self.o[b][column].eq(turned[origin])
        return m

    def _slice(self, m, lane, row, column):
        """One lane's memory; returns its registered output."""
        m.submodules[f"x_{lane}"] = memory = cell_memory(width=16, depth=self._rows)
        reader = memory.read_port()
        writer = memory.write_port(granularity=8)
        write  = self.write[column]
        raw    = Signal(16, name=f"raw{lane}")
        m.d.comb += [
            reader.addr.eq(row), reader.en.eq(1),
            writer.addr.eq(write.row), writer.data.eq(self.data[column]),
            writer.en.eq(Mux(write.x & write.bank[lane // self._ways] & write.column[column],
                             write.bytes, 0)),
        ]
        m.d.sync += raw.eq(reader.data)
        return raw
