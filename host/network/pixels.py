"""PNG files as inputs of networks of TensorFlow Lite.

What a pixel of 0 to 255 stands for, the file of a network does not say. Where the values that an
int8 input can hold are those of 0 to 255, 0 to 1, -1 to 1 or -128 to 127, each end within two steps
of the input, pixels fill that range: elements are the pixels less 128. Elsewhere a pixel is a value
as it is if the input can hold values from 2 on, else it is divided by 255, as for floating point.
"""

from pathlib import Path

import numpy as np

from host.errors import InputError

from .values import quantise

__all__ = ["SUFFIX", "is_png", "load_pixels"]

SUFFIX = ".png"

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HIGHEST   = 255
_RANGES    = ((0.0, 255.0), (0.0, 1.0), (-1.0, 1.0), (-128.0, 127.0))
_STEPS     = 2  #: Of the input, that an end of a range may be off.
_WIDE      = 2  #: Value from which on an input is not one of 0 to 1 or -1 to 1.


def is_png(path):
    """Whether a file begins as PNG files do."""
    try:
        with Path(path).open("rb") as file:
            return file.read(len(_SIGNATURE)) == _SIGNATURE
    except OSError:
        return False


def load_pixels(path, network):
    """The PNG file ``path``, or those in the folder: an array (count, *input shape) of the input's
    type, and how pixels were read, a str. InputError if that is impossible."""
    path  = Path(path)
    blank = _input_of(path, network)
    height, width, channels = _image_shape(path, network, blank)
    read, reading = _reader(blank)
    images = []
    for file in _files(path):
        pixels = _match(file, _read(file), height, width, channels)
        images.append(read(pixels).reshape(blank.shape))
    return np.stack(images), reading


def _files(path):
    if not path.is_dir():
        if not path.is_file():
            raise InputError(f"There is no file {path}")
        return [path]
    files = sorted(file for file in path.iterdir() if file.suffix.lower() == SUFFIX)
    if not files:
        raise InputError(f"The folder {path} holds no PNG files")
    return files


def _input_of(path, network):
    """The only input, zeros."""
    if not network.numbers:
        raise InputError(f"Inputs of {network.name}, which is no .tflite file, must be in an .npz "
                         f"or .npy file, not {path}")
    if len(network.inputs) > 1:
        raise InputError(f"{network.name} has {len(network.inputs)} inputs: they must be in an "
                         f".npz file, not {path}")
    blank = network.inputs[0]
    if blank.data.dtype.kind != "f" and (blank.quantisation is None
                                         or blank.data.dtype.itemsize > 2):
        raise InputError(f"What goes into an input of {blank.type_name} must be in an .npz or "
                         f".npy file, not {path}")
    return blank


def _image_shape(path, network, blank):
    """Rows, columns and channels of the input."""
    shape = blank.shape
    if len(shape) == 4 and shape[0] == 1 and shape[3] in (1, 3):
        return shape[1:]
    if len(shape) == 3 and shape[0] == 1:
        return *shape[1:], 1
    raise InputError(f"PNG files need an input of shape (1, rows, columns, 1 or 3 channels), and "
                     f"that of {network.name} has shape {shape}: {path}")


def _read(path):
    """Pixels of a PNG file, (rows, columns) or (rows, columns, channels), 0 to 255."""
    from matplotlib.image import imread  # here, as it takes longer to load than most commands

    try:
        with path.open("rb") as file:
            values = imread(file, format="png")
    except Exception:  # What libraries raise for a damaged file is documented nowhere.
        raise InputError(f"{path} is damaged or not a PNG file") from None
    return np.rint(np.asarray(values, np.float64) * _HIGHEST)


def _match(path, pixels, height, width, channels):
    """Pixels (rows, columns, channels) of an image of that size, if nothing is lost."""
    wanted = f"{height}x{width} pixels of {channels} channel{'s' * (channels > 1)}"
    if pixels.ndim == 2:
        pixels = pixels[..., np.newaxis]
    given = f"{pixels.shape[0]}x{pixels.shape[1]} of {pixels.shape[2]}"
    if pixels.shape[2] in (2, 4):
        if (pixels[..., -1] != _HIGHEST).any():
            raise InputError(f"{path} must be opaque")
        pixels = pixels[..., :-1]
    if channels == 1 and pixels.shape[2] == 3 and (pixels == pixels[..., :1]).all():
        pixels = pixels[..., :1]
    if channels == 3 and pixels.shape[2] == 1:
        pixels = np.repeat(pixels, channels, axis=2)
    if pixels.shape != (height, width, channels):
        raise InputError(f"{path} must have {wanted}, not {given}")
    return pixels


def _reader(blank):
    """Function from pixels to elements of the input, and what it does, in words."""
    if blank.data.dtype.kind == "f":
        return (lambda pixels: (pixels / _HIGHEST).astype(np.float32)), "pixels divided by 255"
    kind, limits = blank.quantisation, np.iinfo(blank.data.dtype)
    low, high = ((end - kind.zero_point) * kind.scale for end in (limits.min, limits.max))
    if blank.data.dtype == np.int8 and any(
            max(abs(low - ends[0]), abs(high - ends[1])) <= _STEPS * kind.scale
            for ends in _RANGES):
        return (lambda pixels: (pixels + limits.min).astype(np.int8)), "pixels less 128"
    steps = f"quantised by scale {kind.scale:g} and zero point {kind.zero_point}"
    if high >= _WIDE:
        return (lambda pixels: quantise(pixels, blank)), f"pixels {steps}"
    return (lambda pixels: quantise(pixels / _HIGHEST, blank)), f"pixels divided by 255, {steps}"
