# SPDX-License-Identifier: Apache-2.0
"""List trace: counters and flags over the programs of a DMA's list."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.arith import delay
from xymac.hdl.carry import GatedAdd
from xymac.hdl.core.step import Stall
from xymac.hdl.isa import Flag
from xymac.hdl.limits import check_vendor

__all__ = ["ListTrace"]

_WORD = 32


class ListTrace(wiring.Component):
    """Keep flags over a list, count the stalls by its reads, and name its idle cycles.

    A cycle of a list without a program counts as a stall by the fetch. Latency 0 cycles to
    ``cause`` and ``all_flags``, 3 cycles from ``took`` to ``dma_stall``; throughput 1 event a
    cycle, no backpressure.

    Parameters
    ----------
    vendor : None or "ecp5", see ``carry.GatedAdd``; ValueError otherwise

    Members
    -------
    begins : In(1), a list or a program of the host starts; clear : In(1); listing : In(1)
    stall : In(Stall), the stall cause; cause : Out(Stall), the cause for the counters
    flags : In(Flag), of the program; all_flags : Out(Flag), of the list, the program's included
    took : In(1), a read took the slot of a step; dma_stall : Out(32), their number
    """

    begins:    In(1)
    clear:     In(1)
    listing:   In(1)
    stall:     In(Stall)
    cause:     Out(Stall)
    flags:     In(Flag)
    all_flags: Out(Flag)
    took:      In(1)
    dma_stall: Out(_WORD)

    def __init__(self, *, vendor=None):
        self._vendor = check_vendor(vendor)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        flags = self.flags.as_value()
        kept  = Signal(len(flags), name="list_flags")
        took  = delay(m, self.took, 2, name="dma_took")
        m.d.comb += [
            self.all_flags.eq(flags | kept),
            self.cause.eq(Mux(self.listing & (self.stall == Stall.IDLE), Stall.FETCH, self.stall))]
        m.d.sync += kept.eq(Mux(self.begins | self.clear, 0, kept | Mux(self.listing, flags, 0)))
        counts = took & (self.stall == Stall.HOST) & ~self.begins
        m.submodules.add = add = GatedAdd(width=_WORD, vendor=self._vendor)
        m.d.comb += [add.term.eq(counts), add.acc.eq(self.dma_stall),
                     add.going.eq((~self.begins).replicate(_WORD))]
        m.d.sync += self.dma_stall.eq(add.o)
        return m
