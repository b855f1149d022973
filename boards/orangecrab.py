# SPDX-License-Identifier: Apache-2.0
"""OrangeCrab r0.2, with an LFE5U-25F or an LFE5U-85F, speed grade 8.

Its USB socket connects directly to the FPGA, so the UART is on the pins marked 0 and 1, for a 3.3 V
adapter: pin 0 is the board's receive pin.
"""

from amaranth.build import Attrs
from amaranth_boards.orangecrab_r0_2 import OrangeCrabR0_2_25FPlatform, OrangeCrabR0_2_85FPlatform
from amaranth_boards.resources import UARTResource

from .board import Board

__all__ = ["ORANGECRAB_25F", "ORANGECRAB_85F"]

_UART = UARTResource(0, rx="0", tx="1", conn=("io", 0),
                     attrs=Attrs(IO_TYPE="LVCMOS33", PULLMODE="UP"))


def _with_uart(platform):
    platform.add_resources([_UART])
    return platform


_COMMON = {"baud": 2_000_000, "uart": ("uart", 0), "reset": ("button", 0),
           "run": ("rgb_led", 0, "g"), "fault": ("rgb_led", 0, "r"),
           "load": "orangeCrab", "sram": False,
           "before": "hold the button while you plug in USB, which starts the bootloader",
           "own_usb": ((0x1209, 0x5AF0), (0x1209, 0x5BF0))}

ORANGECRAB_25F = Board(name="orangecrab-25f", size="small", clock=120.0, aim=126.0,
                       platform=lambda: _with_uart(OrangeCrabR0_2_25FPlatform()), **_COMMON)
ORANGECRAB_85F = Board(name="orangecrab-85f", size="base", clock=108.0, aim=113.0,
                       platform=lambda: _with_uart(OrangeCrabR0_2_85FPlatform()), **_COMMON)
