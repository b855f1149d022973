# SPDX-License-Identifier: Apache-2.0
"""lib_nn arguments as numpy has them: memory behind pointers, integers, structures."""

from __future__ import annotations

from math import prod
from operator import index
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from enum import IntFlag

    import numpy.typing as npt

__all__ = ["check_structure", "read", "read_count", "read_flags", "view", "view_floats", "writable"]


def view(name: str, memory: np.ndarray, dtype: npt.DTypeLike, shape: tuple[int, ...],
         start: int = 0) -> np.ndarray:
    """View elements in the memory behind an argument.

    ValueError unless ``memory`` is a contiguous integer array, of any shape and type, with enough
    bytes.

    Parameters
    ----------
    name : str, argument name
    dtype : element type
    shape : ints
    start : int, elements before the first one
    """
    if not isinstance(memory, np.ndarray) or memory.dtype.kind not in "iu":
        kind = memory.dtype if isinstance(memory, np.ndarray) else type(memory).__name__
        raise ValueError(f"{name} must be a numpy array of integers, not {kind}")
    if not memory.flags.c_contiguous:
        raise ValueError(f"{name} must be contiguous, not with strides {memory.strides}")
    flat, size = memory.reshape(-1).view(np.uint8), np.dtype(dtype).itemsize
    begin, end = start * size, (start + prod(shape)) * size
    if end > flat.size:
        raise ValueError(f"{name} must have {end} bytes, not {flat.size}")
    return flat[begin:end].view(dtype).reshape(shape)


def writable(name: str, memory: np.ndarray, dtype: npt.DTypeLike, shape: tuple[int, ...],
             start: int = 0) -> np.ndarray:
    """View elements to write; ValueError if the memory is read-only."""
    part = view(name, memory, dtype, shape, start)
    if not part.flags.writeable:
        raise ValueError(f"{name} must be memory that can be written, not read only")
    return part


def view_floats(name: str, memory: np.ndarray, count: int) -> np.ndarray:
    """View the first ``count`` elements in a float32 array; ValueError for other arrays."""
    if not isinstance(memory, np.ndarray) or memory.dtype != np.float32:
        kind = getattr(memory, "dtype", type(memory).__name__)
        raise ValueError(f"{name} must be a numpy array of float32, not {kind}")
    if not memory.flags.c_contiguous:
        raise ValueError(f"{name} must be contiguous, not with strides {memory.strides}")
    if memory.size < count:
        raise ValueError(f"{name} must have {count} elements, not {memory.size}")
    return memory.reshape(-1)[:count]


def read_count(name: str, value: int, low: int = 0, high: int = (1 << 31) - 1) -> int:
    """An int from ``low`` to ``high``; ValueError for anything else."""
    try:
        number = index(value)
    except TypeError:
        raise ValueError(f"{name} must be an int, not {type(value).__name__}") from None
    if not low <= number <= high:
        raise ValueError(f"{name} must be between {low} and {high}, not {number}")
    return number


def check_structure(name: str, value: object, kind: type) -> None:
    """Raise ValueError unless an argument is a ``kind`` structure."""
    if not isinstance(value, kind):
        raise ValueError(f"{name} must be of {kind.__name__}, not {type(value).__name__}")


def read(name: str, value: object, kind: type, fields: tuple[str, ...],
         low: int = 0) -> tuple[int, ...]:
    """Ints in the structure's named fields, in order; see ``read_count``."""
    check_structure(name, value, kind)
    return tuple(read_count(f"{name}.{field}", getattr(value, field), low) for field in fields)


def read_flags(value: int, kind: type[IntFlag]) -> int:
    """Flags as an int; ValueError for flags unknown to ``kind``."""
    known = sum(kind)
    flags = read_count("flags", value)
    if flags & ~known:
        raise ValueError(f"flags must be flags of {kind.__name__}, at most {known}, not {flags}")
    return flags
