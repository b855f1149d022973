"""The tables of the output stages, where two columns read them."""

from amaranth import Module, signed
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.entries import ENTRIES, PLACE_BITS
from hdl.limits import check_between

__all__ = ["COLUMNS", "Reader", "Tables"]

COLUMNS = 2  #: Columns that share the tables: a block RAM has two ports.
#: What a column reads: the entries at an even and at an odd place, by half the place each.
Reader = wiring.Signature({"place": Out(data.ArrayLayout(PLACE_BITS - 1, 2)),
                           "entry": In(data.ArrayLayout(signed(16), 2))})


class Tables(wiring.Component):
    """Hold all tables in two memories, entries at even places in one, at odd places in the other.

    So every column reads an entry and the next one at once with one port of each memory, and two
    columns fill the ports of two block RAMs.
    Latency 1 cycle, throughput 1 read a column a cycle, no backpressure.

    Parameters
    ----------
    columns : int, that read, 1 .. ``COLUMNS``; TypeError for what is no int, ValueError outside

    Members
    -------
    readers : In(Reader), one a column
    """

    def __init__(self, *, columns):
        super().__init__({
            "readers": In(Reader).array(check_between("Columns", columns, 1, COLUMNS))})

    def elaborate(self, platform):
        m = Module()
        for parity, name in enumerate(("even", "odd")):
            values = [value & 0xFFFF for value in ENTRIES[parity::2]]
            m.submodules[name] = memory = Memory(shape=16, depth=len(values), init=values,
                                                 attrs={"ram_style": "block"})
            for reader in self.readers:
                port = memory.read_port()
                m.d.comb += [port.addr.eq(reader.place[parity]), port.en.eq(1),
                             reader.entry[parity].eq(port.data)]
        return m
