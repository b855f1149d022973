# SPDX-License-Identifier: Apache-2.0
"""``xymac simulate``: simulate a whole board, its UART behind a pseudo-terminal.

With ``--soc`` it simulates a system with a processor, whose program runs a network.
"""

from xymac.boards.board import all_boards, find_board
from xymac.boards.design import check_core
from xymac.host.cli.command import Command, add_size
from xymac.host.errors import InputError
from xymac.host.examples import shown_path

from .process import BoardProcess
from .soc_command import add_soc, check_soc, execute_soc

__all__ = ["COMMAND"]


def _add_arguments(parser):
    parser.add_argument("--board", metavar="NAME", help=f"one of {', '.join(all_boards())}")
    add_size(parser, "that of the board, or tiny for --soc")
    add_soc(parser)


def _execute(options, console):
    if (options.board is None) == (options.soc is None):
        raise InputError("Either --board or --soc must be given, not both or none")
    if options.soc is not None:
        return execute_soc(options, console)
    check_soc(options)
    board = find_board(options.board)
    size  = options.size or board.size
    check_core(board, size)
    with console.status(f"Building {board.name} with a core of size {size}"):
        simulated = BoardProcess(board, size)
    with simulated:
        console.print(f"{board.name}, size {size}, at {simulated.pace:,.0f} cycles a second until "
                      f"interrupted; what runs on it:", markup=False, soft_wrap=True)
        console.print(f"  xymac run {shown_path('digits_cnn.npz')} "
                      f"--images {shown_path('digits_images.npz')} --limit 1 "
                      f"--size {size} --backend serial --port {simulated.port} "
                      f"--baud {simulated.baud}", markup=False, soft_wrap=True)
        simulated.wait()
    return 0


COMMAND = Command(
    __doc__,
    example="xymac simulate --board ulx3s-85f --size tiny",
    add_arguments=_add_arguments, execute=_execute)
