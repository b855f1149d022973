# SPDX-License-Identifier: Apache-2.0
"""The MLI 2.0 container union ``mem``: a pointer to memory, or a value."""

from __future__ import annotations

from typing import Any

import numpy as np

from xymac.golden.fixed import container

__all__ = ["check_value", "mli_mem"]


def _pointer(name, dtype):
    dtype = np.dtype(dtype)

    def read(self):
        memory = self.memory
        return None if memory is None else memory[:memory.size // dtype.itemsize
                                                  * dtype.itemsize].view(dtype)

    def point(self, array):
        if array is not None and not (isinstance(array, np.ndarray) and array.dtype.kind in "iuf"
                                      and array.flags.c_contiguous):
            raise TypeError(f"{name} must be a contiguous numpy array of numbers, "
                            f"not {_kind(array)}")
        self.memory = None if array is None else array.reshape(-1).view(np.uint8)

    return property(read, point, doc=f"Memory as {dtype} elements, a view; None without memory.")


def _value(name, dtype):
    dtype = np.dtype(dtype)

    def read(self):
        return self.value[:dtype.itemsize].view(dtype)[0].item()

    def store(self, value):
        if dtype.kind == "i":
            check_value(name, value, 8 * dtype.itemsize)
        self.value[:dtype.itemsize] = np.array([value], dtype).view(np.uint8)
        self.memory = None

    return property(read, store, doc=f"Value as {dtype}.")


def _kind(value):
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}" + ("" if value.flags.c_contiguous else ", sliced")
    return type(value).__name__


def check_value(name: str, value: int, bits: int) -> None:
    """Raise TypeError or ValueError unless ``value`` is a ``bits``-bit int."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    low, high = container(bits)
    if not low <= value <= high:
        raise ValueError(f"{name} must be {low} .. {high}, not {value}")


class mli_mem:
    """Container union ``mem``: a pointer to memory, or a value.

    ``mli_mem(pi16=array)`` points to the memory behind an array of any type and shape;
    ``mli_mem(i16=-3)`` is a value. Every member reads the same bytes, little-endian, as its type.

    Parameters
    ----------
    member : at most one of ``pi32``, ``pi16``, ``pi8``, ``pf32``, ``i32``, ``i16``, ``i8`` and
        ``f32``; TypeError for another type, ValueError for a value out of range
    """

    pi32, pi16, pi8, pf32 = (_pointer(*member) for member in (
        ("pi32", np.int32), ("pi16", np.int16), ("pi8", np.int8), ("pf32", np.float32)))
    i32, i16, i8, f32 = (_value(*member) for member in (
        ("i32", np.int32), ("i16", np.int16), ("i8", np.int8), ("f32", np.float32)))

    def __init__(self, **member: Any) -> None:
        if len(member) > 1:
            raise TypeError(f"mem has one member at a time, not {' and '.join(member)}")
        self.memory, self.value = None, np.zeros(4, np.uint8)
        for name, content in member.items():
            if not isinstance(getattr(mli_mem, name, None), property):
                raise TypeError(f"mem has no member {name}")
            setattr(self, name, content)

    def __repr__(self) -> str:
        if self.memory is None:
            return f"mli_mem(i32={self.i32})"
        return f"mli_mem(pointer to {self.memory.size} bytes)"
