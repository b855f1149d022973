# SPDX-License-Identifier: Apache-2.0
"""``xymac compile`` options for a core without a host: ROM and RAM for a system on a chip."""

from xymac.host.errors import InputError
from xymac.host.network.inference import each_input
from xymac.host.network.standalone import FILES, check_files, make_standalone, save_standalone
from xymac.host.plural import plural

from .inputs import add_pixels, read_inputs

__all__ = ["add_rom", "make_rom", "read_image", "save_rom"]


def add_rom(parser):
    """Add --rom, --images and --pixels."""
    parser.add_argument("--rom", action="store_true",
                        help=f"write {', '.join(FILES)} as well, which a system on a chip in "
                             f"Verilog runs without a processor (see docs/integration.md)")
    parser.add_argument("--images", metavar="FILE",
                        help="inputs as `xymac run` reads them, of which the first lies in the RAM "
                             "of --rom (default: a random one)")
    add_pixels(parser)


def read_image(options, network):
    """Input arrays for --rom, None without --rom; InputError for conflicting options."""
    if not options.rom:
        for name in ("images", "pixels"):
            if getattr(options, name):
                raise InputError(f"--{name} needs --rom")
        return None
    check_files(options.output)
    return next(each_input(read_inputs(options.images, network, 1, options.pixels).data))


def make_rom(executable, image):
    """Standalone for an Executable with the ``read_image`` inputs; None without inputs."""
    return None if image is None else make_standalone(executable, image)


def save_rom(folder, standalone):
    """Write the files to an existing folder and yield a sentence about them; nothing for None."""
    if standalone is None:
        return
    save_standalone(folder, standalone)
    content = standalone.description
    yield (f"For a system on a chip: {', '.join(FILES)}; "
           f"{_memory('ROM', content['rom_words'])}, {_memory('RAM', content['ram_words'])}")


def _memory(name, words):
    return f"{name} of {plural(words, 'word')} ({name}_BITS {(words - 1).bit_length()} or more)"
