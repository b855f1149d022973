# SPDX-License-Identifier: Apache-2.0
"""Networks as images for cores with a DMA: ``xymac compile --dma`` and ``xymac run --dma``."""

from argparse import ArgumentTypeError

from xymac.hdl.config import WIDTHS, change_size, find_size
from xymac.host.c.network import NETWORK_FILES, image_files
from xymac.host.errors import InputError, translate_refusals
from xymac.host.executable.steps import COPY
from xymac.host.files import fill_folder, write_file
from xymac.host.image.build import build_image
from xymac.host.image.description import (
    DESCRIPTION,
    IMAGE,
    check_description,
    check_image_folder,
    save_image,
)
from xymac.host.image.driver import DRIVER_FILES, driver_files
from xymac.host.image.external import ExternalMemory, parse_memory
from xymac.host.network.linker import compile_network
from xymac.host.network.load import load_model

from .inputs import read_example

__all__ = ["add_dma", "add_memory", "check_memory", "compile_image", "config_of", "make_image"]

#: Options of ``xymac compile`` that an image has no use for.
_NOT_HERE = "rom", "images"


def add_dma(parser):
    """Add --dma and --memory."""
    parser.add_argument("--dma", metavar="BITS", type=int, choices=WIDTHS,
                        help=f"a core with a DMA of {', '.join(map(str, WIDTHS))} bits: the "
                             f"network becomes an image in external memory with command lists, "
                             f"as in `xymac compile host/examples/data/digits_cnn.tflite -o "
                             f"build/digits_dma --dma 32`")
    add_memory(parser)


def add_memory(parser):
    """Add --memory."""
    parser.add_argument("--memory", metavar="FIELDS", type=_memory,
                        help="with --dma: timing of the external memory at the core's clock, as "
                             "in width=32,latency=20,miss=6,row=1024,refresh_every=780,refresh=8 "
                             "(default: an SDRAM of 16 bits)")


def _memory(text):
    try:
        return parse_memory(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error


def config_of(options):
    """CoreConfig for --size with the --dma DMA; InputError if the core can have none, or has
    another.
    """
    size = find_size(options.size or "base")
    if size.dma and size.dma != options.dma:
        raise InputError(f"--dma {options.dma} contradicts --size {options.size}, which has a DMA "
                         f"of {size.dma} bits")
    with translate_refusals("A core with a DMA", ValueError):
        return change_size(size, dma=options.dma)


def make_image(network, config, memory):
    """A Network's Image; InputError as ``compile_network`` and ``build_image``."""
    executable = compile_network(network, config, cascades=True)
    return build_image(executable, config, memory or ExternalMemory())


def compile_image(options, console):
    """``xymac compile --dma``."""
    for name in _NOT_HERE:
        if getattr(options, name, None):
            raise InputError(f"--{name} does not go with --dma")
    network = load_model(options.network)
    config  = config_of(options)
    example = read_example(options, network) if options.c else None
    with fill_folder(options.output) as folder:
        check_image_folder(folder, NETWORK_FILES if options.c else DRIVER_FILES)
        with console.status(f"Making an image of {network.name} for size {config.name}"):
            image = make_image(network, config, options.memory)
            if not options.c:
                check_description(image)
            texts = image_files(image, *example) if options.c else driver_files(image)
        save_image(folder, image)
        for name, text in texts.items():
            write_file(folder / name, text)
    for line in _lines(image, computes=not options.c):
        console.print(line, markup=False, soft_wrap=True)
    console.print(f"Written to {options.output}: {', '.join((IMAGE, DESCRIPTION, *texts))}",
                  markup=False, soft_wrap=True)
    return 0


def check_memory(options):
    """InputError for a --memory without --dma."""
    if options.memory and not options.dma:
        raise InputError("--memory needs --dma, whose transfers it times")


def _lines(image, *, computes):
    """Sentences about an image; ``computes`` tells whether the user's program has host steps."""
    commands = [len(each.commands) for each in (image.load, image.run)]
    yield (f"{image.executable.name}: an image of {image.content.size:,} bytes for size "
           f"{image.executable.size}, {commands[0]} commands once and {commands[1]} for each input")
    for place, steps in (("Before", image.before), ("After", image.after)):
        names = ", ".join(sorted({type(step.kernel).__name__ for step in steps
                                   if step.kernel != COPY}))
        if names and computes:
            yield f"{place} each run the user computes {names}"
