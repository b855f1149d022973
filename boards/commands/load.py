# SPDX-License-Identifier: Apache-2.0
"""``xymac load``: write a bitstream from `xymac build` to a board, with openFPGALoader."""

import shutil
import subprocess
from pathlib import Path

from xymac.boards.board import all_boards, find_board
from xymac.boards.design import part_of
from xymac.boards.loading import LOADER, load_words
from xymac.host.cli.command import Command
from xymac.host.errors import InputError

__all__ = ["COMMAND"]


def _add_arguments(parser):
    parser.add_argument("bitstream", metavar="F", nargs="?", type=Path,
                        help="bitstream (default: that of `xymac build` in build/NAME)")
    parser.add_argument("--board", metavar="NAME", required=True,
                        help=f"one of {', '.join(all_boards())}")
    parser.add_argument("--flash", action="store_true",
                        help="write to the flash of the board, from which its FPGA loads at "
                             "power-on (default: to the SRAM of the FPGA, until the power is off)")


def _execute(options, console):
    board  = find_board(options.board)
    suffix = part_of(board.platform()).family.suffix
    path   = options.bitstream or Path("build") / board.name / f"{board.name}.{suffix}"
    if not path.is_file():
        raise InputError(f"There is no bitstream {path}: `xymac build --board {board.name}` makes "
                         f"it")
    words = load_words(board, path, flash=options.flash)
    if shutil.which(LOADER) is None:
        raise InputError(f"{LOADER} is not on PATH (Debian: apt install openfpgaloader); it is "
                         f"called as: {' '.join(words)}")
    console.print(" ".join(words), markup=False, soft_wrap=True)
    code = subprocess.run(words, check=False).returncode
    if code:
        raise InputError(f"{LOADER} failed with code {code}: is the board connected, and may you "
                         f"open its port? See docs/boards.md")
    return 0


COMMAND = Command(
    __doc__,
    example="xymac load --board ulx3s-85f",
    add_arguments=_add_arguments, execute=_execute)
