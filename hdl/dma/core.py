# SPDX-License-Identifier: Apache-2.0
"""A core with a DMA."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In

from xymac.hdl.core import ports
from xymac.hdl.core.core import Core, HostSide
from xymac.hdl.core.ports import forward, join
from xymac.hdl.core.registers import Lists

from .bus import bus_members
from .dma import Dma
from .share import DmaFound, DmaLoad, DmaReads, ProgramRun, ShareLoad, ShareProgram, ShareRead

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

    @property
    def _bus(self):
        return bus_members(self.config.dma) | {"bus_reset": In(1)}

    def _more_members(self):
        return self._bus

    def _host_side(self, m):
        """Put the DMA between the host and the blocks."""
        b, side = self.blocks, super()._host_side(m)
        ways, passes = self.config.ways, self.config.passes
        m.submodules.dma = dma = Dma(self.config, vendor=self._vendor)
        m.submodules.share_program = program = ShareProgram(passes=passes)
        m.submodules.share_load = load = ShareLoad(passes=passes)
        m.submodules.share_read = read = ShareRead(ways=ways)
        join(m, Lists, b.registers.lists, dma)
        join(m, ports.Control(passes), side.control, program.host)
        join(m, ProgramRun, dma, program.dma)
        join(m, ports.ProgramState(passes), b.sequencer, program)
        join(m, ports.Load(passes), side.load, load.host)
        join(m, DmaLoad(passes), dma, load.dma)
        wiring.connect(m, side.read, read.host)
        wiring.connect(m, dma.read, read.dma)
        join(m, ports.HostFound(ways), read.to_host, side.found)
        join(m, DmaFound(ways), read.to_dma, dma)
        join(m, DmaReads, read, b.trace)
        forward(m, self._bus, self, dma)
        wrote = self._share_writes(m, dma, side)
        return HostSide(control=program.o, load=load.o, wrote=wrote, read=read.o, found=read.found)

    def _share_writes(self, m, dma, side):
        """Let the DMA write X and Y before the host; returns the source of host writes."""
        wiring.connect(m, dma.write, self.blocks.writeback.wide)
        return side.wrote
