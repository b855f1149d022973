# SPDX-License-Identifier: Apache-2.0
"""``xymac build --soc --network``: a program for the processor in a board's system."""

import struct
import tempfile
from pathlib import Path

from xymac.boards.firmware.flash import flash_image
from xymac.boards.firmware.program import make_program
from xymac.boards.litex.flow import export_board
from xymac.boards.loading import program_words
from xymac.host.cli.command import positive
from xymac.host.cli.inputs import add_pixels, read_inputs
from xymac.host.errors import InputError
from xymac.host.files import make_folder, write_whole
from xymac.host.network.load import load_model
from xymac.host.plural import plural

__all__ = ["add_program", "build_program", "check_program"]

_PROGRAM = "program.bin"
_IMAGE   = "program.fbi"  # the same for the flash


def add_program(parser):
    """Add --network, --images, --pixels and --limit."""
    parser.add_argument("--network", metavar="NET",
                        help=f"write {_PROGRAM}, and {_IMAGE} for its flash, for the processor "
                             f"of --soc, which runs this network, in place of a bitstream")
    parser.add_argument("--images", metavar="F",
                        help="inputs in the program, as `xymac run` reads them (default: a "
                             "random one)")
    add_pixels(parser)
    parser.add_argument("--limit", metavar="N", type=positive, help="at most N images")


def check_program(options):
    """Raise InputError for options that lack another, or exclude each other."""
    if options.network is not None and not options.soc:
        raise InputError("--network needs --soc, whose processor runs the program")
    for name in ("images", "pixels", "limit"):
        if getattr(options, name) is not None and options.network is None:
            raise InputError(f"--{name} needs --network, whose program has the images")
    if options.network is not None and (options.seeds != 1 or options.cluster is not None):
        name = "seeds" if options.seeds != 1 else "cluster"
        raise InputError(f"--{name} is for bitstreams, and --network makes a program alone")


def build_program(board, size, options, folder, console):
    """Write the program to ``folder``, and print how it gets onto the board."""
    network = load_model(options.network)
    images  = read_inputs(options.images, network, options.limit, options.pixels)
    make_folder(folder)
    with tempfile.TemporaryDirectory() as name, console.status("Compiling the program"):
        system = export_board(board, size, Path(name))
        words  = make_program(network, images, system, Path(name) / "program")
    data = struct.pack(f"<{len(words)}I", *words)
    with write_whole(folder / _PROGRAM) as partial:
        partial.write_bytes(data)
    console.print(f"{folder / _PROGRAM}, {len(data):,} bytes, {network.name} with "
                  f"{plural(images.count, 'image')}; load it with", markup=False,
                  soft_wrap=True)
    console.print(f"  litex_term --speed {board.baud} --kernel {folder / _PROGRAM} PORT",
                  markup=False, soft_wrap=True)
    for line in _write_image(board, data, folder / _IMAGE):
        console.print(line, markup=False, soft_wrap=True)
    return 0


def _write_image(board, data, path):
    """Write a program's flash image, if the flash has room; returns lines on how to write it.

    Without it the program still comes over the serial line.
    """
    path.unlink(missing_ok=True)
    try:
        image = flash_image(data)
    except InputError as error:
        return [f"no {path}: {error}"]
    with write_whole(path) as partial:
        partial.write_bytes(image)
    return [f"or write {path} to the flash, from which the system starts it at power-on:",
            f"  {' '.join(program_words(board, path))}",
            f"`xymac load --board {board.name} --program {path}` does the second"]
