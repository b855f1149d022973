# SPDX-License-Identifier: Apache-2.0
"""Network inputs from .npy, .npz and image files."""

import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from xymac.host.errors import InputError, check_path, check_type
from xymac.host.executable.executable import Executable
from xymac.host.files.arrays import find_only, load_array, load_arrays
from xymac.host.files.foreign import check_inputs_file

from ..network import Images, Network
from .labels import number_labels
from .pictures import is_picture, labelled_files
from .pixels import array_reader, load_pixels
from .values import fit_values, is_scaled, takes_type

__all__ = ["load_images", "load_inputs"]

#: Names of a single input's array in an .npz file, and of its labels.
_NAMES  = ("images", "data", "x", "x_test")
_LABELS = ("labels", "label", "y", "y_test")
_SHOWN  = 8  #: Array names in a sentence.


def load_images(path, network, pixels=None):
    """Read the Images in ``path`` for ``network``; InputError if they do not fit its inputs.

    ``.npz``: arrays by input name, or a single input as ``images``, ``data``, ``x`` or ``x_test``,
    and optional labels as ``labels``, ``label``, ``y`` or ``y_test``, see ``number_labels``; of
    both, two arrays are refused.
    ``.npy``: the array of a single input. PNG, JPEG and BMP: a single image per file. A folder: its
    image files in name order, numbers by value (2.png before 10.png), or the image files in its
    folders, whose names are the labels.

    An array has shape ``(count, *input shape)``; the input's first dimension can be omitted if it
    has size 1, and then the last one of an image too. The array has the input's type, or a
    floating-point type that ``fit_values`` quantises. uint8 arrays with an image's shape are
    pixels, see ``host/network/inputs/pixels.py``; ``pixels`` is their PixelRange, or None.
    """
    images, labels = load_inputs(path, network, pixels)
    if labels is None:
        return images
    numbers, classes = number_labels(f"Labels in {path}", labels, images.count)
    return replace(images, labels=numbers, classes=classes)


def load_inputs(path, network, pixels=None):
    """(Images in ``path`` without labels, unconverted labels as an array or None)."""
    check_path("path", path, "file or folder")
    check_type("network", network, Network, Executable, hint=": load_model reads a file")
    path = Path(path)
    check_inputs_file(path)
    if path.is_dir() or is_picture(path):
        files, labels = labelled_files(path)
        data, reading = load_pixels(path, files, network, pixels)
        return Images(data, None, reading, tuple(str(file) for file in files)), labels
    suffix = path.suffix.lower()
    if path.is_file() and suffix not in (".npy", ".npz") and not zipfile.is_zipfile(path):
        raise InputError(f"{path} must be a PNG, JPEG, BMP, .npy or .npz file")
    if suffix == ".npy":
        arrays, labels = {_only_name(path, network): load_array(path)}, None
    else:
        arrays, labels = _named_arrays(path, network)
    fitted = [_fit(path, network, number, arrays[name], pixels)
              for number, name in enumerate(network.input_names)]
    counts = {len(each) for each, _ in fitted}
    if len(counts) > 1:
        raise InputError(f"Inputs in {path} must be equally many, "
                         f"not {', '.join(str(len(each)) for each, _ in fitted)}")
    data = tuple(each for each, _ in fitted)
    return Images(data[0] if len(data) == 1 else data, None,
                  next((reading for _, reading in fitted if reading), "")), labels


def _named_arrays(path, network):
    """Arrays by input name, and labels or None."""
    arrays = load_arrays(path)
    names  = network.input_names
    labels = find_only(path, "labels", {name: array for name, array in arrays.items()
                                        if name not in names}, _LABELS)
    if len(names) == 1 and names[0] not in arrays:
        data = find_only(path, "inputs", arrays, _NAMES)
        if data is None:
            raise InputError(f"{path} holds no images: the key 'images' is missing, there are "
                             f"{', '.join(map(repr, list(arrays)[:_SHOWN])) or 'no arrays'}")
        return {names[0]: data}, labels
    for name in names:
        if name not in arrays:
            raise InputError(f"{path} holds no input {name!r}, one of "
                             f"{', '.join(map(repr, names))}")
    return arrays, labels


def _only_name(path, network):
    if len(network.inputs) > 1:
        raise InputError(f"{network.name} has {len(network.inputs)} inputs: they must be in an "
                         f".npz file by their names, {', '.join(map(repr, network.input_names))}, "
                         f"not in {path}")
    return network.input_names[0]


def _fit(path, network, number, data, pixels):
    """(array ``(count, *input shape)`` with the type of input ``number``, description of the
    conversion, a str).
    """
    blank, shapes = network.inputs[number], _shapes(network, number)
    what   = (f"Images in {path}" if len(network.inputs) == 1
              else f"Input {network.input_names[number]!r} in {path}")
    if data.shape[:1] == (0,):
        raise InputError(f"{what} must be at least 1, not 0")
    fits   = data.shape[1:] in shapes and data.ndim
    reader = fits and data.dtype == np.uint8 and array_reader(network, number, pixels)
    if reader:
        read, reading = reader
        values = read(data.astype(np.float64))
        return np.asarray(values).reshape(len(data), *blank.shape), f"uint8 {reading}"
    if pixels is not None:
        raise InputError(f"--pixels is for PNG, JPEG and BMP files and for uint8 arrays, not "
                         f"{path}")
    if not fits or not takes_type(blank, data.dtype):
        wanted = " or ".join(f"(count, {', '.join(map(str, shape))})" if shape else "(count,)"
                             for shape in shapes)
        types  = f"{blank.data.dtype}{' or floating point' * is_scaled(blank)}"
        raise InputError(f"{what} must be {types} of shape {wanted}, "
                         f"not {data.dtype} of shape {data.shape}{_advice(blank, data)}")
    values, reading = fit_values(what, blank, data)
    return values.reshape(len(data), *blank.shape), reading


def _shapes(network, number):
    """Accepted shapes: the input's, without a leading 1, and without a trailing 1 of an image."""
    shape  = network.inputs[number].shape
    shapes = [shape]
    if network.numbers and shape[:1] == (1,):
        shapes.append(shape[1:])
        if len(shape) == 4 and shape[-1] == 1:
            shapes.append(shape[1:-1])
    return shapes


def _advice(blank, data):
    """Hint, appended to a sentence, for uint8 elements and an int8 input."""
    if data.dtype != np.uint8 or blank.data.dtype != np.int8:
        return ""
    return (": elements of uint8 become int8 by (x.astype(np.int16) - 128).astype(np.int8) if both "
            "have the same scale")
