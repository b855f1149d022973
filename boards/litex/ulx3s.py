# SPDX-License-Identifier: Apache-2.0
"""The ULX3S system: SDRAM as main RAM, programs out of its flash or over its USB serial line."""

from math import ceil

from litedram.modules import IS42S16160
from litedram.phy import GENSDRPHY
from litespi.modules import IS25LP128
from litespi.opcodes import SpiNorFlashOpCodes
from litespi.phy.generic import LiteSPIPHY
from litex_boards.platforms import radiona_ulx3s
from litex_boards.targets.radiona_ulx3s import _CRG

from .soc import XymacSoC

__all__ = ["make"]

_FLASH_CLOCK = 20e6  # Hz at most, LiteX's default; the flash itself takes 80 MHz


def make(size, folder, device, clock, baud):
    """XymacSoC for a ULX3S.

    Parameters
    ----------
    size, folder : see ``XymacSoC``
    device : str, "LFE5U-25F" or "LFE5U-85F"
    clock : float, Hz
    baud : int, serial line bits per second
    """
    platform = radiona_ulx3s.Platform(device=device, revision="2.0", toolchain="trellis")
    system = XymacSoC(platform, clock, size, vendor="ecp5", folder=folder, uart_baudrate=baud)
    system.add_main_sdram(GENSDRPHY(platform.request("sdram"), clock), IS42S16160(clock, "1:1"))
    _add_flash(system, platform, clock)
    system.crg = _CRG(platform, clock)
    return system


def _add_flash(system, platform, clock):
    """Add the flash with the bitstream. LiteSPI drives its clock by the ECP5's USRMCLK.

    A line of data: four need a bit in the flash that not every board has set.
    """
    pads, module = platform.request("spiflash"), IS25LP128(SpiNorFlashOpCodes.READ_1_1_1)
    system.comb += [pads.wp.eq(1), pads.hold.eq(1)]  # active low
    system.add_program_flash(LiteSPIPHY(
        pads, module, device=platform.device,
        default_divisor=ceil(clock / (2 * _FLASH_CLOCK)) - 1), module)
