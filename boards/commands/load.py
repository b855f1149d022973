# SPDX-License-Identifier: Apache-2.0
"""``xymac load``: write a bitstream, or a program for its processor, to a board.

`xymac build` makes both; openFPGALoader writes them.
"""

import shutil
import subprocess
from pathlib import Path

from xymac.boards.board import all_boards, find_board
from xymac.boards.design import part_of
from xymac.boards.firmware.flash import check_image
from xymac.boards.litex.flow import find_system
from xymac.boards.loading import LOADER, load_words, program_words
from xymac.host.cli.command import Command
from xymac.host.errors import InputError
from xymac.host.files.reading import check_file

__all__ = ["COMMAND"]


def _add_arguments(parser):
    parser.add_argument("bitstream", metavar="F", nargs="?", type=Path,
                        help="bitstream (default: that of `xymac build` in build/NAME)")
    parser.add_argument("--board", metavar="NAME", required=True,
                        help=f"one of {', '.join(all_boards())}")
    parser.add_argument("--flash", action="store_true",
                        help="write to the flash of the board, from which its FPGA loads at "
                             "power-on (default: to the SRAM of the FPGA, until the power is "
                             "off; of some boards openFPGALoader reaches the flash alone)")
    parser.add_argument("--program", metavar="FBI", type=Path,
                        help="instead of a bitstream: write the flash image of a program to the "
                             "flash, behind the bitstream; `xymac build --soc --network` makes it")


def _execute(options, console):
    board = find_board(options.board)
    words = _program(board, options) if options.program else _bitstream(board, options)
    if shutil.which(LOADER) is None:
        raise InputError(f"{LOADER} is not on PATH (Debian: apt install openfpgaloader); it is "
                         f"called as: {' '.join(words)}")
    console.print(" ".join(words), markup=False, soft_wrap=True)
    if board.before:
        console.print(f"It finds the board if you first {board.before}", markup=False,
                      soft_wrap=True)
    code = subprocess.run(words, check=False).returncode
    if code:
        raise InputError(f"{LOADER} failed with code {code}: is the board connected, and may you "
                         f"open its port? See docs/boards.md")
    return 0


def _bitstream(board, options):
    """The command's words for a bitstream; InputError if there is none."""
    suffix = part_of(board.platform()).family.suffix
    path   = options.bitstream or Path("build") / board.name / f"{board.name}.{suffix}"
    check_file(path, f"There is no bitstream {{}}: `xymac build --board {board.name}` makes it")
    return load_words(board, path, flash=options.flash)


def _program(board, options):
    """The command's words for a program; InputError if the file is not its flash image."""
    if options.bitstream or options.flash:
        raise InputError("--program writes a program alone, without a bitstream or --flash")
    find_system(board)
    check_file(options.program, f"There is no program {{}}: `xymac build --board {board.name} "
                                f"--soc --network NET` makes it")
    check_image(options.program.read_bytes(), options.program)
    return program_words(board, options.program)


COMMAND = Command(
    __doc__,
    example="xymac load --board ulx3s-85f",
    add_arguments=_add_arguments, execute=_execute)
