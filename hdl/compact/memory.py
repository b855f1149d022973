# SPDX-License-Identifier: Apache-2.0
"""The compact core's shared memory: X, Y, program, trace and registers."""

from amaranth import Cat, ClockSignal, Const, Instance, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from xymac.hdl.limits import check_vendor

__all__ = ["CELL_ADDRESS_BITS", "HELD_BASE", "PAGE", "PROGRAM", "TRACE", "Access", "Cells", "X",
           "Y", "follow"]

CELL_ADDRESS_BITS = 15  #: Address bits of a 16-bit word.

X         = 0x0000  #: Address of each part's first 16-bit word.
PROGRAM   = 0x2000
TRACE     = 0x2800
PAGE      = 0x2A00  #: Registers, two 16-bit words each.
HELD_BASE = 0x2B00  #: Saved accumulators, in the format of biases in Y: three rows an entry.
Y         = 0x4000

_HALF = 1 << 14  # 16-bit words of an SB_SPRAM256KA

#: An access; ``bytes`` holds the byte strobes of a write, 0 for a read.
Access = data.StructLayout({"cell": CELL_ADDRESS_BITS, "bytes": 2, "data": 16})


def follow(m, value, cycles, *, name):
    """Delay line: ``value`` now and in each of the next ``cycles`` cycles, as a list."""
    stages = [value]
    for stage in range(cycles):
        stages.append(Signal(len(value), name=f"{name}{stage}"))
        m.d.sync += stages[-1].eq(stages[-2])
    return stages


class Cells(wiring.Component):
    """Store 32 Ki 16-bit words.

    Latency ``LATENCY`` cycles from ``access`` to ``found``, which is valid for a single cycle;
    throughput 1 access a cycle, no backpressure.

    Parameters
    ----------
    vendor : None for a generic memory, "ice40" for two SB_SPRAM256KA; ValueError otherwise

    Members
    -------
    valid : In(1), access : In(Access), found : Out(16)
    """

    LATENCY = 2

    valid:  In(1)
    access: In(Access)
    found:  Out(16)

    def __init__(self, *, vendor=None):
        self._vendor = check_vendor(vendor, "ice40")
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        access = Signal(Access, reset_less=True)
        valid = Signal()
        upper = Signal()
        m.d.sync += [access.eq(self.access), valid.eq(self.valid), upper.eq(access.cell[-1])]
        found = []
        for half, name in enumerate(("low_half", "high_half")):
            chosen, word = Signal(name=f"chosen_{name}"), Signal(16, name=f"word_{name}")
            m.d.comb += chosen.eq(valid & (access.cell[-1] == half))
            make = self._spram if self._vendor else self._memory
            m.submodules[name] = make(m, chosen, access, word)
            found.append(word)
        m.d.comb += self.found.eq(Mux(upper, found[1], found[0]))
        return m

    @staticmethod
    def _memory(m, chosen, access, word):
        memory = Memory(shape=16, depth=_HALF, init=[])
        reader, writer = memory.read_port(), memory.write_port(granularity=8)
        m.d.comb += [reader.addr.eq(access.cell), reader.en.eq(chosen),
                     writer.addr.eq(access.cell), writer.data.eq(access.data),
                     writer.en.eq(Mux(chosen, access.bytes, 0)), word.eq(reader.data)]
        return memory

    @staticmethod
    def _spram(m, chosen, access, word):
        mask = [access.bytes[0], access.bytes[0], access.bytes[1], access.bytes[1]]
        return Instance(
            "SB_SPRAM256KA", i_ADDRESS=access.cell[:14], i_DATAIN=access.data,
            i_MASKWREN=Cat(mask), i_WREN=access.bytes.any(), i_CHIPSELECT=chosen,
            i_CLOCK=ClockSignal(), i_STANDBY=Const(0), i_SLEEP=Const(0),
            i_POWEROFF=Const(1), o_DATAOUT=word)
