# SPDX-License-Identifier: Apache-2.0
"""``lists_data.c``: a network as an image for a DMA, inputs, and golden's outputs."""

import numpy as np

from xymac.hdl.config import find_size
from xymac.host.c.numbers import list_array
from xymac.host.errors import InputError
from xymac.host.image.build import build_image
from xymac.host.image.external import ExternalMemory
from xymac.host.network.inference import each_input
from xymac.host.network.linker import compile_network
from xymac.host.network.session import Session

__all__ = ["lists_file"]

_TEXT = """\
/* SPDX-License-Identifier: Apache-2.0 */
#include "lists.h"
#include "xymac_network.h"

const char lists_name[] = "{name}";
const uint32_t lists_size = {size}u, lists_load = {load}u, lists_run = {run}u;
const lists_place lists_inputs[] = {{{inputs}}}, lists_outputs[] = {{{outputs}}};
const uint32_t lists_input_count = {input_count}u, lists_output_count = {output_count}u;
const uint32_t lists_count = {count}u, lists_type = XYMAC_{type}, lists_elements = {elements}u;
{arrays}
"""
_ALIGNED = "__attribute__((aligned(64)))"


def lists_file(network, images, size):
    """The text of ``lists_data.c`` for a ``size`` core, which has a DMA.

    InputError for a network with a host computation, or with an output outside the image's arrays.
    States persist from image to image, as in the program.
    """
    executable = compile_network(network, find_size(size))
    image = build_image(executable, find_size(size), ExternalMemory())
    _check(network, image)
    inputs  = [image.places[number] for number in range(len(executable.inputs))]
    outputs = [image.places[number] for number in executable.outputs]
    session, given, wanted = Session(network), [], []
    for each in each_input(images.data):
        made    = [value.data for value in session.run(*each).outputs]
        given  += [_padded(place.encode(data)) for place, data in zip(inputs, each, strict=True)]
        wanted += [_padded(place.encode(data)) for place, data in zip(outputs, made, strict=True)]
    lines = list_array(_ALIGNED, "uint32_t", "lists_image", _words([_padded(image.content)]))
    for array, content in (("lists_given", given), ("lists_wanted", wanted)):
        lines += list_array("const", "uint32_t", array, _words(content))
    last = executable.values[executable.outputs[-1]].data
    return _TEXT.format(
        name=executable.name, size=image.content.size, load=image.load.offset,
        run=image.run.offset, inputs=_spell(inputs), outputs=_spell(outputs),
        input_count=len(inputs), output_count=len(outputs), count=images.count,
        type=last.dtype.name.upper(), elements=last.size, arrays="\n".join(lines))


def _check(network, image):
    """Raise InputError for a network beyond a list alone."""
    if image.before or image.after:
        raise InputError(f"{network.name} has values in floating point, which the program of a "
                         f"system with a DMA does not convert")
    for number in image.executable.outputs:
        if not getattr(image.places[number], "is_array", False):
            raise InputError(f"An output of {network.name} is not an array in the image, which the "
                             f"program of a system with a DMA needs")


def _spell(places):
    return ", ".join(f"{{{place.offset}u, {place.bytes}u}}" for place in places)


def _padded(data):
    """An array's bytes, padded to a multiple of 4."""
    text = np.ascontiguousarray(data).tobytes()
    return text + bytes(-len(text) % 4)


def _words(blocks):
    return np.frombuffer(b"".join(blocks), "<u4")
