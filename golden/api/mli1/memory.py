# SPDX-License-Identifier: Apache-2.0
"""MLI 1.x tensor elements in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.api.types import dims, elements
from xymac.golden.mli1.tensor import Tensor

from .types import mli_element_params, mli_element_type, mli_fx_params

if TYPE_CHECKING:
    from .types import mli_tensor

__all__ = ["describe", "dims", "dtype_of", "element_size", "held_bytes", "memory", "read",
           "to_tensor", "write"]

_DTYPES = {mli_element_type.MLI_EL_FX_8: np.int8, mli_element_type.MLI_EL_FX_16: np.int16,
           mli_element_type.MLI_EL_ASYM_I8: np.int8}
_SIZES  = {**{kind: np.dtype(dtype).itemsize for kind, dtype in _DTYPES.items()},
           mli_element_type.MLI_EL_ASYM_I32: 4}


def element_size(el_type: mli_element_type) -> int:
    """Element size in bytes, 0 for an unknown type."""
    return _SIZES.get(el_type, 0)


def dtype_of(el_type: mli_element_type) -> np.dtype:
    """Numpy dtype for an element type up to 16 bits; KeyError for other types."""
    return np.dtype(_DTYPES[el_type])


def memory(tensor: mli_tensor) -> np.ndarray | None:
    """Bytes behind ``data``, a view; None if there is no contiguous array."""
    data = tensor.data
    if not isinstance(data, np.ndarray) or data.dtype.kind not in "iu":
        return None
    return data.reshape(-1).view(np.uint8) if data.flags.c_contiguous else None


def held_bytes(tensor: mli_tensor) -> np.ndarray:
    """Bytes behind ``data``, a view; TypeError if there is no contiguous array."""
    held = memory(tensor)
    if held is None:
        raise TypeError("data must be a contiguous array of integers")
    return held


def read(tensor: mli_tensor) -> np.ndarray:
    """Fixed-point tensor elements in their shape, a view into the tensor's memory."""
    dtype = dtype_of(tensor.el_type)
    if tensor.rank == 0:
        return np.array(tensor.data, dtype)
    size = elements(tensor) * dtype.itemsize
    return held_bytes(tensor)[:size].view(dtype).reshape(dims(tensor))


def to_tensor(tensor: mli_tensor, rank: int = 0) -> Tensor:
    """Golden-model Tensor for an ``mli_tensor``; it shares the memory.

    A rank-0 value becomes a tensor with ``rank`` dimensions of size 1.
    """
    data = read(tensor)
    return Tensor(data if data.ndim else data.reshape((1,) * rank), tensor.el_params.fx.frac_bits)


def write(tensor: mli_tensor, values: np.ndarray) -> None:
    """Put values into a tensor's memory; its fields stay."""
    flat = np.ascontiguousarray(values).reshape(-1)
    held_bytes(tensor)[:flat.nbytes] = flat.view(np.uint8)


def describe(tensor: mli_tensor, shape: tuple[int, ...], itemsize: int, frac_bits: int) -> None:
    """Fill a tensor's shape, rank, element type and fractional bits."""
    tensor.shape, tensor.rank = tuple(shape), len(shape)
    tensor.el_type = (mli_element_type.MLI_EL_FX_8 if itemsize == 1
                      else mli_element_type.MLI_EL_FX_16)
    tensor.el_params = mli_element_params(mli_fx_params(frac_bits))
