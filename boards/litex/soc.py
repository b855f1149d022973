# SPDX-License-Identifier: Apache-2.0
"""A LiteX system with VexRiscv, main memory, UART and the core, for a LiteX platform."""

from pathlib import Path

from litex.soc.integration.soc_core import SoCCore

from xymac.boards.firmware.boot import make_boot
from xymac.boards.firmware.flash import PROGRAM_OFFSET

from .core import XymacCore

__all__ = ["CORE_ORIGIN", "PRELOADED", "XymacSoC"]

CORE_ORIGIN = 0x9000_0000  #: Core address in VexRiscv's I/O region.
PRELOADED   = "MAIN_RAM_PRELOADED"  #: Constant of a system with a program in main RAM at power-on.
_ROM        = 0x1000  # bytes
_SRAM       = 0x2000
_CACHE      = 0x100   # bytes of the cache between the processor's bus and SDRAM


class XymacSoC(SoCCore):
    """VexRiscv, UART, timer, a boot program in ROM, and a core at ``CORE_ORIGIN``.

    The ROM is filled when a LiteX ``Builder`` builds the system: its program takes another out of
    the flash, or over the serial line with LiteX's protocol.

    Parameters
    ----------
    platform : LiteX platform
    clock : float, ``sys`` domain frequency, Hz
    size : str, core size
    vendor, folder : see ``XymacCore``
    options : ``SoCCore`` options, as for the UART
    """

    def __init__(self, platform, clock, size, *, vendor=None, folder="build/litex", **options):
        SoCCore.__init__(self, platform, clock, cpu_type="vexriscv", bus_bursting=True,
                         timer_uptime=True, integrated_rom_size=_ROM,
                         integrated_sram_size=_SRAM, **options)
        self._folder = Path(folder)
        self.xymac = XymacCore(platform, size, vendor=vendor, folder=folder)
        self.bus.add_slave("xymac", self.xymac.bus, XymacCore.region(CORE_ORIGIN))
        self.irq.add("xymac", use_loc_if_exists=True)

    def add_main_sdram(self, phy, module):
        """Make main RAM from an SDRAM, its PHY and LiteDRAM module; the core's DMA has a port."""
        self.sdrphy = phy
        self.add_sdram("sdram", phy=phy, module=module,
                       l2_cache_size=0 if self.xymac.memory else _CACHE)
        if self.xymac.memory:
            self.xymac.connect_memory(self)

    def add_program_flash(self, phy, module):
        """Map an SPI flash for reading, by its LiteSPI PHY and module, for the boot program."""
        self.spiflash_phy = phy
        self.add_spi_flash(phy=phy, module=module, mode="1x", with_master=False, with_csr=False)
        self.add_constant("FLASH_BOOT_ADDRESS",
                          self.bus.regions["spiflash"].origin + PROGRAM_OFFSET)

    def init_mems(self, **_):
        """Fill the ROM; LiteX calls this after it has written the C headers."""
        rom, sram = ((region.origin, region.size) for region in (
            self.bus.regions["rom"], self.bus.regions["sram"]))
        words = make_boot(Path(self.builder.include_dir), rom, sram, self._folder / "boot")
        self.init_rom(name="rom", contents=words)
