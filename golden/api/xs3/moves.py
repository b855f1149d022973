# SPDX-License-Identifier: Apache-2.0
"""lib_nn byte moves: copies, fills, and image padding.

The host executes them, because they compute nothing. Source: lib_nn 96bd67c, src/c/pad.c,
vpu_memcpy.c, vpu_memset.c; in the newer library, src/c/pad_3_to_4.c, pad_1_to_4.c,
vpu_memset_256.c, vpu_memmove_word_aligned.c.
"""

from functools import partial

import numpy as np

from .memory import check_structure, read, read_count, view, writable
from .types import nn_image_params_t, nn_pad_plan_t, padding_sizes_t

__all__ = ["ACTIONS", "PROTOTYPES"]

_WORD  = 4
_SIDES = ("top", "bottom", "left", "right")
#: Bytes per count of each copy; MEMCPY_VECT_EXT_BYTES, MEMCPY_VECT_INT_BYTES.
_UNITS = {"vpu_memcpy": 1, "vpu_memcpy_int": 1, "vpu_memcpy_ext": 1,
          "vpu_memmove_word_aligned": 1, "vpu_memcpy_vector_ext": 128,
          "vpu_memcpy_vector_int": 32}
#: Words per count of each fill.
_WORDS = {"vpu_memset_32": 1, "vpu_memset_vector": 8}


def _fill(target, value):
    """Fill a writable view by repeating the bytes in a 32-bit int."""
    target[:] = np.resize(np.array([value & 0xFFFFFFFF], np.uint32).view(np.uint8), target.size)


def _copy(name, unit, dst, src, count):
    """Copy ``count`` times ``unit`` bytes; ``name`` is the argument of the count."""
    size = read_count(name, count) * unit
    writable("dst", dst, np.uint8, (size,))[:] = view("src", src, np.uint8, (size,)).copy()


def _set(name, words, dst, value, count):
    """Fill ``count`` times ``words`` words with a value; ``name`` is the argument of the count."""
    size  = read_count(name, count) * words * _WORD
    value = read_count("value", value, low=-1 << 31, high=(1 << 32) - 1)
    _fill(writable("dst", dst, np.uint8, (size,)), value)


def _repeat(dst, src, byte_count):
    """Fill with a vector again and again."""
    size = read_count("byte_count", byte_count)
    writable("dst", dst, np.uint8, (size,))[:] = np.resize(view("src", src, np.uint8, (32,)), size)


def _read_pixel(bytes_per_pixel):
    pixel = read_count("bytes_per_pixel", bytes_per_pixel, 1)
    if pixel % _WORD:
        raise ValueError(f"bytes_per_pixel must be a multiple of {_WORD}, not {pixel}")
    return pixel


def _plan(p, x, bytes_per_pixel):
    """``nn_pad_plan_t`` fields in order."""
    pixel = _read_pixel(bytes_per_pixel)
    top, bottom, left, right = read("p", p, padding_sizes_t, _SIDES)
    height, width = read("x", x, nn_image_params_t, ("height", "width"))
    row = pixel * (left + width + right)
    return row * top, height, pixel * left, pixel * width, pixel * right, row * bottom


def _prepare(plan, p, x, bytes_per_pixel):
    """Fill a plan for an image."""
    check_structure("plan", plan, nn_pad_plan_t)
    for name, value in zip(nn_pad_plan_t.FIELDS, _plan(p, x, bytes_per_pixel), strict=True):
        setattr(plan, name, value)


def _pad(y, x, plan, pad_value):
    """Copy image rows and fill the surrounding words."""
    top, rows, left, middle, right, bottom = plan
    pixels = view("x", x, np.uint8, (rows, middle)).copy()
    total  = top + rows * (left + middle + right) + bottom
    target = writable("y", y, np.uint8, (total,))
    _fill(target, read_count("pad_value", pad_value, low=-1 << 31, high=(1 << 32) - 1))
    inner = target[top:total - bottom].reshape(rows, left + middle + right)
    inner[:, left:left + middle] = pixels


def _run(y, x, p, pad_value):
    _pad(y, x, read("p", p, nn_pad_plan_t, nn_pad_plan_t.FIELDS), pad_value)


def _reference(y, x, p, xp, bytes_per_pixel, pad_value):
    _pad(y, x, _plan(p, xp, bytes_per_pixel), pad_value)


def _count_pixels(n_3, height, width):
    """Put an image's pixel count behind a pointer."""
    writable("n_3", n_3, np.uint32, (1,))[0] = read_count("height", height) * read_count(
        "width", width)


def _widen(outputs, inputs, N_3, pad_val):
    """Extend 3-byte pixels by a fourth byte, the low byte in ``pad_val``."""
    count  = read_count("N_3", N_3)
    pixels = view("inputs", inputs, np.uint8, (count, 3)).copy()
    target = writable("outputs", outputs, np.uint8, (count, 4))
    target[:, :3] = pixels
    target[:, 3]  = read_count("pad_val", pad_val, low=-1 << 31, high=(1 << 32) - 1) & 0xFF


def _spread(outputs, inputs, N, pad_val):
    """Extend ``4 * N`` one-byte pixels by the upper three bytes in ``pad_val``."""
    pixels = view("inputs", inputs, np.uint8, (4 * read_count("N", N),)).astype(np.uint32)
    value  = read_count("pad_val", pad_val, low=-1 << 31, high=(1 << 32) - 1)
    writable("outputs", outputs, np.uint32, pixels.shape)[:] = pixels | (value & 0xFFFFFF00)


#: Arguments of the functions by name.
PROTOTYPES = {
    "pad_prepare":        ("plan", "p", "x", "bytes_per_pixel"),
    "pad_run":            ("y", "x", "p", "pad_value"),
    "pad_ref":            ("y", "x", "p", "xp", "bytes_per_pixel", "pad_value"),
    "pad_3_to_4_prepare": ("n_3", "height", "width"),
    "pad_3_to_4_run":     ("outputs", "inputs", "N_3", "pad_val"),
    "pad_3_to_4_ref":     ("outputs", "inputs", "N_3", "pad_val"),
    "pad_1_to_4_run":     ("outputs", "inputs", "N", "pad_val"),
    "pad_1_to_4_ref":     ("outputs", "inputs", "N", "pad_val"),
    "vpu_memset_256":     ("dst", "src", "byte_count"),
    **{name: ("dst", "src", "byte_count" if unit == 1 else "vector_count")
       for name, unit in _UNITS.items()},
    **{name: ("dst", "value", "word_count" if words == 1 else "vector_count")
       for name, words in _WORDS.items()},
}

#: Actions of the functions; they get the arguments in order.
ACTIONS = {
    "pad_prepare": _prepare, "pad_run": _run, "pad_ref": _reference,
    "pad_3_to_4_prepare": _count_pixels, "pad_3_to_4_run": _widen, "pad_3_to_4_ref": _widen,
    "pad_1_to_4_run": _spread, "pad_1_to_4_ref": _spread, "vpu_memset_256": _repeat,
    **{name: partial(_copy, PROTOTYPES[name][-1], unit) for name, unit in _UNITS.items()},
    **{name: partial(_set, PROTOTYPES[name][-1], words) for name, words in _WORDS.items()},
}
