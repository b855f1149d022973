# SPDX-License-Identifier: Apache-2.0
"""Table memories of the output stages, shared by two columns."""

from amaranth import Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from xymac.hdl.entries import ENTRIES, PLACE_BITS
from xymac.hdl.isa import TABLE_ENTRIES
from xymac.hdl.limits import check_between

__all__ = ["COLUMNS", "Reader", "TableWrite", "Tables"]

COLUMNS = 2  #: Columns per table memory: a block RAM has two ports.
#: Read port of a column: an even and an odd entry, each addressed by half its index.
Reader = wiring.Signature({"place": Out(data.ArrayLayout(PLACE_BITS - 1, 2)),
                           "entry": In(data.ArrayLayout(signed(16), 2))})
#: Write of an even entry and its successor, addressed by half the even index; byte strobes.
TableWrite = data.StructLayout({"half": PLACE_BITS - 1, "data": data.ArrayLayout(16, 2),
                                "enable": data.ArrayLayout(2, 2)})


class Tables(wiring.Component):
    """Hold all tables in two memories: even entries and odd entries.

    Every column reads two adjacent entries at once, through a port of each memory; two columns use
    all ports of both block RAMs. A write takes the port of the first column; data read in the same
    cycle is undefined.
    Latency 1 cycle for a read, 2 cycles for a write; throughput 1 read per column or 1 write per
    cycle, no backpressure.

    Parameters
    ----------
    columns : int, reading columns, 1 .. ``COLUMNS``; TypeError unless an int, ValueError outside

    Members
    -------
    readers : In(Reader), for each column
    write : In(TableWrite)
    """

    def __init__(self, *, columns):
        super().__init__({
            "readers": In(Reader).array(check_between("Columns", columns, 1, COLUMNS)),
            "write": In(TableWrite)})

    def elaborate(self, platform):
        m = Module()
        write, writes = Signal(TableWrite, reset_less=True, name="write"), Signal(name="writes")
        m.d.sync += [write.eq(self.write), writes.eq(self.write.enable.as_value().any())]
        shared = len(self.readers) == COLUMNS
        for parity, name in enumerate(("even", "odd")):
            values = [value & 0xFFFF for value in ENTRIES[parity::2]]
            m.submodules[name] = memory = Memory(
                shape=16, depth=TABLE_ENTRIES // 2, init=values,
                attrs={"ram_style": "block", "no_rw_check": 1})  # else it takes four
            writer, address = memory.write_port(granularity=8), write.half
            for column, reader in enumerate(self.readers):
                port, place = memory.read_port(), reader.place[parity]
                if shared and column == 0:
                    address = Signal.like(place, name=f"address_{name}")
                    m.d.comb += address.eq(Mux(writes, write.half, place))
                    place = address
                m.d.comb += [port.addr.eq(place), port.en.eq(1),
                             reader.entry[parity].eq(port.data)]
            m.d.comb += [writer.addr.eq(address), writer.data.eq(write.data[parity]),
                         writer.en.eq(Mux(writes, write.enable[parity], 0))]
        return m
