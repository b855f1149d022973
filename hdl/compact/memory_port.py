# SPDX-License-Identifier: Apache-2.0
"""Memory port of the engine: addresses of elements, field bytes and words."""

from amaranth import Cat, Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.compact.micro.code import Instruction

from .alu import WORD
from .decode import Plan
from .memory import PROGRAM, Access, Cells, follow
from .specials import Kept

__all__ = ["MemoryPort"]

_PASS_BYTES = 128


class MemoryPort(wiring.Component):
    """Form the access for an instruction, a step or a field, and extract the element read.

    Latency 0 cycles to ``access``, ``Cells.LATENCY`` cycles from there to ``element`` and another
    to ``cell``; throughput 1 access a cycle, no backpressure. Takes no parameters.

    Members
    -------
    word : In(Instruction), plan : In(Plan), kept : In(Kept); execute : In(1)
    loading : In(1), read field byte number ``place`` : In(3)
    running : In(1), read the element for ``lane`` : In(2) from Y with ``of_y`` : In(1), else from X
    sum : In(signed(WORD)), address computed by an instruction
    now : Out(1), an instruction accesses memory; access : Out(Access); found : In(16)
    element : Out(signed(16)), 8-bit or 16-bit element
    cell : Out(signed(16)), 16-bit word loaded by an instruction
    """

    word:    In(Instruction)
    plan:    In(Plan)
    kept:    In(Kept)
    execute: In(1)
    loading: In(1)
    place:   In(3)
    running: In(1)
    of_y:    In(1)
    lane:    In(2)
    sum:     In(signed(WORD))
    now:     Out(1)
    access:  Out(Access)
    found:   In(16)
    element: Out(signed(16))
    cell:    Out(signed(16))

    def elaborate(self, platform):
        m = Module()
        plan, kept, access = self.plan, self.kept, self.access
        loads, stores, puts = (self.execute & plan[name] for name in ("loads", "stores", "puts"))
        wide = Signal()
        upper = Signal()
        byte = Signal(range(_PASS_BYTES))
        m.d.comb += [
            self.now.eq(loads | puts | stores),
            byte.eq(Cat(self.word.b, self.word.source.as_value()[:2])[3:] + self.place)]
        cell = self._cell(m, wide, upper)
        with m.If(self.loading):
            m.d.comb += access.cell.eq(PROGRAM | Cat(byte[1:], kept.pass_))
        with m.Elif(plan["loads"] | plan["stores"]):
            m.d.comb += [access.cell.eq(self.sum[:15]), access.bytes.eq(stores.replicate(2)),
                         access.data.eq(kept.data)]
        with m.Else():
            m.d.comb += [
                access.cell.eq(cell),
                access.bytes.eq(Mux(puts, Mux(wide, 0b11, Cat(~upper, upper)), 0)),
                access.data.eq(Mux(wide, kept.data, kept.data[:8].replicate(2)))]
        kind = Cat(self.loading | (self.running & ~wide), Mux(self.loading, byte[0], upper), loads)
        narrow, high, loaded = follow(m, kind, Cells.LATENCY, name="kind")[-1]
        low = Mux(high & narrow, self.found[8:], self.found[:8])
        m.d.comb += self.element.eq(Cat(low, Mux(narrow, low[-1].replicate(8), self.found[8:])))
        with m.If(loaded):
            m.d.sync += self.cell.eq(self.found)
        return m

    def _cell(self, m, wide, upper):
        """Word address for an element; drives ``wide`` (16 bits) and ``upper`` (high byte)."""
        kept, in_y, index = self.kept, Signal(name="in_y"), Signal(16, name="index")
        lane = Mux(kept.x_lanes, self.lane, 0)
        with m.If(~self.running):
            m.d.comb += [in_y.eq(kept.z_memory), wide.eq(kept.z_wide), index.eq(self.sum[:16])]
        with m.Elif(self.of_y):
            m.d.comb += [in_y.eq(1), wide.eq(kept.y_wide), index.eq(Cat(self.lane, kept.y))]
        with m.Else():
            m.d.comb += [wide.eq(kept.x_wide), index.eq(kept.x + lane)]
        cell = Signal(14)
        m.d.comb += [cell.eq(Mux(wide, index[:14], Cat(index[:2], index[3:15]))),
                     upper.eq(~wide & index[2])]
        return Cat(cell[:13], cell[13] & in_y, in_y)
