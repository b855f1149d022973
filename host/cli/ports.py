# SPDX-License-Identifier: Apache-2.0
"""``xymac ports``: list the serial ports for `--backend serial --port`."""

from rich.table import Table
from serial.tools.list_ports import comports

from .command import Command

__all__ = ["COMMAND"]


def _execute(options, console):
    ports = sorted(comports())
    if not ports:
        console.print("This computer has no serial ports")
        return 0
    table = Table("port", "device", "serial number", box=None)
    for port in ports:
        table.add_row(port.device, port.description, port.serial_number or "")
    console.print(table)
    return 0


COMMAND = Command(
    __doc__,
    example="xymac ports",
    add_arguments=lambda parser: None, execute=_execute)
