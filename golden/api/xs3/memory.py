# SPDX-License-Identifier: Apache-2.0
"""Arguments of lib_nn as numpy has them: memory behind pointers, integers, structures."""

from math import prod
from operator import index

import numpy as np

__all__ = ["check_structure", "read", "read_count", "read_flags", "view", "view_floats", "writable"]


def view(name, memory, dtype, shape, start=0):
    """View of elements in the memory of an argument.

    ValueError unless ``memory`` is a contiguous integer array, of any shape and type, with enough
    bytes.

    Parameters
    ----------
    name : str, argument name
    dtype : numpy type of the elements
    shape : ints
    start : int, elements before the first one
    """
    if not isinstance(memory, np.ndarray) or memory.dtype.kind not in "iu":
        kind = memory.dtype if isinstance(memory, np.ndarray) else type(memory).__name__
        raise ValueError(f"{name} must be a numpy array of integers, not {kind}")
    if not memory.flags.c_contiguous:
        raise ValueError(f"{name} must lie in one piece, not with strides {memory.strides}")
    flat, size = memory.reshape(-1).view(np.uint8), np.dtype(dtype).itemsize
    begin, end = start * size, (start + prod(shape)) * size
    if end > flat.size:
        raise ValueError(f"{name} must have {end} bytes, not {flat.size}")
    return flat[begin:end].view(dtype).reshape(shape)


def writable(name, memory, dtype, shape, start=0):
    """View of elements to write; ValueError if the memory is read-only."""
    part = view(name, memory, dtype, shape, start)
    if not part.flags.writeable:
        raise ValueError(f"{name} must be memory that can be written, not read only")
    return part


def view_floats(name, memory, count):
    """View of the first ``count`` elements of a float32 array; ValueError for other arrays."""
    if not isinstance(memory, np.ndarray) or memory.dtype != np.float32:
        kind = getattr(memory, "dtype", type(memory).__name__)
        raise ValueError(f"{name} must be a numpy array of float32, not {kind}")
    if not memory.flags.c_contiguous:
        raise ValueError(f"{name} must lie in one piece, not with strides {memory.strides}")
    if memory.size < count:
        raise ValueError(f"{name} must have {count} elements, not {memory.size}")
    return memory.reshape(-1)[:count]


def read_count(name, value, low=0, high=(1 << 31) - 1):
    """An int from ``low`` to ``high``; ValueError for anything else."""
    try:
        number = index(value)
    except TypeError:
        raise ValueError(f"{name} must be an int, not {type(value).__name__}") from None
    if not low <= number <= high:
        raise ValueError(f"{name} must be between {low} and {high}, not {number}")
    return number


def check_structure(name, value, kind):
    """Raise ValueError unless an argument is a structure of its kind."""
    if not isinstance(value, kind):
        raise ValueError(f"{name} must be of {kind.__name__}, not {type(value).__name__}")


def read(name, value, kind, fields, low=0):
    """Ints of the named fields of a structure, in order; see ``read_count``."""
    check_structure(name, value, kind)
    return tuple(read_count(f"{name}.{field}", getattr(value, field), low) for field in fields)


def read_flags(value, kind):
    """Flags as an int; ValueError for unknown flags of ``kind``."""
    known = sum(kind)
    flags = read_count("flags", value)
    if flags & ~known:
        raise ValueError(f"flags must be those of {kind.__name__}, at most {known}, not {flags}")
    return flags
