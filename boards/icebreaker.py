# SPDX-License-Identifier: Apache-2.0
"""1BitSquared iCEBreaker, with an iCE40UP5K: USB by an FT2232H, no further hardware.

The compact core is for it, see ``xymac.hdl.compact.core``.
"""

from amaranth_boards.icebreaker import ICEBreakerPlatform

from .board import Board

__all__ = ["ICEBREAKER"]

ICEBREAKER = Board(name="icebreaker", size="compact", platform=ICEBreakerPlatform, clock=24.0,
                   aim=25.0, baud=2_000_000, uart=("uart", 0), reset=("button", 0),
                   run=("led_g", 0), fault=("led_r", 0), load="ice40_generic",
                   sram=False, usb=(0x0403, 0x6010, "iCEBreaker"))
