# SPDX-License-Identifier: Apache-2.0
"""Short operands: memory word, table entry, cycle count, host word."""

from amaranth import Module, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from xymac.hdl.compact.micro.code import Instruction, Source
from xymac.hdl.limits import check_words

from .alu import WORD

__all__ = ["Sources"]


class Sources(wiring.Component):
    """Select the short operand of an instruction while its registers are read.

    Latency 1 cycle from ``word`` to ``o``, and from ``looks`` to the table entry; throughput 1
    operand a cycle, no backpressure.

    Parameters
    ----------
    tables : list of at least one int, 16 bits signed, the table ROM; TypeError for another type,
        ValueError for a value that does not fit

    Members
    -------
    word : In(Instruction)
    cell, host : In(16), memory word and host word
    looks : In(1), read the table entry at address ``place`` : In(signed(WORD))
    clear : In(1), clear the cycle count; counts : In(1), increment it
    o : Out(signed(33))
    """

    word:   In(Instruction)
    cell:   In(signed(16))
    host:   In(16)
    looks:  In(1)
    place:  In(signed(WORD))
    clear:  In(1)
    counts: In(1)
    o:      Out(signed(33))

    def __init__(self, *, tables):
        self._tables = check_words("Tables", tables, -1 << 15, (1 << 15) - 1)
        if not tables:
            raise ValueError("Tables must have an entry at least, not none")
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.tables = tables = Memory(shape=signed(16), depth=len(self._tables),
                                              init=self._tables, attrs={"ram_style": "block"})
        port, cycles = tables.read_port(), Signal(32, name="cycles")
        m.d.comb += [port.addr.eq(self.place), port.en.eq(self.looks)]
        with m.If(self.clear):
            m.d.sync += cycles.eq(0)
        with m.Elif(self.counts):
            m.d.sync += cycles.eq(cycles + 1)
        with m.Switch(self.word.source):
            for source, value in ((Source.CELL, self.cell), (Source.ENTRY, port.data),
                                  (Source.CYCLES, cycles)):
                with m.Case(source):
                    m.d.sync += self.o.eq(value)
            with m.Default():
                m.d.sync += self.o.eq(self.host)
        return m
