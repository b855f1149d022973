# SPDX-License-Identifier: Apache-2.0
"""Sharing: programs, writes and reads of the host and of a DMA, on the way to the blocks."""

from amaranth import Cat, Module, Mux
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.core.ports import Control, HostFound, Load
from xymac.hdl.core.step import HostRead
from xymac.hdl.isa import State
from xymac.hdl.limits import check_passes, check_ways

from .records import Run

__all__ = [
    "DmaFound",
    "DmaLoad",
    "DmaReads",
    "ProgramRun",
    "ShareLoad",
    "ShareProgram",
    "ShareRead",
]

#: A program of a list: start at pass ``first``, or stop; its state.
ProgramRun = wiring.Signature({
    "start": Out(1), "first": Out(Run["first"].shape), "stops": Out(1), "program_state": In(State)})
#: ``took``: a read of the DMA takes the slot of a step.
DmaReads = wiring.Signature({"took": Out(1)})


def DmaLoad(passes):
    """A ``Load`` of the DMA, which waits while the host is ``busy`` with another."""
    return wiring.Signature(dict(Load(passes).members) | {"busy": In(1)})


def DmaFound(ways):
    """Words of X read for the DMA; ``mine``: they are not for the host."""
    return wiring.Signature({"found": Out(data.ArrayLayout(16, ways)), "mine": In(1)})


class ShareProgram(wiring.Component):
    """Start and stop programs for the host and for a list.

    Latency 1 cycle for a start and its ``first``, 0 for the rest; no backpressure.

    Parameters
    ----------
    passes : int, program memory depth, a power of two from 2 to 256; TypeError unless an int,
        ValueError otherwise

    Members
    -------
    host : In(Control), dma : In(ProgramRun), o : Out(Control); state : In(State), of the program
    """

    def __init__(self, *, passes):
        super().__init__({"host": In(Control(check_passes(passes))), "dma": In(ProgramRun),
                          "o": Out(Control(passes)), "state": In(State)})

    def elaborate(self, platform):
        m = Module()
        host, dma, o = self.host, self.dma, self.o
        m.d.sync += [o.start.eq(host.start | dma.start),
                     o.first.eq(Mux(dma.start, dma.first, host.first))]
        m.d.comb += [o.clear.eq(host.clear), o.stop.eq(host.stop | dma.stops),
                     dma.program_state.eq(self.state)]
        return m


class ShareLoad(wiring.Component):
    """Write program memory, tables and places for the host, else for the DMA.

    Latency 1 cycle for the host, 0 for the DMA; backpressure of the DMA by ``busy``. The enables of
    the host come late in a cycle.

    Parameters
    ----------
    passes : int, program memory depth, a power of two from 2 to 256; TypeError unless an int,
        ValueError otherwise

    Members
    -------
    host : In(Load), dma : In(DmaLoad), o : Out(Load)
    """

    def __init__(self, *, passes):
        super().__init__({"host": In(Load(check_passes(passes))), "dma": In(DmaLoad(passes)),
                          "o": Out(Load(passes))})

    def elaborate(self, platform):
        m = Module()
        dma, host = self.dma, self.o.signature.create(path=("held",))
        for name in self.o.signature.members:
            held = getattr(host, name)
            m.d.sync += held.eq(getattr(self.host, name))
            m.d.comb += getattr(self.o, name).eq(Mux(dma.busy, held, getattr(dma, name)))
        m.d.comb += dma.busy.eq(
            Cat(host.program_enable, host.table.enable, host.place.enable).any())
        return m


class ShareRead(wiring.Component):
    """Read X and Y for the DMA, else for the host.

    Latency 0 cycles, honours backpressure.

    Parameters
    ----------
    ways : int, MACs per lane: 1, 2 or 4; TypeError unless an int, ValueError otherwise

    Members
    -------
    host, dma : In(stream of HostRead), o : Out(stream of HostRead); took : Out(1), a read of the
        DMA is accepted
    found : In(HostFound), the words read; to_host : Out(HostFound), to_dma : Out(DmaFound)
    """

    def __init__(self, *, ways):
        check_ways(ways)
        reads = stream.Signature(HostRead)
        super().__init__({"host": In(reads), "dma": In(reads), "o": Out(reads), "took": Out(1),
                          "found": In(HostFound(ways)), "to_host": Out(HostFound(ways)),
                          "to_dma": Out(DmaFound(ways))})

    def elaborate(self, platform):
        m = Module()
        host, dma, found, to_host = self.host, self.dma, self.found, self.to_host
        m.d.comb += [
            self.o.p.eq(Mux(dma.valid, dma.p, host.p)), self.o.valid.eq(host.valid | dma.valid),
            dma.ready.eq(self.o.ready), host.ready.eq(self.o.ready & ~dma.valid),
            self.took.eq(dma.valid & dma.ready),
            to_host.x_found.eq(found.x_found), to_host.y_found.eq(found.y_found),
            to_host.x_valid.eq(found.x_valid & ~self.to_dma.mine),
            to_host.y_valid.eq(found.y_valid), self.to_dma.found.eq(found.x_found)]
        return m
