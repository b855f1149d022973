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
    parser.add_argument("--netlist", action="store_true",
                        help="simulate the design after synthesis, as the bitstream has it, for a "
                             "board with an iCE40; needs the extra fpga, and minutes to build")
    add_soc(parser)


def _execute(options, console):
    if (options.board is None) == (options.soc is None):
        raise InputError("Either --board or --soc must be given, not both or none")
    if options.soc is not None:
        if options.netlist:
            raise InputError("--netlist is for --board, not for --soc")
        return execute_soc(options, console)
    check_soc(options)
    board = find_board(options.board)
    size  = options.size or board.size
    check_core(board, size)
    with console.status(f"Building {board.name} with a core of size {size}"):
        simulated = BoardProcess(board, size, netlist=options.netlist)
    with simulated:
        console.print(f"{board.name}, size {size}{', netlist' * options.netlist}, at "
                      f"{simulated.pace:,.0f} cycles a second until interrupted; what runs on it:",
                      markup=False, soft_wrap=True)
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
