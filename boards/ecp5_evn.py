# SPDX-License-Identifier: Apache-2.0
"""Lattice ECP5 Evaluation Board, with an LFE5UM5G-85F, speed grade 8.

Its FT2232H reaches the FPGA's UART pins only after swapping two resistor jumpers, see its user
manual, section 6.2.
"""

from amaranth_boards.ecp5_5g_evn import ECP55GEVNPlatform

from .board import Board

__all__ = ["ECP5_EVN"]

ECP5_EVN = Board(name="ecp5-evn", size="base", platform=ECP55GEVNPlatform, clock=108.0, aim=113.0,
                 baud=2_000_000, uart=("uart", 0), reset=("rst", 0), run=("led", 0),
                 fault=("led", 1), load="ecp5_evn", usb=(0x0403, 0x6010, "ECP5"))
