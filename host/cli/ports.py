# SPDX-License-Identifier: Apache-2.0
"""``xymac ports``: list the serial ports for `--backend serial --port`."""

from rich.table import Table
from serial.tools.list_ports import comports

from xymac.host.extensions import list_extensions, load_extension

from .command import Command

__all__ = ["COMMAND"]

_BOARDS = "xymac.boards"  #: Entry points of boards.


def _execute(options, console):
    ports = sorted(comports())
    if not ports:
        console.print("This computer has no serial ports")
        return 0
    table = Table("port", "board", "device", "serial number", box=None)
    for port in ports:
        table.add_row(port.device, ", ".join(_boards_of(port)), port.description,
                      port.serial_number or "")
    console.print(table)
    return 0


def _boards_of(port):
    """Boards (names) whose USB identity a port has, with a note if it is not their UART."""
    for name, entry in list_extensions(_BOARDS).items():
        board = load_extension(entry, _check_board)
        if board.has_port(port):
            yield name
        elif getattr(board, "has_own_usb", lambda port: False)(port):
            yield f"{name} (not its UART)"


def _check_board(value):
    if not callable(getattr(value, "has_port", None)):
        raise TypeError(f"it must be a Board, not {value!r}")


COMMAND = Command(
    __doc__,
    example="xymac ports",
    add_arguments=lambda parser: None, execute=_execute)
