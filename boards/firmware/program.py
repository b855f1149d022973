# SPDX-License-Identifier: Apache-2.0
"""A program that runs a network on images, for the VexRiscv in an exported LiteX system."""

from pathlib import Path

from xymac.boards.header import c_header
from xymac.hdl.config import find_size
from xymac.host.c.sources import DRIVER, fill_in, read_source
from xymac.host.errors import InputError
from xymac.host.files import make_folder, write_file

from .compiler import link_program
from .elf import read_words
from .images import program_files
from .litex import HEADERS, START, litex_folder

__all__ = ["make_program"]

_FOLDER  = Path(__file__).parent
_SOURCES = ("main.c", "report.c", "core.c", "console.c", "string.c")
_VALUE   = "XYMAC_IN_"  # in each value of a network's C
_FEW     = 32           # values whose tables have room in the RAM on chip, 36 bytes each
_TABLES  = ("*(.rodata.images_external .rodata.*_ranges .rodata.*_values .rodata.*_before "
            ".rodata.*_after)")


def make_program(network, images, system, folder):
    """Compile a program for a System in ``folder``; returns its words from main RAM's start on.

    Parameters
    ----------
    network : Network
    images : Images
    system : System, see ``xymac.boards.litex.system``
    folder : Path; it receives the C sources and ``program.elf``

    InputError if the network does not fit the core, the program not main RAM, or without a
    compiler.
    """
    make_folder(folder)
    files, size = program_files(network, images, system.size)
    kind = "run_external.c" if find_size(system.size).dma else "run_network.c"
    written = {
        **files, "xymac.h": c_header(),
        "program.ld": _linker_script(system, files["network.c"].count(_VALUE)),
        **{name: read_source(name) for name in DRIVER}}
    for name, content in written.items():
        write_file(folder / name, content)
    litex = litex_folder()
    link_program(
        [litex / START, *(_FOLDER / name for name in (kind, *_SOURCES)),
         *(folder / name for name in written if name.endswith(".c"))],
        folder / "program.ld", folder / "program.elf",
        includes=[_FOLDER, folder, system.includes, *(litex / name for name in HEADERS)],
        defines=[f"OUTPUT_BYTES={size}", "XYMAC_IN_ARRAY"])
    return _read_program(folder / "program.elf", system)


def _linker_script(system, values):
    """The text of ``program.ld`` with the memories of the system, for a network's value count."""
    chip, size = system.region("sram")
    return fill_in((_FOLDER / "program.ld").read_text(encoding="utf-8"), {
        "MAIN": f"{system.region('main_ram')[0]:#x}", "CHIP": f"{chip:#x}",
        "SIZE": f"{size:#x}", "TABLES": _TABLES if values <= _FEW else ""})


def _read_program(path, system):
    """The program's words; InputError if main RAM is too small."""
    base, length = system.region("main_ram")
    words, taken = read_words(path.read_bytes(), base)
    if taken > length:
        raise InputError(f"The program takes {taken:,} bytes, main RAM has {length:,}")
    return words
