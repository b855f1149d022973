# SPDX-License-Identifier: Apache-2.0
"""The system without a board, for a simulator, with models of an SDRAM and an SPI flash."""

from pathlib import Path

from litedram.modules import IS42S16160
from litedram.phy.model import BankModel, SDRAMPHYModel
from litespi.modules import IS25LP128
from litespi.opcodes import SpiNorFlashOpCodes
from litespi.phy.model import LiteSPIPHYModel
from litex.build.generic_platform import GenericPlatform, Pins, Subsignal
from litex.gen import LiteXModule
from migen import ClockDomain, Memory

from .soc import PRELOADED, XymacSoC

__all__ = ["make"]

_CLOCK    = 90_000_000  # Hz, that of base on the ULX3S; it only scales printed times
_PATIENCE = 2_000       # turns of a loop in the boot program: a simulated host answers at once
_PADS     = [("crystal", 0, Pins(1)), ("reset", 0, Pins(1)),
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


def make(size, folder, divisor, preloaded=True):
    """XymacSoC with LiteDRAM and its 32 MiB SDRAM model.

    The files ``top_bank<n>.init`` have the banks' initial content, in 16-bit words, and
    ``top_flash.init`` the flash's, in 32-bit words, the first byte highest.

    Parameters
    ----------
    size, folder : see ``XymacSoC``
    divisor : int, cycles per UART bit
    preloaded : bool, whether VexRiscv starts the program in main RAM; otherwise it takes a program
        out of a 16 MiB flash or over the serial line
    """
    platform = _Platform("simulation", list(_PADS), name="top")
    system = XymacSoC(platform, _CLOCK, size, folder=folder, uart_baudrate=_CLOCK // divisor)
    module = IS42S16160(_CLOCK, "1:1")
    phy    = SDRAMPHYModel(module, data_width=16, clk_freq=_CLOCK)
    _name_banks(phy)
    system.add_main_sdram(phy, module)
    system.crg = _Clock(platform)
    if preloaded:
        system.add_constant(PRELOADED)
    else:
        system.add_constant("BOOT_PATIENCE", _PATIENCE)
        _add_flash(system)
    return system


def _add_flash(system):
    """Add the flash, LiteSPI's model of it."""
    module = IS25LP128(SpiNorFlashOpCodes.READ_1_1_1)
    phy    = LiteSPIPHYModel(module)
    _name_memory(phy.phy, "flash", 0xFFFF_FFFF)
    system.add_program_flash(phy, module)


def _name_banks(phy):
    """Let every bank in a model have an init file with its number."""
    banks = [each for _, each in phy._submodules if isinstance(each, BankModel)]
    for number, bank in enumerate(banks):
        _name_memory(bank, f"bank{number}", 0)


def _name_memory(module, name, first):
    """Let a module's memory have an init file with its first word."""
    [memory] = [each for each in module._fragment.specials if isinstance(each, Memory)]
    memory.name_override, memory.init = name, [first]
