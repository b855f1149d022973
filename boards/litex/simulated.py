# SPDX-License-Identifier: Apache-2.0
"""The system without a board: its program lies in RAM that a file fills, for a simulator."""

from pathlib import Path

from litex.build.generic_platform import GenericPlatform, Pins, Subsignal
from litex.gen import LiteXModule
from migen import ClockDomain

from .soc import XymacSoC

__all__ = ["make"]

_CLOCK = 90_000_000  # Hz, that of base on the ULX3S; it only scales printed times
_STACK = 0x4000      # bytes of on-chip RAM for the stack
_PADS  = [("crystal", 0, Pins(1)), ("reset", 0, Pins(1)),
          ("serial", 0, Subsignal("tx", Pins(1)), Subsignal("rx", Pins(1)))]


class _Platform(GenericPlatform):
    """Pads without places; a build writes the Verilog."""

    def build(self, fragment, build_dir, build_name, **_):
        self.finalize(fragment)
        output = self.get_verilog(fragment, name=build_name)
        output.write(str(Path(build_dir) / f"{build_name}.v"))
        return output.ns


class _Clock(LiteXModule):
    """Clock and reset straight from the pads."""

    def __init__(self, platform):
        self.cd_sys = ClockDomain()
        self.comb += [self.cd_sys.clk.eq(platform.request("crystal")),
                      self.cd_sys.rst.eq(platform.request("reset"))]


def make(size, folder, ram, divisor):
    """XymacSoC with ``ram`` bytes of main RAM on chip, from which VexRiscv starts; its UART takes
    ``divisor`` cycles per bit.
    """
    platform = _Platform("simulation", list(_PADS), name="top")
    system = XymacSoC(
        platform, _CLOCK, size, folder=folder, integrated_rom_size=0, integrated_sram_size=_STACK,
        integrated_main_ram_size=ram, cpu_reset_address=XymacSoC.mem_map["main_ram"],
        uart_baudrate=_CLOCK // divisor)
    system.crg = _Clock(platform)
    return system
