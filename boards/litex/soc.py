# SPDX-License-Identifier: Apache-2.0
"""A LiteX system with VexRiscv, main memory, UART and the core, for a platform of LiteX."""

from litex.soc.integration.soc_core import SoCCore

from .core import XymacCore

__all__ = ["CORE_ORIGIN", "XymacSoC"]

CORE_ORIGIN = 0x9000_0000  #: Address of the core in the I/O region of VexRiscv.


class XymacSoC(SoCCore):
    """VexRiscv, UART, timer and a core at ``CORE_ORIGIN`` with an interrupt.

    Parameters
    ----------
    platform : LiteX platform
    clock : float, frequency of the domain ``sys``, Hz
    size : str, size of the core
    vendor, folder : see ``XymacCore``
    options : of ``SoCCore``: memories, UART, reset address
    """

    def __init__(self, platform, clock, size, *, vendor=None, folder="build/litex", **options):
        SoCCore.__init__(self, platform, clock, cpu_type="vexriscv", timer_uptime=True, **options)
        self.xymac = XymacCore(platform, size, vendor=vendor, folder=folder)
        self.bus.add_slave("xymac", self.xymac.bus, XymacCore.region(CORE_ORIGIN))
        self.irq.add("xymac", use_loc_if_exists=True)
