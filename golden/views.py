"""Tensors that lie in memory with gaps: elements taken from there, and put there.

Memory is a tensor of one dimension, from the first element of the tensor to the last one at least,
all that lies between included. An element of 32 bits is two of 16 there, the lower half first, as
in memory of little-endian machines. Elements may get zeros around them as they are moved.
"""

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from .array import Array
from .checks import check_ints
from .layer import LayerBase
from .result import Result

__all__ = ["PutView", "Stored", "TakeView", "ZeroPad", "have_overlaps", "list_places", "memory_of",
           "span_of"]


@dataclass(frozen=True, eq=False)
class Stored(Array):
    """Elements of memory, whatever they stand for.

    Parameters
    ----------
    data : numpy array of one dimension, int8 or int16
    """

    data: np.ndarray


def span_of(shape, strides):
    """Elements from the first to the last one of a view, those between them included."""
    return 1 + sum((size - 1) * step for size, step in zip(shape, strides, strict=True))


def memory_of(view):
    """The memory of a numpy array with positive strides from its first element to its last one.

    An array of one dimension that shares it: int8 or int16, two for an element of 32 bits.
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
    """View of memory, an array of one dimension, that is checked."""
    elements = data.view(dtype)
    return np.lib.stride_tricks.as_strided(elements, shape, tuple(
        step * elements.itemsize for step in strides))


@dataclass(frozen=True, eq=False)
class TakeView(LayerBase):
    """The tensor that lies in memory with gaps.

    Parameters
    ----------
    like : Array in the format of the tensor, whatever its values
    strides : tuple of int, elements of memory from one index to the next of every dimension, at
        least 1
    """

    like:    Array
    strides: tuple

    def output_shape(self, x_shape):
        """Shape of the tensor."""
        return self.like.shape

    def output_like(self, x):
        """Zeros in the format of the tensor."""
        return replace(self.like, data=np.zeros(self.like.shape, self.like.data.dtype))

    def check(self, x):
        """Raise ValueError or TypeError unless memory ``x`` has all elements."""
        _check_strides(self.strides, self.like.shape)
        _check_memory("Memory", x, self.like.shape, self.strides, self.like.bits)

    def run(self, x):
        """Result on memory, a Stored."""
        view = _view(x.data, self.like.shape, self.strides, self.like.data.dtype)
        return Result(replace(self.like, data=view.copy()), overflow=False)


@dataclass(frozen=True)
class PutView(LayerBase):
    """Memory with the elements of a tensor at their places; what lies between them stays.

    Inputs are the tensor and memory, a Stored, as it was before.

    Parameters
    ----------
    strides : tuple of int, elements of memory from one index to the next of every dimension, at
        least 1
    """

    strides: tuple

    inputs = 2

    def output_shape(self, x_shape, memory_shape):
        """Shape of memory."""
        return tuple(memory_shape)

    def output_like(self, x, memory):
        """Zeros like memory."""
        return Stored(np.zeros_like(memory.data))

    def check(self, x, memory):
        """Raise ValueError or TypeError unless memory has a place of its own for every element."""
        _check_strides(self.strides, x.shape)
        _check_memory("Memory", memory, x.shape, self.strides, x.bits)
        if have_overlaps(x.shape, self.strides):
            raise ValueError(f"Elements must not overlap, as those of shape {x.shape} do with "
                             f"strides {self.strides}")

    def work(self, x_shape, memory_shape):
        """Elements of the tensor."""
        return prod(x_shape)

    def run(self, x, memory):
        """Result on a tensor and memory."""
        data = memory.data.copy()
        _view(data, x.shape, self.strides, x.data.dtype)[...] = x.data
        return Result(Stored(data), overflow=False)


@dataclass(frozen=True)
class ZeroPad(LayerBase):
    """A tensor with zeros before and behind the elements of each dimension.

    Parameters
    ----------
    pads : tuple of (before, behind), elements of each dimension
    """

    pads: tuple

    def fill(self, x):
        """Value of the elements around."""
        return 0

    def output_shape(self, x_shape):
        """Shape of the output for an input of ``x_shape``."""
        return tuple(before + size + behind
                     for size, (before, behind) in zip(x_shape, self.pads, strict=True))

    def check(self, x):
        """Raise ValueError unless there are pads of every dimension of a Stored."""
        if len(self.pads) != x.data.ndim or any(min(pair) < 0 for pair in self.pads):
            raise ValueError(f"pads must be pairs from 0 on for {x.data.ndim} dimensions, "
                             f"not {self.pads}")

    def run(self, x):
        """Result on a Stored of any rank."""
        return Result(Stored(np.pad(x.data, self.pads)), overflow=False)


def have_overlaps(shape, strides):
    """Whether two elements have the same place in memory."""
    inner = [size * step for size, step in zip(shape, strides, strict=True)][1:]
    if all(step >= least for step, least in zip(strides, inner, strict=False)):
        return False
    span = 1 + sum((size - 1) * step for size, step in zip(shape, strides, strict=True))
    if prod(shape) > span:
        return True
    places = list_places(shape, strides)
    return np.unique(places).size < places.size


def list_places(shape, strides):
    """Place in memory of every element, int64 in C order."""
    indices = np.indices(shape).reshape(len(shape), prod(shape))
    return np.add.reduce(indices * np.array(strides, np.int64)[:, None])


def _check_strides(strides, shape):
    check_ints("strides", strides, len(shape))
    if min(strides, default=1) < 1:
        raise ValueError(f"strides must be at least 1, not {strides}")
