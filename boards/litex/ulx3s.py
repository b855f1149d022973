# SPDX-License-Identifier: Apache-2.0
"""The ULX3S system: SDRAM as main RAM, programs over its USB serial line."""

from litedram.modules import IS42S16160
from litedram.phy import GENSDRPHY
from litex_boards.platforms import radiona_ulx3s
from litex_boards.targets.radiona_ulx3s import _CRG

from .soc import XymacSoC

__all__ = ["make"]


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
    system.crg = _CRG(platform, clock)
    return system
