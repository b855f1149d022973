# SPDX-License-Identifier: Apache-2.0
"""A core with a DMA."""

from amaranth import Cat, Mux, Signal
from amaranth.lib.wiring import In

from xymac.hdl.arith import delay
from xymac.hdl.core.core import Core
from xymac.hdl.core.step import Stall
from xymac.hdl.isa import State

from .bus import bus_members
from .dma import Dma

__all__ = ["DmaCore"]


class DmaCore(Core):
    """A ``Core`` that fetches command lists itself, as described in ``isa.commands``.

    Programs and the host port are as in ``Core``. Array results come first, then the DMA, then the
    host. Counters run from a list's start to its end.

    Parameters
    ----------
    config : CoreConfig with a ``dma``; TypeError for any other type
    vendor : None or "ecp5", see ``multiply.Multiply``; ValueError otherwise

    Members
    -------
    request, response, irq, state : as in ``Core``
    bus_reset : In(1), the bus has forgotten all bursts in flight: 1 in a whole-bus reset, else 0
    m_axi_* : AXI4 master with ``config.dma`` data bits
    """

    DMA = True

    def _more_members(self):
        return bus_members(self.config.dma) | {"bus_reset": In(1)}

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.submodules.dma = dma = Dma(self.config)
        registers = self._registers
        m.d.comb += [
            dma.image.base.eq(registers.base), dma.image.size.eq(registers.size),
            dma.image.list.eq(registers.list), dma.begin.eq(registers.list_start),
            dma.clear.eq(registers.clear | registers.start), dma.stop.eq(registers.list_stop),
            registers.list_state.eq(dma.state), registers.list_status.eq(dma.status),
            registers.entry.eq(dma.entry), dma.bus_reset.eq(self.bus_reset)]
        for name, member in bus_members(self.config.dma).items():
            mine, its = getattr(self, name), getattr(dma, name)
            m.d.comb += its.eq(mine) if member.flow == In else mine.eq(its)
        self._share_program(m, dma)
        self._share_memories(m, dma)
        self._count_lists(m, dma)
        return m

    # The statements below replace ``Core``'s: in a module the last assignment wins.

    def _share_program(self, m, dma):
        """Start programs for a list, and let it write program memory, tables and places."""
        registers, sequencer, host = self._registers, self._sequencer, self._host
        start = registers.start | dma.start
        m.d.comb += [
            dma.program_state.eq(sequencer.state), sequencer.start.eq(start),
            sequencer.stop.eq(registers.stop | dma.stops),
            sequencer.first.eq(Mux(dma.start, dma.first, registers.first)),
            m.submodules.override.restart.eq(start), self._reduction.flush.eq(start),
            self._monitor.flush.eq(start), m.submodules.notes.restart.eq(start | registers.clear)]
        m.d.comb += dma.busy.eq(Cat(host.program_enable, host.table.enable,
                                    host.place.enable).any())
        with m.If(~dma.busy):
            m.d.sync += [sequencer.place.eq(dma.place), sequencer.write.eq(dma.program),
                         sequencer.write_enable.eq(dma.program_enable)]
            for column in range(0, self.config.ways, 2):
                m.d.comb += m.submodules[f"tables_{column}"].write.eq(dma.table)

    def _share_memories(self, m, dma):
        """Let the DMA write X and Y, and read X, before the host."""
        host, issue, array = self._host, self._issue, self._array
        writer = self._writeback.wide
        m.d.comb += [
            array.write_y.eq(self._writeback.write_y), array.data_y.eq(self._writeback.data_y),
            writer.p.eq(dma.write.p), writer.valid.eq(dma.write.valid),
            dma.write.ready.eq(writer.ready), dma.found.eq(array.x_found),
            issue.host.valid.eq(host.read.valid | dma.read.valid),
            dma.read.ready.eq(issue.host.ready),
            host.read.ready.eq(issue.host.ready & ~dma.read.valid),
            host.x_valid.eq(array.x_valid & ~dma.mine)]
        with m.If(dma.read.valid):
            m.d.comb += issue.host.p.eq(dma.read.p)

    def _count_lists(self, m, dma):
        """Keep counters and flags over a list's programs; count stalls by the DMA."""
        registers, counters, issue = self._registers, self._counters, self._issue
        notes   = m.submodules.notes
        listing = dma.state == State.BUSY
        begins  = registers.start | registers.list_start
        flags   = Signal.like(notes.flags.as_value(), name="list_flags")
        stall   = Signal(32, name="stall_dma")
        took    = delay(m, dma.read.valid & dma.read.ready, 2, name="dma_took")
        m.d.comb += [
            counters.clear.eq(begins), registers.stall.eq(stall),
            counters.stall.eq(Mux(listing & (issue.stall == Stall.IDLE), Stall.FETCH,
                                  issue.stall)),
            registers.flags.eq(notes.flags.as_value() | flags)]
        m.d.sync += [
            counters.running.eq((self._sequencer.state == State.BUSY) | listing),
            flags.eq(Mux(begins | registers.clear, 0,
                         flags | Mux(listing, notes.flags.as_value(), 0)))]
        with m.If(begins):
            m.d.sync += stall.eq(0)
        with m.Elif(took & (issue.stall == Stall.HOST)):
            m.d.sync += stall.eq(stall + 1)
