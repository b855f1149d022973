# SPDX-License-Identifier: Apache-2.0
"""Next steps for a bitstream: load it, flash it, and prove it with a network."""

import shutil

from serial.tools.list_ports import comports

from xymac.host.errors import InputError
from xymac.host.examples import shown_path

from .firmware.flash import PROGRAM_OFFSET

__all__ = ["LOADER", "load_lines", "load_words", "next_steps", "port_of", "program_words"]

LOADER = "openFPGALoader"  #: The program that writes bitstreams into boards.
_RULES = "https://trabucayre.github.io/openFPGALoader/guide/install.html"


def load_words(board, bitstream, *, flash=False):
    """Command words to write a bitstream to a board: to its SRAM, or to its flash.

    InputError for the SRAM of a board whose loader reaches the flash alone.
    """
    if not (flash or board.sram):
        raise InputError(f"{LOADER} writes to the flash of {board.name} alone, not to its SRAM: "
                         f"--flash does this")
    return [LOADER, "--board", board.load, *["--write-flash"] * flash, str(bitstream)]


def program_words(board, image):
    """Command words to write a program's flash image to a board's flash, behind the bitstream."""
    return [LOADER, "--board", board.load, "--write-flash", "--offset", f"{PROGRAM_OFFSET:#x}",
            "--file-type", "raw", str(image)]


def port_of(board):
    """The serial port device that looks like a Board's, or a placeholder name."""
    return next((port.device for port in sorted(comports(), reverse=True)
                 if board.has_port(port)), "/dev/ttyUSB0")


def load_lines(board, bitstream):
    """Lines on loading a board's bitstream, and on flashing it."""
    yield f"bitstream: {bitstream}, {bitstream.stat().st_size:,} bytes"
    if board.sram:
        yield "load it into the SRAM of the FPGA, until the power is off:"
        yield f"  {' '.join(load_words(board, bitstream))}"
    if board.before:
        yield f"first {board.before}"
    yield f"{'or ' * board.sram}write it to the flash, from which the FPGA loads it at power-on:"
    yield f"  {' '.join(load_words(board, bitstream, flash=True))}"
    if shutil.which(LOADER) is None:
        yield f"{LOADER} is not on PATH: apt install openfpgaloader, brew install openfpgaloader"


def next_steps(board, size, bitstream):
    """Lines with the next steps for a board's bitstream and its core."""
    network = f"{shown_path('digits_cnn.npz')} --images {shown_path('digits_images.npz')}"
    own     = f" --size {size}" if size != board.size else ""
    yield from load_lines(board, bitstream)
    yield (f"`xymac load --board {board.name}` does the first, with --flash the second"
           if board.sram else f"`xymac load --board {board.name} --flash` does this")
    yield ("permissions: for the serial port `sudo usermod -aG dialout $USER`, then log in again; "
           f"for {LOADER} its udev rules, see {_RULES}")
    yield (f"lamps and button, by their names in amaranth-boards: {_resource(board.run)} is on "
           f"while a program runs, {_resource(board.fault)} from a fault until the next start; "
           f"{_resource(board.reset)} resets the design")
    yield "prove it, with the port that `xymac ports` shows for the board:"
    yield f"  xymac run {network} --limit 10 --board {board.name}{own} --port {port_of(board)}"


def _resource(path):
    """A resource's name: ``led 0``."""
    return " ".join(map(str, path))
