# SPDX-License-Identifier: Apache-2.0
"""Gather and scatter strided tensors in memory.

Memory is a one-dimensional tensor that covers at least the strided tensor, from its first to its
last element. A 32-bit element occupies two 16-bit memory elements, low half first (little-endian).
``ZeroPad`` adds zeros around a tensor.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from .array import Array
from .checks import check_ints
from .layer import LayerBase
from .result import Result

if TYPE_CHECKING:
    from collections.abc import Sequence


__all__ = ["PutView", "Stored", "TakeView", "ZeroPad", "have_overlaps", "list_places", "memory_of",
           "span_of"]


@dataclass(frozen=True, eq=False)
class Stored(Array):
    """Memory elements without a number format.

    Parameters
    ----------
    data : one-dimensional numpy array of int8 or int16
    """

    data: np.ndarray


def span_of(shape: tuple[int, ...], strides: Sequence[int]) -> int:
    """Number of memory elements from a view's first to its last element, both included."""
    return 1 + sum((size - 1) * step for size, step in zip(shape, strides, strict=True))


def memory_of(view: np.ndarray) -> np.ndarray:
    """Memory behind a numpy array with positive strides, from its first element to its last.

    Returns a one-dimensional array that shares the memory: int8 or int16, with two elements per
    32-bit element.
    """
    size  = span_of(view.shape, tuple(step // view.itemsize for step in view.strides))
    whole = np.lib.stride_tricks.as_strided(view, (size,), (view.itemsize,))
    return whole.view(np.int8 if view.itemsize == 1 else np.int16)


def _check_memory(name, x, shape, strides, bits):
    count, kind = span_of(shape, strides) * (2 if bits == 32 else 1), f"int{min(bits, 16)}"
    if x.data.ndim != 1 or x.data.size < count or x.data.dtype.name != kind:
        raise ValueError(f"{name} must be {kind} of shape {(count,)} at least for elements of "
                         f"shape {shape} with strides {strides}, not {x.data.dtype.name} of shape "
                         f"{x.data.shape}")


def _view(data, shape, strides, dtype):
    """Strided view into ``data``, one-dimensional memory; the caller has checked its size."""
    elements = data.view(dtype)
    return np.lib.stride_tricks.as_strided(elements, shape, tuple(
        step * elements.itemsize for step in strides))


@dataclass(frozen=True, eq=False)
class TakeView(LayerBase):
    """Gather a strided tensor from memory.

    Parameters
    ----------
    like : Array in the tensor's format; its values do not matter
    strides : tuple of int, at least 1, memory elements between consecutive indices in each
        dimension
    """

    like:    Array
    strides: tuple[int, ...]

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Tensor shape."""
        return self.like.shape

    def output_like(self, x: Stored) -> Array:
        """Zeros in the tensor's format."""
        return replace(self.like, data=np.zeros(self.like.shape, self.like.data.dtype))

    def check(self, x: Stored) -> None:
        """Raise ValueError or TypeError unless memory ``x`` has all elements."""
        _check_strides(self.strides, self.like.shape)
        _check_memory("Memory", x, self.like.shape, self.strides, self.like.bits)

    def run(self, x: Stored) -> Result:
        """Result on memory, a Stored."""
        view = _view(x.data, self.like.shape, self.strides, self.like.data.dtype)
        return Result(replace(self.like, data=view.copy()), overflow=False)


@dataclass(frozen=True)
class PutView(LayerBase):
    """Scatter tensor elements into memory; other memory elements keep their values.

    Inputs: the tensor, and the memory before the write, a Stored.

    Parameters
    ----------
    strides : tuple of int, at least 1, memory elements between consecutive indices in each
        dimension
    """

    strides: tuple[int, ...]

    inputs = 2

    def output_shape(self, x_shape: tuple[int, ...],
                     memory_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape: the shape of memory."""
        return tuple(memory_shape)

    def output_like(self, x: Array, memory: Stored) -> Stored:
        """Zeros with the size and type of memory."""
        return Stored(np.zeros_like(memory.data))

    def check(self, x: Array, memory: Stored) -> None:
        """Raise ValueError or TypeError unless memory has a separate element for every tensor
        element.
        """
        _check_strides(self.strides, x.shape)
        _check_memory("Memory", memory, x.shape, self.strides, x.bits)
        if have_overlaps(x.shape, self.strides):
            raise ValueError(f"Elements must not overlap, but shape {x.shape} with strides "
                             f"{self.strides} overlaps")

    def work(self, x_shape: tuple[int, ...], memory_shape: tuple[int, ...]) -> int:
        """Tensor element count."""
        return prod(x_shape)

    def run(self, x: Array, memory: Stored) -> Result:
        """Result on a tensor and memory."""
        data = memory.data.copy()
        _view(data, x.shape, self.strides, x.data.dtype)[...] = x.data
        return Result(Stored(data), overflow=False)


@dataclass(frozen=True)
class ZeroPad(LayerBase):
    """Pad each tensor dimension with zeros.

    Parameters
    ----------
    pads : tuple of (before, behind) for each dimension, elements
    """

    pads: tuple[tuple[int, ...], ...]

    def fill(self, x: Array) -> int:
        """Padding value."""
        return 0

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        return tuple(before + size + behind
                     for size, (before, behind) in zip(x_shape, self.pads, strict=True))

    def check(self, x: Stored) -> None:
        """Raise ValueError unless ``pads`` has two sizes >= 0 for every dimension."""
        if len(self.pads) != x.data.ndim or any(min(pair) < 0 for pair in self.pads):
            raise ValueError(f"pads must be pairs from 0 on for {x.data.ndim} dimensions, "
                             f"not {self.pads}")

    def run(self, x: Stored) -> Result:
        """Result on a Stored of any rank."""
        return Result(Stored(np.pad(x.data, self.pads)), overflow=False)


def have_overlaps(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether two tensor elements share a memory element."""
    inner = [size * step for size, step in zip(shape, strides, strict=True)][1:]
    if all(step >= least for step, least in zip(strides, inner, strict=False)):
        return False
    span = 1 + sum((size - 1) * step for size, step in zip(shape, strides, strict=True))
    if prod(shape) > span:
        return True
    places = list_places(shape, strides)
    return np.unique(places).size < places.size


def list_places(shape: Sequence[int], strides: Sequence[int]) -> np.ndarray:
    """Memory index for every tensor element, int64 in C order."""
    indices = np.indices(shape).reshape(len(shape), prod(shape))
    return np.add.reduce(indices * np.array(strides, np.int64)[:, None])


def _check_strides(strides, shape):
    check_ints("strides", strides, len(shape))
    if min(strides, default=1) < 1:
        raise ValueError(f"strides must be at least 1, not {strides}")
