# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 tensor elements in memory: strides and bounds.

Source: MLI 2.0, "mli_tensor Data Structures", ``mem_stride`` and ``data.capacity``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.api.types import dims, elements
from xymac.golden.mli2.tensor import Element, QuantTensor

from .types import format_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .types import mli_element_type, mli_tensor

__all__ = ["available", "dims", "elements", "read", "size_of", "span", "start_of", "strides_of",
           "to_tensor", "used", "view", "write"]


def strides_of(shape: Sequence[int], mem_stride: Sequence[int]) -> tuple[int, ...]:
    """Tensor strides in elements, a tuple.

    A stride of 0 becomes the next dimension's size times its stride.
    """
    strides, inner = [], 1
    for size, step in zip(reversed(shape), reversed(tuple(mem_stride)[:len(shape)]), strict=True):
        strides.append(int(step) or inner)
        inner = strides[-1] * size
    return tuple(reversed(strides))


def span(shape: Sequence[int], strides: tuple[int, ...]) -> int:
    """Memory element count from a tensor's first to its last element, both included."""
    return 1 + sum((size - 1) * step for size, step in zip(shape, strides, strict=True))


def size_of(count: int, el_type: mli_element_type | Element) -> int:
    """Bytes for ``count`` elements; a 4-bit element occupies one byte."""
    return count * Element(el_type).dtype.itemsize


def available(tensor: mli_tensor) -> int:
    """Usable tensor bytes: its capacity, or its memory size if smaller."""
    memory = tensor.data.mem.memory
    return 0 if memory is None else min(int(tensor.data.capacity), memory.size)


def _view_strided(flat, shape, strides):
    """View into 1-D ``flat``; ValueError if the view leaves it."""
    if min(strides, default=1) < 1 or span(shape, strides) > flat.size:
        raise ValueError(f"Shape {shape} with strides {strides} must lie within "
                         f"{flat.size} elements")
    return np.lib.stride_tricks.as_strided(
        flat, shape, tuple(step * flat.itemsize for step in strides))


def view(tensor: mli_tensor, shape: tuple[int, ...], el_type: mli_element_type | None = None,
         strides: tuple[int, ...] | None = None) -> np.ndarray:
    """Strided view into a tensor's memory.

    ValueError if elements lie beyond the capacity, or if there is no memory.

    Parameters
    ----------
    shape : ints, replaces the tensor's dimensions
    el_type : mli_element_type, replaces the tensor's element type
    strides : ints, elements, replace the tensor's strides
    """
    element = Element(tensor.el_type if el_type is None else el_type)
    strides = strides_of(shape, tensor.mem_stride) if strides is None else strides
    memory  = tensor.data.mem.memory
    if memory is None:
        raise ValueError("data must point to memory, not hold a value")
    memory = memory[:available(tensor)]
    size   = memory.size // element.dtype.itemsize * element.dtype.itemsize
    return _view_strided(memory[:size].view(element.dtype), shape, strides)


def read(tensor: mli_tensor) -> np.ndarray:
    """Tensor elements in their shape, a view into the tensor's memory.

    ValueError if elements lie beyond the capacity.
    """
    if tensor.rank:
        return view(tensor, dims(tensor))
    dtype = Element(tensor.el_type).dtype
    return tensor.data.mem.value[:dtype.itemsize].view(dtype).reshape(())


def write(tensor: mli_tensor, values: np.ndarray, el_type: mli_element_type | None = None,
          strides: tuple[int, ...] | None = None) -> None:
    """Write ``values`` into a tensor's memory with its strides; gaps and fields stay unchanged.

    ValueError if an element lies beyond the capacity. ``el_type`` and ``strides`` are as for
    ``view``.
    """
    view(tensor, values.shape, el_type, strides)[...] = values


def used(tensor: mli_tensor, shape: tuple[int, ...] | None = None,
         el_type: mli_element_type | None = None,
         strides: tuple[int, ...] | None = None) -> np.ndarray:
    """Bytes that tensor elements occupy, a strided view for ``np.shares_memory``.

    The view is empty for a scalar.

    Parameters
    ----------
    shape : ints, replaces the tensor's dimensions
    el_type : mli_element_type, replaces the tensor's element type
    strides : ints, elements, replace the tensor's strides
    """
    shape   = dims(tensor) if shape is None else shape
    element = Element(tensor.el_type if el_type is None else el_type)
    if tensor.data.mem.memory is None:
        return np.zeros(0, np.uint8)
    memory, size = tensor.data.mem.memory[:available(tensor)], size_of(1, element)
    strides = strides_of(shape, tensor.mem_stride) if strides is None else strides
    return _view_strided(memory, (*shape, size), (*(step * size for step in strides), 1))


def start_of(tensor: mli_tensor) -> int:
    """First element's address."""
    return np.asarray(tensor.data.mem.memory).__array_interface__["data"][0]


def to_tensor(tensor: mli_tensor, rank: int = 0) -> QuantTensor:
    """QuantTensor for a valid tensor; it shares the memory.

    A scalar becomes a tensor with ``rank`` dimensions, each with size 1.
    """
    data = read(tensor)
    return QuantTensor(data if data.ndim else data.reshape((1,) * rank),
                       Element(tensor.el_type), format_of(tensor))
