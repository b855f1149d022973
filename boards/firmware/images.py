# SPDX-License-Identifier: Apache-2.0
"""C files with a network, images for it, and golden's outputs for them."""

import numpy as np

from xymac.hdl.config import find_size
from xymac.host.c.network import c_name, image_files, network_files
from xymac.host.c.numbers import list_array
from xymac.host.image.build import build_image
from xymac.host.image.external import ExternalMemory
from xymac.host.network.inference import each_input
from xymac.host.network.linker import compile_network
from xymac.host.network.session import Session

__all__ = ["program_files"]

_NETWORK = ("network.h", "network.c")
_TEXT    = """\
/* SPDX-License-Identifier: Apache-2.0 */
#include "images.h"
#include "network.h"

const xymac_{kind} *const images_{kind} = &{name};
const uint32_t images_count = {count}u;
{arrays}
"""


def program_files(network, images, size):
    """C files, ``{name: text}``, and the byte count of all outputs for an image.

    Parameters
    ----------
    network : Network
    images : Images
    size : str, core size; with a DMA the network is an image in main RAM

    States persist from image to image, as in the program. InputError for a network that does not
    fit the core.
    """
    config     = find_size(size)
    executable = compile_network(network, config)
    session    = Session(network)
    runs       = [(each, [value.data for value in session.run(*each).outputs])
                  for each in each_input(images.data)]
    if config.dma:
        kind  = "external"
        image = build_image(executable, config, ExternalMemory(), arrays=True)
        files = image_files(image, *runs[0])
    else:
        kind, files = "network", network_files(executable, *runs[0])
    inputs, outputs = (b"".join(_padded(array) for run in runs for array in run[end])
                       for end in range(2))
    lines = [line for array, content in (("images_inputs", inputs), ("images_outputs", outputs))
             for line in list_array("const XYMAC_ALIGNED", "uint32_t", array,
                                    np.frombuffer(content, "<u4"))]
    text  = _TEXT.format(kind=kind, name=c_name(executable), count=images.count,
                         arrays="\n".join(lines))
    return ({"images.c": text, **{name: files[name] for name in _NETWORK}},
            len(outputs) // images.count)


def _padded(array):
    """An array's bytes, padded to a multiple of 4."""
    data = np.ascontiguousarray(array).tobytes()
    return data + bytes(-len(data) % 4)
