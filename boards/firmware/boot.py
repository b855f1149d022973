# SPDX-License-Identifier: Apache-2.0
"""The boot program in a LiteX system's ROM: it takes programs from the flash or the serial line."""

from pathlib import Path

from xymac.host.c.sources import fill_in
from xymac.host.errors import InputError
from xymac.host.files import make_folder, write_file

from .compiler import link_program
from .elf import read_words
from .litex import HEADERS, START, litex_folder

__all__ = ["make_boot"]

_FOLDER  = Path(__file__).parent
_SOURCES = ("boot.c", "console.c", "flash.c", "string.c")


def make_boot(includes, rom, sram, folder):
    """Compile the program in ``folder``; returns its words.

    Parameters
    ----------
    includes : folder above ``generated`` with LiteX's C headers
    rom, sram : (address, bytes), the memories
    folder : Path; it receives ``boot.ld`` and ``boot.elf``

    InputError without a compiler, or if the program does not fit the ROM.
    """
    make_folder(folder)
    script, target = folder / "boot.ld", folder / "boot.elf"
    write_file(script, fill_in((_FOLDER / script.name).read_text(encoding="utf-8"), {
        "MAIN": f"{rom[0]:#x}", "DATA": f"{sram[0]:#x}", "STACK": f"{sum(sram):#x}"}))
    litex = litex_folder()
    link_program([litex / START, *(_FOLDER / name for name in _SOURCES)], script, target,
                 includes=[_FOLDER, includes, *(litex / name for name in HEADERS)])
    words, _ = read_words(target.read_bytes(), rom[0])
    if 4 * len(words) > rom[1]:
        raise InputError(f"The boot program takes {4 * len(words):,} bytes, the ROM has "
                         f"{rom[1]:,}")
    return words
