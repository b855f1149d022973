# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 tensors under their documented names.

Source: MLI 2.0, "mli_tensor Data Structures".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.golden.api.types import MLI_MAX_RANK
from xymac.golden.mli2.tensor import Affine, Element, Fixed

from .mem import check_value, mli_mem

if TYPE_CHECKING:
    from xymac.golden.formats import Format

__all__ = [
    "check_value", "format_of", "mli_data_container", "mli_el_param_type", "mli_element_params",
    "mli_element_type", "mli_fx_params", "mli_mem", "mli_sa_params", "mli_tensor", "params_of",
]

#: SA element parameters and their widths in bits.
_PARAMETERS = {"zero_point": 16, "scale": 16, "scale_frac_bits": 8}
#: Defaults that ``__post_init__`` converts to the type of their field.
_UNSET: Any = None
_ZERO:  Any = 0
_ONE:   Any = 1


class mli_element_type(IntEnum):
    """Tensor element type."""

    MLI_EL_FX_4  = Element.FX_4.value
    MLI_EL_FX_8  = Element.FX_8.value
    MLI_EL_FX_16 = Element.FX_16.value
    MLI_EL_SA_8  = Element.SA_8.value
    MLI_EL_SA_32 = Element.SA_32.value
    MLI_EL_FP_16 = Element.FP_16.value
    MLI_EL_FP_32 = Element.FP_32.value


class mli_el_param_type(IntEnum):
    """SA element parameter format: 16-bit scales and zero points."""

    MLI_EL_PARAM_SC16_ZP16 = 0


@dataclass(eq=False)
class mli_data_container:
    """Memory, or a value.

    Parameters
    ----------
    capacity : int, bytes; by default the ``mem`` size, 0 for a value
    mem : mli_mem; a contiguous numpy array becomes a pointer to it
    """

    capacity: int = _UNSET
    mem:      mli_mem = _UNSET

    def __post_init__(self) -> None:
        if self.mem is None or isinstance(self.mem, np.ndarray):
            self.mem = mli_mem(pi8=self.mem)
        if self.capacity is None:
            self.capacity = 0 if self.mem.memory is None else self.mem.memory.size


@dataclass(eq=False)
class mli_fx_params:
    """Fixed-point element parameters: fractional bits, -128 .. 127."""

    frac_bits: int = 0


@dataclass(eq=False)
class mli_sa_params:
    """Signed asymmetric element parameters.

    Parameters
    ----------
    zero_point : mli_data_container, 16 bits: a value, or along ``dim`` a pointer to an array; an
        int or a sequence of ints becomes a container
    scale : the same, positive
    scale_frac_bits : the same, 8 bits
    dim : int, the arrays' dimension, negative for one value for the whole tensor
    """

    type:            mli_el_param_type = mli_el_param_type.MLI_EL_PARAM_SC16_ZP16
    zero_point:      mli_data_container = _ZERO
    scale:           mli_data_container = _ONE
    scale_frac_bits: mli_data_container = _ZERO
    dim:             int = -1

    def __post_init__(self) -> None:
        for name, bits in _PARAMETERS.items():
            held = getattr(self, name)
            if not isinstance(held, mli_data_container):
                setattr(self, name, _contain(name, held, bits))


def _contain(name, values, bits):
    """Container with an int or a sequence of ints."""
    if np.ndim(values) == 0:
        check_value(name, values, bits)
        return mli_data_container(mem=mli_mem(**{f"i{bits}": values}))
    for value in values:
        check_value(name, value, bits)
    return mli_data_container(mem=mli_mem(pi8=np.array(values, f"int{bits}")))


@dataclass(eq=False)
class mli_element_params:
    """Element parameter union: ``fx`` or ``sa``; FX with 0 fractional bits by default.

    Floating-point elements ignore them.
    """

    fx: mli_fx_params = _UNSET
    sa: mli_sa_params = _UNSET

    def __post_init__(self) -> None:
        if self.fx is not None and self.sa is not None:
            raise TypeError("el_params has one member at a time, not fx and sa")
        if self.fx is None and self.sa is None:
            self.fx = mli_fx_params()


@dataclass(eq=False)
class mli_tensor:
    """Memory with its content's shape and format.

    Parameters
    ----------
    data : mli_data_container. A numpy array becomes a pointer to it and sets the omitted fields; an
        array slice also sets the strides. A number becomes a scalar.
    shape : ints, dimension with the largest stride first
    mem_stride : ints, elements between consecutive indices; 0 follows from the later dimensions
    rank : int, used dimensions; the ``shape`` length by default; 0 for a scalar
    el_type : mli_element_type; from the array and ``el_params`` by default
    el_params : mli_element_params
    """

    data:       mli_data_container = _UNSET
    shape:      tuple[int, ...] = _UNSET
    mem_stride: tuple[int, ...] = (0,) * MLI_MAX_RANK
    rank:       int = _UNSET
    el_type:    mli_element_type = _UNSET
    el_params:  mli_element_params = field(default_factory=mli_element_params)

    def __post_init__(self) -> None:
        if isinstance(self.data, np.ndarray) and self.data.ndim:
            self._point(self.data)
        elif self.data is None:
            self.data = mli_data_container()
        if self.el_type is None:
            self.el_type = mli_element_type.MLI_EL_FX_16
        if not isinstance(self.data, mli_data_container):
            self._hold(np.asarray(self.data)[()])
        if self.shape is None:
            self.shape = ()
        if self.rank is None:
            self.rank = len(self.shape)

    def _point(self, array):
        if self.shape is None:
            self.shape = array.shape
        if self.el_type is None:
            self.el_type = _type_of(array.dtype, self.el_params)
        if not array.flags.c_contiguous:
            array, self.mem_stride = _span(array)
        self.data = mli_data_container(mem=mli_mem(pi8=array))

    def _hold(self, value):
        bits, member = self.el_type & 0xff, f"i{max(self.el_type & 0xff, 8)}"
        if self.el_type & 0x200:
            member, value = "f32" if bits == 32 else member, np.float32(value)
            if bits == 16:
                value = np.float16(value).view(np.int16)
        self.data = mli_data_container(mem=mli_mem(**{member: value}))


_TYPES = {("int8", False): "FX_8", ("int16", False): "FX_16", ("int8", True): "SA_8",
          ("int32", True): "SA_32", ("float16", False): "FP_16", ("float32", False): "FP_32"}


def _type_of(dtype, params):
    """Element type for an array; FX_16 if the dtype has no element type."""
    name = _TYPES.get((str(dtype), params.sa is not None), "FX_16")
    return mli_element_type[f"MLI_EL_{name}"]


def _span(array):
    """The memory from a slice's first to its last element, 1-D, and its strides."""
    strides, inner = [], 1
    for size, step in zip(reversed(array.shape), reversed(array.strides), strict=True):
        if size > 1 and (step <= 0 or step % array.itemsize):
            raise ValueError(f"data must be a slice with positive strides, not {array.strides}")
        strides.append(step // array.itemsize if size > 1 else inner)
        inner = strides[-1] * size
    strides = tuple(reversed(strides))
    size    = 1 + sum((n - 1) * step for n, step in zip(array.shape, strides, strict=True))
    return (np.lib.stride_tricks.as_strided(array, (size,), (array.itemsize,)),
            strides + (0,) * (MLI_MAX_RANK - len(strides)))


def _unpack_values(held, bits, dim, shape):
    """Value or value tuple in a parameter container."""
    if dim < 0:
        return getattr(held.mem, f"i{bits}")
    count = min(8 * held.capacity // bits, *shape[dim:dim + 1], 1 << 32)
    return tuple(getattr(held.mem, f"pi{bits}")[:count].tolist())


def format_of(tensor: mli_tensor, el_type: mli_element_type | None = None,
              shape: tuple[int, ...] | None = None) -> Format:
    """Fixed, Affine or None for a valid tensor; ``el_type`` and ``shape`` replace the tensor's."""
    kind = Element(tensor.el_type if el_type is None else el_type).format
    if kind is Fixed:
        return Fixed(tensor.el_params.fx.frac_bits)
    if kind is not Affine:
        return None
    sa, dim = tensor.el_params.sa, max(int(tensor.el_params.sa.dim), -1)
    shape = tensor.shape if shape is None else shape
    zeros, scales, fractions = (
        _unpack_values(getattr(sa, name), bits, dim, shape)
        for name, bits in _PARAMETERS.items())
    return Affine(zeros, scales, fractions, dim)


def params_of(kind: Format) -> mli_element_params:
    """``mli_element_params`` for a Fixed, an Affine or None, with new arrays."""
    if isinstance(kind, Affine):
        zeros, scales, fractions = (_contain(name, getattr(kind, name), bits)
                                    for name, bits in _PARAMETERS.items())
        return mli_element_params(sa=mli_sa_params(
            zero_point=zeros, scale=scales, scale_frac_bits=fractions, dim=kind.dim))
    return mli_element_params(fx=mli_fx_params(kind.frac_bits if kind else 0))
