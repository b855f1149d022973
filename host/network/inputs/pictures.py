# SPDX-License-Identifier: Apache-2.0
"""Image files as arrays of pixels: PNG, JPEG and BMP, read by Pillow."""

import re
import warnings
from pathlib import Path

import numpy as np

from xymac.host.errors import InputError
from xymac.host.files.foreign import PICTURES
from xymac.host.files.reading import check_file

__all__ = ["HIGHEST", "SUFFIXES", "is_picture", "labelled_files", "read_picture"]

HIGHEST  = 255  #: White pixel value.
SUFFIXES = PICTURES

_FORMATS    = ("PNG", "JPEG", "BMP")
_NAMES      = "PNG, JPEG or BMP"
_SIGNATURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"BM")
_PIXELS     = 1 << 26  #: Largest pixel count of a file, to protect memory.
_GREY       = ("1", "L", "I", "I;16", "I;16B", "I;16L", "I;16N", "F")
_DEEP       = 257  #: 16-bit steps per 8-bit step of a pixel.


def is_picture(path):
    """Whether a file has an image file's suffix or signature."""
    path = Path(path)
    if path.suffix.lower() in SUFFIXES:
        return True
    if not path.is_file():  # a pipe would wait for its writer
        return False
    try:
        with path.open("rb") as file:
            start = file.read(8)
    except OSError:
        return False
    return start.startswith(_SIGNATURES[:2])  # the BMP signature is too short to be reliable


def labelled_files(path):
    """(image files, their labels or None): ``path`` itself, or a folder's image files by name,
    numbers by value: 2.png before 10.png.

    A folder without image files may have folders of them: the labels are the names of these
    folders, an array of str. InputError for image files beside such folders.
    """
    path = Path(path)
    if not path.is_dir():
        check_file(path)
        return [path], None
    alone   = _pictures(path)
    folders = [folder for folder in sorted(path.iterdir(), key=_order)
               if folder.is_dir() and not _is_hidden(folder)]
    files   = [file for folder in folders for file in _pictures(folder)]
    if alone and files:
        raise InputError(f"{path} must hold {_NAMES} files or folders of them, not both: "
                         f"{alone[0].name} lies beside the folder {files[0].parent.name}")
    if alone:
        return alone, None
    if not files:
        raise InputError(f"The folder {path} holds no {_NAMES} files, and no folders of them")
    return files, np.array([file.parent.name for file in files])


def _pictures(folder):
    return sorted((file for file in folder.iterdir()
                   if file.suffix.lower() in SUFFIXES and not _is_hidden(file)), key=_order)


def _order(path):
    """Sort key of a path by its name, numbers by value; equal numbers of unequal digits by text."""
    parts = re.split("([0-9]+)", path.name)  # texts at even places, digits at odd ones
    return [int(part) if place % 2 else part for place, part in enumerate(parts)], path.name


def _is_hidden(path):
    """Whether other programs keep notes in this file or folder, as in ``.ipynb_checkpoints``."""
    return path.name.startswith(".")


def read_picture(path, height, width, channels):
    """An image file's pixels, scaled to the input size.

    Parameters
    ----------
    path : Path
    height, width, channels : int; 1 channel is grey, 3 channels are red, green, blue

    Returns
    -------
    pixels : uint8 array (height, width, channels)
    notes : list of str, changes: resizing (bilinear), conversion to grey

    InputError for damaged files, transparent pixels, and more than 67,108,864 pixels.
    """
    from PIL import Image  # slow import

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with path.open("rb") as file, Image.open(file, formats=_FORMATS) as image:
                _check_size(path, image)
                return _convert(path, image, height, width, channels)
    except InputError:
        raise
    except Image.DecompressionBombError:  # more pixels than the limit
        raise InputError(f"{path} must have at most {_PIXELS:,} pixels") from None
    except Exception:  # The library documents no exceptions for damaged files.
        raise InputError(f"{path} is damaged or not a {_NAMES} file") from None


def _check_size(path, image):
    count = image.width * image.height
    if count > _PIXELS:
        raise InputError(f"{path} must have at most {_PIXELS:,} pixels, not {count:,}")


def _convert(path, image, height, width, channels):
    from PIL import Image, ImageOps

    notes = []
    image = ImageOps.exif_transpose(image)
    if _is_transparent(image):
        raise InputError(f"{path} must be opaque, and has transparent pixels: put them on a "
                         f"background")
    image = _eight_bits(image)
    if channels == 1 and image.mode == "RGB":
        planes = np.asarray(image)
        if (planes == planes[..., :1]).all():
            image = Image.fromarray(planes[..., 0])
        else:
            notes.append("colours made grey")
    image = image.convert("L" if channels == 1 else "RGB")
    if image.size != (width, height):
        notes.append(f"{image.height}x{image.width} resized to {height}x{width}")
        image = image.resize((width, height), Image.Resampling.BILINEAR)
    return np.asarray(image).reshape(height, width, channels), notes


def _is_transparent(image):
    if not image.has_transparency_data:
        return False
    return image.convert("RGBA").getchannel("A").getextrema()[0] < HIGHEST


def _eight_bits(image):
    """A grey or RGB image with 8 bits per channel."""
    from PIL import Image

    if image.mode in _GREY and image.mode not in ("1", "L"):
        values = np.asarray(image).astype(np.int64)
        return Image.fromarray(((values + _DEEP // 2) // _DEEP).clip(0, HIGHEST).astype(np.uint8))
    return image.convert("L" if image.mode in ("1", "L", "LA") else "RGB")
