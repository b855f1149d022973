# SPDX-License-Identifier: Apache-2.0
"""A network's answers for people: a line for each image, and the accuracy."""

from pathlib import PurePath

import numpy as np

from xymac.host.accuracy.data import read_classes
from xymac.host.errors import InputError
from xymac.host.files.text import plain
from xymac.host.network.inference import class_of, is_index
from xymac.host.network.inputs.values import dequantise

__all__ = ["answer_lines", "read_names"]

SHOWN   = 10  #: Images that are shown from the first on; wrong answers come in addition.
WRONG   = 20  #: Wrong answers that are shown.
_MAPS   = 3   # images whose outputs are shown as shapes and ranges
_SHARES = ("SOFTMAX", "LOGISTIC", "softmax", "sigm")
_NAME   = 28  # characters of a file or class name


def read_names(path, network):
    """Class names of a text file, a tuple of str; empty without a file.

    InputError unless there are as many as a vector has elements that is the only output.
    """
    names = read_classes(path) if path else ()
    last  = network.values[network.outputs[-1]].data
    count = last.shape[-1] if last.ndim and len(network.outputs) == 1 else 0
    if names and 1 < count == last.size and len(names) != count:
        raise InputError(f"{path} must name {count} classes, as many as the output of "
                         f"{network.name} has, not {len(names)}")
    return names


def answer_lines(network, outputs, images, classes=()):
    """Lines on every image's outputs.

    Parameters
    ----------
    network : Network or Executable
    outputs : list per image, the outputs as an array tuple
    images : Images, with labels or without
    classes : tuple of str, class names; empty for numbers

    A vector output is a score for each class, a single int32 element the class itself. For other
    outputs, such as a detector's boxes, the lines give shapes and ranges.
    """
    last = outputs[0][-1]
    if len(outputs[0]) == 1 and (is_index(last) or 1 < last.size == last.shape[-1]):
        yield from _class_lines(network, [arrays[-1].reshape(-1) for arrays in outputs], images,
                                classes or images.classes)
    else:
        yield from _map_lines(network, outputs, images)


def _class_lines(network, scores, images, classes):
    """A line for each shown image, a line for the rest, and the accuracy."""
    blank  = network.values[network.outputs[-1]]
    labels = images.labels
    best   = [class_of(each) for each in scores]
    wrong  = [] if labels is None else [
        index for index, answer in enumerate(best) if answer != labels[index]]
    shown  = sorted({*range(min(SHOWN, len(best))), *wrong[:WRONG]})
    share  = _gives_shares(network)
    scored = not is_index(scores[0])
    rows   = [("image", "answer", *("share" if share else "score",) * scored,
               *(() if labels is None else ("label", "")))]
    for index in shown:
        score = _real(scores[index], blank)[best[index]] if scored else 0
        rows.append((_title(images, index), _class(best[index], classes),
                     *(f"{score:.1%}" if share else f"{score:.4g}",) * scored,
                     *(() if labels is None else (
                         _class(int(labels[index]), classes), "wrong" * (index in wrong)))))
    yield from _align(rows)
    if len(shown) < len(best):
        more = len(wrong) - len([index for index in wrong if index in shown])
        yield (f"... {len(best) - len(shown)} more images"
               + (f", {more} of them wrong" if more else "" if labels is None else ", all right"))
    if labels is not None:
        right = len(best) - len(wrong)
        yield f"{right} of {len(best)} right ({right / len(best):.1%})"


def _map_lines(network, outputs, images):
    """A line for each output of the first images, with its shape and range."""
    rows = [("image", "output", "shape", "lowest", "highest")]
    for index, arrays in enumerate(outputs[:_MAPS]):
        for number, name, data in zip(network.outputs, network.output_names, arrays, strict=True):
            values = _real(data, network.values[number])
            rows.append((_title(images, index), _cut(name),
                         "x".join(map(str, data.shape)) or "scalar", f"{values.min():.6g}",
                         f"{values.max():.6g}"))
    yield from _align(rows)
    if len(outputs) > _MAPS:
        yield f"... {len(outputs) - _MAPS} more images"
    yield "--outputs F.npz writes the elements of all outputs by their names"


def _gives_shares(network):
    """Whether the last output's layer gives values from 0 to 1 that are shares."""
    number = network.outputs[-1]
    first  = getattr(network, "first", None)
    return first is not None and number >= first and network.operators[number - first] in _SHARES


def _real(data, blank):
    values = dequantise(data, blank)
    return np.asarray(data) if values is None else values


def _title(images, index):
    if not images.files:
        return str(index)
    return _cut("/".join(PurePath(images.files[index]).parts[-2:]))


def _class(number, classes):
    return _cut(classes[number]) if 0 <= number < len(classes) else str(number)


def _cut(name):
    name = plain(name)
    return name if len(name) <= _NAME else f"…{name[1 - _NAME:]}"


def _align(rows):
    """Text rows as lines in columns; score and range numbers are to the right."""
    right  = {"share", "score", "lowest", "highest"}
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.rjust(width) if head in right else cell.ljust(width)
                        for cell, width, head in zip(row, widths, rows[0], strict=True)).rstrip()
