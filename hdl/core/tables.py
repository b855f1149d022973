"""The tables of the output stages, where two columns read them."""

from amaranth import Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.entries import ENTRIES, PLACE_BITS
from hdl.isa import TABLE_ENTRIES
from hdl.limits import check_between

__all__ = ["COLUMNS", "Reader", "TableWrite", "Tables"]

COLUMNS = 2  #: Columns that share the tables: a block RAM has two ports.
#: What a column reads: the entries at an even and at an odd place, by half the place each.
Reader = wiring.Signature({"place": Out(data.ArrayLayout(PLACE_BITS - 1, 2)),
                           "entry": In(data.ArrayLayout(signed(16), 2))})
#: A write of an entry at an even place and of the next one, by half the place; byte strobes.
TableWrite = data.StructLayout({"half": PLACE_BITS - 1, "data": data.ArrayLayout(16, 2),
                                "enable": data.ArrayLayout(2, 2)})


class Tables(wiring.Component):
    """Hold all tables in two memories, entries at even places in one, at odd places in the other.

    So every column reads an entry and the next one at once with one port of each memory, and two
    columns fill the ports of two block RAMs. A write takes the port of the first of two columns:
    what columns read in its cycle is undefined.
    Latency 1 cycle of a read and 2 of a write, throughput 1 read a column or 1 write a cycle, no
    backpressure.

    Parameters
    ----------
    columns : int, that read, 1 .. ``COLUMNS``; TypeError for what is no int, ValueError outside

    Members
    -------
    readers : In(Reader), one a column
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
                attrs={"ram_style": "block", "no_rw_check": 1})  # or it would take four
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
