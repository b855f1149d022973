# SPDX-License-Identifier: Apache-2.0
"""An image as two files: ``image.bin``, its bytes, and ``image.json``.

``image.json``::

    {"format": 1, "network": "digits_cnn", "size": "base_dma32", "image": "image.bin",
     "sha256": "...", "bytes": 23296, "alignment": 64, "load": 16448, "run": 16768,
     "inputs": [{"name": "x", "offset": 0, "bytes": 64, "shape": [1, 8, 8, 1],
                 "type": "int8", "scale": 0.1, "zero_point": -128}],
     "outputs": [...], "states": [...]}

The image starts anywhere in external memory, at a multiple of ``alignment``, with all its ``bytes``
writable. ``load`` and ``run`` are the command list offsets: ``load`` runs once, ``run`` for each
input. ``offset`` is a value's first byte, ``bytes`` its size. ``states`` are carried from run to
run; a copy of their first bytes resets them.

A value without ``places`` is the array in C order, little-endian. Otherwise ``places`` are its
element bytes from ``offset`` on, in C order, as triples [first, count, step]. With ``takes`` an
element has several places: for each place the element number, -1 for ``fill``. A 32-bit element
with ``upper`` has its upper 16 bits there, and its lower 16 bits, minus 32,768, at ``places``. With
``less``, uint8 elements are stored minus 128.

A floating-point network's value is the integer behind its QUANTIZE or before its DEQUANTIZE;
``scale`` and ``zero_point`` give its real value. ``host`` names the other layers, if any, that the
processor computes around a run; the entries are then values in the image, not of the network.
"""

import hashlib
import json
import re
from pathlib import Path

from xymac.golden.tflm import Dequantize, Quantize
from xymac.host.errors import InputError
from xymac.host.executable.steps import COPY, Host, Write
from xymac.host.files import check_writable, make_folder, write_file

from .memory_map import ALIGNMENT

__all__ = ["DESCRIPTION", "IMAGE", "check_description", "check_image_folder", "describe_image",
           "save_image"]

FORMAT      = 1
IMAGE       = "image.bin"
DESCRIPTION = "image.json"
_LISTS      = re.compile(r"\[[-\d,\s]+\]")  # of numbers, written in a line

#: Names of the host computations that C programs have.
_COPIES = "copies"
_IN_C   = {Quantize.__name__, Dequantize.__name__, _COPIES}


def describe_image(image):
    """The ``image.json`` content for an Image, a dict."""
    executable = image.executable
    before = [_find_first(image, number) for number, _ in enumerate(executable.inputs)]
    after  = [_find_last(image, number) for number in executable.outputs]
    others = _host_names(image, {id(step) for _, steps in (*before, *after) for step in steps})
    names  = [f"state {number}" for number in range(len(executable.states))]
    return {
        "format": FORMAT, "network": executable.name, "size": executable.size, "image": IMAGE,
        "sha256": hashlib.sha256(image.content.tobytes()).hexdigest(),
        "bytes": image.content.size, "alignment": ALIGNMENT, "load": image.load.offset,
        "run": image.run.offset,
        **({"host": others} if others else {}),
        "inputs": [_entry(image, name, number) for name, (number, _) in zip(
            executable.input_names, before, strict=True)],
        "outputs": [_entry(image, name, number) for name, (number, _) in zip(
            executable.output_names, after, strict=True)],
        "states": [_entry(image, name, number)
                   for name, number in zip(names, executable.states, strict=True)]}


def _find_first(image, number):
    """(value number, host steps): the value that stands for an input in the image, and the
    QUANTIZE and copies before it, if nothing else reads the values between.
    """
    executable, steps = image.executable, []
    while True:
        [*readers] = (step for step in executable.run if number in _reads(step))
        if len(readers) != 1 or number in executable.outputs or not _is_edge(
                executable, readers[0], Quantize, image.before):
            return number, steps
        steps.append(readers[0])
        number = readers[0].to


def _reads(step):
    """Numbers of the values that a step of a run reads."""
    return step.values if isinstance(step, Host) else (
        (step.value,) if isinstance(step, Write) else ())


def _find_last(image, number):
    """(value number, host steps): the value that stands for an output in the image, and the
    copies and the DEQUANTIZE behind it.
    """
    steps = []
    while True:
        step = next((step for step in image.after if step.to == number), None)
        if step is None or not _is_edge(image.executable, step, Dequantize, image.after):
            return number, steps
        steps.append(step)
        [number] = step.values


def _is_edge(executable, step, kind, steps):
    """Whether a step is in ``steps``, and copies or converts from or to floating point."""
    if all(step is not each for each in steps) or step.to in executable.states:
        return False
    ends = [executable.values[number] for number in (step.values[0], step.to)]
    return step.kernel == COPY or (isinstance(step.kernel, kind) and any(
        value.data.dtype.kind == "f" for value in ends))


def _host_names(image, described):
    """Sorted names of the host steps with other ids than ``described``."""
    return sorted({_COPIES if step.kernel == COPY else type(step.kernel).__name__
                   for step in (*image.before, *image.after) if id(step) not in described})


def _entry(image, name, number):
    """A value's entry."""
    blank, place = image.executable.values[number], image.places[number]
    entry = {"name": name, "offset": place.offset, "bytes": place.bytes,
             "shape": list(blank.shape), "type": blank.data.dtype.name}
    kind  = getattr(blank, "quantisation", None)
    if kind is not None and len(kind.scales) == 1:
        entry |= {"scale": float(kind.scales[0]), "zero_point": int(kind.zero_points[0])}
    return entry | ({"less": 128} if place.less else {}) | place.describe()


def check_description(image):
    """InputError if the processor computes layers that ``image.json`` does not describe."""
    if others := describe_image(image).get("host"):
        hint = "; --c writes them in C" if _IN_C.issuperset(others) else ""
        raise InputError(f"{image.executable.name} has host computations ({', '.join(others)}) "
                         f"beside its command list, and image.json describes QUANTIZE of inputs "
                         f"and DEQUANTIZE of outputs only{hint}")


def check_image_folder(folder, names=()):
    """InputError unless the files, and further ones with ``names``, can be written."""
    make_folder(folder)
    for name in (IMAGE, DESCRIPTION, *names):
        check_writable(Path(folder) / name)


def save_image(folder, image):
    """Write an Image's files to ``folder``."""
    write_file(Path(folder) / IMAGE, image.content.tobytes())
    text = json.dumps(describe_image(image), indent=1)
    write_file(Path(folder) / DESCRIPTION, _LISTS.sub(lambda found: " ".join(
        found[0].split()), text) + "\n")
