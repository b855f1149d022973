# SPDX-License-Identifier: Apache-2.0
"""Network inputs from .npy, .npz and image files."""

from pathlib import Path

from xymac.host.errors import InputError
from xymac.host.files.arrays import load_array, load_arrays

from ..network import Images
from .pictures import is_picture
from .pixels import load_pixels
from .values import fit_values, is_scaled, takes_type

__all__ = ["load_images"]

_NAMES  = ("images", "data")  #: Names of a single input's array in an .npz file.
_LABELS = "labels"
#: Suffixes of unsupported image files.
_OTHERS = (".avif", ".gif", ".heic", ".pgm", ".ppm", ".svg", ".tif", ".tiff", ".webp")


def load_images(path, network, pixels=None):
    """Read the Images in ``path`` for ``network``; InputError if they do not fit its inputs.

    ``.npz``: arrays by input name, or a single input as ``images`` or ``data``, and optional
    ``labels``. ``.npy``: the array of a single input. PNG, JPEG and BMP files: a single image each;
    a folder: all its image files in name order.

    An array has shape ``(count, *input shape)``; a first dimension with size 1 can be omitted. It
    has the input type, or floating point for ``fit_values`` to quantise. For image files see
    ``host/network/inputs/pixels.py``; ``pixels`` is their PixelRange, or None.
    """
    path = Path(path)
    if path.is_dir() or is_picture(path):
        data, reading = load_pixels(path, network, pixels)
        return Images(data, None, reading)
    if pixels is not None:
        raise InputError(f"--pixels is for PNG, JPEG and BMP files, not {path}")
    if path.suffix.lower() in _OTHERS:
        raise InputError(f"{path} must be a PNG, JPEG, BMP, .npy or .npz file")
    if path.suffix.lower() == ".npy":
        arrays, labels = {_only_name(path, network): load_array(path)}, None
    else:
        arrays, labels = _named_arrays(path, network)
    values, readings = [], []
    for name, blank in zip(network.input_names, network.inputs, strict=True):
        data, reading = _fit(path, network, name, blank, arrays[name])
        values.append(data)
        readings.append(reading)
    counts = {len(each) for each in values}
    if len(counts) > 1:
        raise InputError(f"Inputs in {path} must be equally many, "
                         f"not {', '.join(str(len(each)) for each in values)}")
    if labels is not None and labels.shape != values[0].shape[:1]:
        raise InputError(f"Labels in {path} must have shape {values[0].shape[:1]}, "
                         f"not {labels.shape}")
    if labels is not None and labels.dtype.kind not in "iub":
        raise InputError(f"Labels in {path} must be integers, not {labels.dtype}")
    return Images(values[0] if len(values) == 1 else tuple(values), labels,
                  next(filter(None, readings), ""))


def _named_arrays(path, network):
    """Arrays by input name, and labels or None."""
    arrays = load_arrays(path)
    names  = network.input_names
    if len(names) == 1 and names[0] not in arrays:
        known = [name for name in _NAMES if name in arrays]
        if not known:
            raise InputError(f"{path} holds no images: the key 'images' is missing")
        return {names[0]: arrays[known[0]]}, arrays.get(_LABELS)
    for name in names:
        if name not in arrays:
            raise InputError(f"{path} holds no input {name!r}, one of "
                             f"{', '.join(map(repr, names))}")
    return arrays, (None if _LABELS in names else arrays.get(_LABELS))


def _only_name(path, network):
    if len(network.inputs) > 1:
        raise InputError(f"{network.name} has {len(network.inputs)} inputs: they must be in an "
                         f".npz file by their names, {', '.join(map(repr, network.input_names))}, "
                         f"not in {path}")
    return network.input_names[0]


def _fit(path, network, name, blank, data):
    """An array ``(count, *input shape)`` with the input's type, and a text on how its values were
    read.
    """
    shapes = [blank.shape]
    if network.numbers and blank.shape[:1] == (1,):
        shapes.append(blank.shape[1:])
    what = f"Images in {path}" if len(network.inputs) == 1 else f"Input {name!r} in {path}"
    if (data.shape[1:] not in shapes or not data.ndim or not len(data)
            or not takes_type(blank, data.dtype)):
        wanted = " or ".join(f"(count, {', '.join(map(str, shape))})" if shape else "(count,)"
                             for shape in shapes)
        types  = f"{blank.data.dtype}{' or floating point' * is_scaled(blank)}"
        raise InputError(f"{what} must be {types} of shape {wanted}, "
                         f"not {data.dtype} of shape {data.shape}")
    values, reading = fit_values(what, blank, data)
    return values.reshape(len(data), *blank.shape), reading
