# SPDX-License-Identifier: Apache-2.0
"""Image file pixels as TensorFlow Lite network inputs.

A network file does not define the real value for a pixel 0 .. 255. The input format decides, or the
first QUANTIZE's format after a floating-point input. If its range is 0 .. 255, 0 .. 1, -1 .. 1 or
-128 .. 127, each end within two steps, pixels are mapped to this range. Otherwise a pixel keeps its
value if the format holds values >= 2, else it is divided by 255.
"""

import re
from dataclasses import dataclass

import numpy as np

from xymac.host.errors import InputError

from .entry import find_form
from .pictures import HIGHEST, read_picture
from .values import quantise

__all__ = ["PixelRange", "array_reader", "load_pixels", "parse_range"]

_STEPS = 2  #: Tolerance of a range end, format steps.
_WIDE  = 2  #: Smallest value outside the ranges 0 .. 1 and -1 .. 1.


@dataclass(frozen=True)
class PixelRange:
    """Real values for black and white pixels.

    Parameters
    ----------
    low, high : float
    """

    low:  float
    high: float

    def __str__(self):
        return f"{self.low:g}..{self.high:g}"

    def values(self, pixels):
        """The pixels' real values, float32."""
        span = np.float64(self.high) - self.low
        return (pixels * span / HIGHEST + self.low).astype(np.float32)


_RANGES = (PixelRange(0, 255), PixelRange(0, 1), PixelRange(-1, 1), PixelRange(-128, 127))


def parse_range(text):
    """The PixelRange from a text like ``-1..1``; ValueError with a sentence for others."""
    number = r"([-+]?\d+(?:\.\d+)?)"
    match  = re.fullmatch(rf"{number}\.\.{number}", text.strip())
    ends   = [float(end) for end in match.groups()] if match else []
    if not ends or not ends[0] < ends[1]:
        raise ValueError(f"must be LOW..HIGH with LOW below HIGH, as in 0..1 or -1..1, not "
                         f"{text!r}")
    return PixelRange(*ends)


def load_pixels(path, files, network, chosen=None):
    """Image files as Network inputs.

    Parameters
    ----------
    path : Path, file or folder that a sentence names
    files : list of Path
    network : Network from a .tflite file with a single input
    chosen : PixelRange, or None to derive it from the network's formats

    Returns
    -------
    data : array ``(count, *input shape)`` in the input type
    reading : str, description of the pixel range and of changed files

    InputError for unusable files or networks.
    """
    blank = _input_of(path, network)
    height, width, channels = _image_shape(path, network, blank)
    read, reading = _reader(blank, find_form(network, 0), chosen)
    images, notes = [], []
    for file in files:
        pixels, changes = read_picture(file, height, width, channels)
        images.append(read(pixels.astype(np.float64)).reshape(blank.shape))
        notes += [f"{file.name} {change}" for change in changes]
    if len(notes) > 1:
        notes = [f"{notes[0]}, and {len(notes) - 1} further changes"]
    return np.stack(images), "; ".join([reading, *notes])


def array_reader(network, number, chosen=None):
    """Function from pixels, float64, to elements of input ``number``, and a sentence on it.

    None for an input that is no image of quantised or floating-point values, or whose own elements
    are uint8.
    """
    blank = network.inputs[number]
    own   = blank.data.dtype
    if not network.numbers or _sizes(blank) is None or own == np.uint8:
        return None
    if own.kind != "f" and (blank.quantisation is None or own.itemsize > 2):
        return None
    return _reader(blank, find_form(network, number), chosen)


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
        raise InputError(f"Values of an input of {blank.type_name} must be in an .npz or "
                         f".npy file, not {path}")
    return blank


def _image_shape(path, network, blank):
    """The input's rows, columns and channels."""
    sizes = _sizes(blank)
    if sizes is None:
        raise InputError(f"PNG, JPEG and BMP files need an input of shape (1, rows, columns, 1 or "
                         f"3 channels), and that of {network.name} has shape {blank.shape}: {path}")
    return sizes


def _sizes(blank):
    """Rows, columns and channels of an input that is an image; None for another."""
    shape = blank.shape
    if len(shape) == 4 and shape[0] == 1 and shape[3] in (1, 3):
        return shape[1:]
    if len(shape) == 3 and shape[0] == 1:
        return *shape[1:], 1
    return None


def _reader(blank, form, chosen):
    """Function from pixels to input elements, and a sentence on it.

    ``form`` is the quantised Tensor whose format decides, or None.
    """
    kind   = None if form is None else form.quantisation
    filled = None if chosen or form is None else _find_range(form)
    if filled and form is blank and blank.data.dtype.itemsize == 1:
        lowest = int(np.iinfo(blank.data.dtype).min)
        return (lambda pixels: (pixels + lowest).astype(blank.data.dtype),
                f"pixels less {-lowest}" if lowest else "pixels as they are")
    taken  = chosen or filled or _RANGES[0 if _is_wide(form) else 1]
    reason = ("as --pixels says" if chosen else
              "as its format has no range" if form is None else
              "the range of its format" if filled else "as its format has another range")
    if form is blank:
        return (lambda pixels: quantise(taken.values(pixels), blank),
                (f"pixels as {taken}, {reason}, quantised by scale {kind.scale:g} and zero point "
                 f"{kind.zero_point}"))
    return taken.values, f"pixels as {taken}, {reason}"


def _limits(form):
    """A format's least and largest value."""
    kind, limits = form.quantisation, np.iinfo(form.data.dtype)
    return tuple((end - kind.zero_point) * kind.scale for end in (limits.min, limits.max))


def _find_range(form):
    """PixelRange covered by an 8-bit format; None if there is none."""
    if form.data.dtype.itemsize > 1:
        return None
    low, high = _limits(form)
    return next((each for each in _RANGES
                 if max(abs(low - each.low), abs(high - each.high))
                 <= _STEPS * form.quantisation.scale), None)


def _is_wide(form):
    return form is not None and _limits(form)[1] >= _WIDE
