# SPDX-License-Identifier: Apache-2.0
"""A core with a DMA between an AXI4-Lite slave and an AXI4 master."""

from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from xymac.hdl.axi import AxiLite, slave_members
from xymac.hdl.core.ports import forward
from xymac.hdl.limits import check_config, check_vendor

from .bus import bus_members
from .core import DmaCore

__all__ = ["CoreDma"]


class CoreDma(wiring.Component):
    """A core that fetches command lists: AXI4-Lite slave as ``CoreAxi``, AXI4 master for memory.

    Latency and throughput of the slave as in ``CoreAxi``, of the master as in ``dma.Dma``; honours
    backpressure on all channels.

    Parameters
    ----------
    config : CoreConfig with a ``dma``; TypeError for another type, ValueError without ``dma``
    vendor : None or "ecp5", see ``multiply.Multiply``; ValueError otherwise

    Members
    -------
    s_axi_* : AXI4-Lite slave with 32 data bits
    m_axi_* : AXI4 master with ``config.dma`` data bits and 32 address bits; bursts of up to 16
        beats, none across 4 KiB
    irq : Out(1)
    bus_reset : In(1), see ``DmaCore``
    """

    def __init__(self, config, *, vendor=None):
        self._core = DmaCore(check_config(config), vendor=check_vendor(vendor))
        self._master = bus_members(config.dma) | {"bus_reset": In(1), "irq": Out(1)}
        super().__init__(slave_members() | self._master)

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = self._core
        m.submodules.axi  = axi  = AxiLite()
        wiring.connect(m, axi.request, core.request)
        wiring.connect(m, core.response, axi.response)
        forward(m, slave_members(), self, axi)
        forward(m, self._master, self, core)
        return m
