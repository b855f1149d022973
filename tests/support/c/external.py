# SPDX-License-Identifier: Apache-2.0
"""Images as C programs whose core is the golden machine."""

import numpy as np

from tests.support.images import SHORT, images_of
from xymac.hdl.config import TINY, change_size
from xymac.host.c.network import image_files
from xymac.host.c.sources import DRIVER
from xymac.host.cli.dma import make_image
from xymac.host.network.session import Session

from .golden_core import GoldenCore, run_beside
from .programs import PROGRAMS, compile_c, link_program, write_driver

__all__ = ["CONFIG", "GOLDEN", "build", "image_for", "run_in_c", "write_image"]

CONFIG = change_size(TINY, dma=32)
GOLDEN = "outputs = golden, bit for bit\n"


def image_for(network):
    """A Network's Image for CONFIG."""
    return make_image(network, CONFIG, SHORT)


def write_image(folder, network, image):
    """Write an image and the driver as C."""
    [example] = images_of(network, [1])
    outputs   = [each.data for each in Session(network).run(*example).outputs]
    for name, text in image_files(image, example, outputs).items():
        (folder / name).write_text(text)
    write_driver(folder)


def build(folder, *options, main="main.c", links=()):
    """Compile the files in a folder and ``pipe.c``; returns the program."""
    for name in {main, "pipe.c"} - {"main.c"}:
        (folder / name).write_text((PROGRAMS / name).read_text())
    names = ("network.c", main, "pipe.c", *(name for name in DRIVER if name.endswith(".c")))
    return link_program(folder, [compile_c(folder / name, folder, *options) for name in names],
                        *links)


def run_in_c(folder, network, images, *arguments, options=(), content=None):
    """Outputs of a network that C runs on inputs one after the other, and the GoldenCore; options
    are the compiler's, content the core's."""
    write_image(folder, network, image_for(network))
    name    = (folder / "network.h").read_text().partition("extern const xymac_external ")[2]
    program = build(folder, "-DEXTERNAL", f"-DNETWORK={name.partition(';')[0]}", *options,
                    main="stream.c")
    core    = GoldenCore(CONFIG, content)
    code, out = run_beside(core, program, *arguments,
                           given=b"".join(x.tobytes() for image in images for x in image))
    assert code == 0
    outputs = [network.values[number].data for number in network.outputs]
    kind    = np.dtype([(str(index), each.dtype, each.shape)
                        for index, each in enumerate(outputs)])
    return [list(row) for row in np.frombuffer(out, kind)], core
