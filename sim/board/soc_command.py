# SPDX-License-Identifier: Apache-2.0
"""``xymac simulate --soc``: VexRiscv in a LiteX system runs a network on the core."""

from xymac.boards.firmware.flash import flash_image
from xymac.hdl.config import SIZES, find_size
from xymac.host.cli.command import positive
from xymac.host.cli.inputs import add_pixels, read_inputs
from xymac.host.errors import InputError
from xymac.host.examples import DATA
from xymac.host.network.load import load_model

from .soc import simulate_soc

__all__ = ["add_soc", "check_soc", "execute_soc"]

_NETWORK = DATA / "digits_cnn.tflite"
_IMAGES  = DATA / "digits_pixels.npz"
_SIZE    = "tiny"
_COUNT   = 3


def add_soc(parser):
    """Add --soc, --images, --pixels, --limit and --flash."""
    parser.add_argument("--soc", metavar="NET", nargs="?", const=_NETWORK,
                        help="instead of a board: a LiteX system in which VexRiscv runs the "
                             "network NET on the core, and compares its outputs with golden "
                             "(default: the handwritten digits)")
    parser.add_argument("--images", metavar="F",
                        help="inputs of --soc as `xymac run` reads them (default: those of the "
                             "digits, or a random one)")
    add_pixels(parser)
    parser.add_argument("--limit", metavar="N", type=positive,
                        help=f"at most N images of --soc (default: {_COUNT})")
    parser.add_argument("--flash", action="store_true",
                        help="the program of --soc lies in an SPI flash, from which the boot "
                             "program copies it (default: in the SDRAM at power-on)")


def execute_soc(options, console):
    """Run the command; returns 0, or 1 if an output differs or the program fails."""
    network = load_model(options.soc)
    images  = options.images or (_IMAGES if options.soc == _NETWORK else None)
    inputs  = read_inputs(images, network, options.limit or _COUNT, options.pixels)
    size    = options.size or _SIZE
    if not find_size(size).capabilities.parallel:
        raise InputError(f"A system with a processor has a core of the sizes {', '.join(SIZES)} or "
                         f"of fields, not {size}")
    console.print(f"{network.name} on VexRiscv with a core of size {size}", markup=False)
    with console.status("Building the system"):
        run = simulate_soc(network, inputs, size, flash=flash_image if options.flash else None,
                           show=lambda line: console.print(line, markup=False, soft_wrap=True))
    console.print(f"{run.cycles:,} cycles in all, {run.pace:,.0f} a second simulated")
    return int(not run.passed)


def check_soc(options):
    """Raise InputError for a --soc option without --soc."""
    for name in ("images", "pixels", "limit"):
        if getattr(options, name) is not None:
            raise InputError(f"--{name} needs --soc, whose program has the images")
    if options.flash:
        raise InputError("--flash needs --soc, whose program lies in the flash")
