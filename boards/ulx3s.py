# SPDX-License-Identifier: Apache-2.0
"""Radiona ULX3S, with an LFE5U-25F or an LFE5U-85F: USB by an FT231X, no further hardware."""

from amaranth_boards.ulx3s import ULX3S_25F_Platform, ULX3S_85F_Platform

from .board import Board

__all__ = ["ULX3S_25F", "ULX3S_85F"]

# The rate is one that an FT231X makes without an error, and the clock too.
_COMMON = {"baud": 2_000_000, "uart": ("uart", 0), "reset": ("button_fire", 0), "run": ("led", 0),
           "fault": ("led", 1), "load": "ulx3s"}

ULX3S_25F = Board(name="ulx3s-25f", size="small", platform=ULX3S_25F_Platform, clock=100.0,
                  aim=105.0, usb=(0x0403, 0x6015, "ULX3S FPGA 25"), **_COMMON)
ULX3S_85F = Board(name="ulx3s-85f", size="base", platform=ULX3S_85F_Platform, clock=90.0, aim=95.0,
                  usb=(0x0403, 0x6015, "ULX3S FPGA 85"), **_COMMON)
