# SPDX-License-Identifier: Apache-2.0
"""``images.c``: images for a network, and golden's outputs for them."""

import numpy as np

from xymac.host.c.numbers import list_array
from xymac.host.network.inference import each_input
from xymac.host.network.session import Session

__all__ = ["images_file"]

_TEXT = """\
/* SPDX-License-Identifier: Apache-2.0 */
#include "images.h"
#include "network.h"

const xymac_network *const images_network = &{name};
const uint32_t images_count = {count}u;
{arrays}
"""


def images_file(network, name, images):
    """The text of ``images.c``, and the byte count of all outputs for an image.

    Parameters
    ----------
    network : Network
    name : str, its identifier in ``network.h``
    images : Images

    States persist from image to image, as in the program.
    """
    session, inputs, outputs, size = Session(network), [], [], 0
    for each in each_input(images.data):
        made = [value.data for value in session.run(*each).outputs]
        size = sum(len(_padded(array)) for array in made)
        inputs  += map(_padded, each)
        outputs += map(_padded, made)
    lines = []
    for array, content in (("images_inputs", inputs), ("images_outputs", outputs)):
        words  = np.frombuffer(b"".join(content), "<u4")
        lines += list_array("const", "uint32_t", array, words)
    return _TEXT.format(name=name, count=images.count, arrays="\n".join(lines)), size


def _padded(array):
    """An array's bytes, padded to a multiple of 4."""
    data = np.ascontiguousarray(array).tobytes()
    return data + bytes(-len(data) % 4)
