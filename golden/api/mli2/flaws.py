# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 tensor flaws; each text names the field, its limit and its value.

Source: MLI 2.0, "mli_tensor Data Structures", its field descriptions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xymac.golden.api.types import MLI_MAX_RANK, is_count
from xymac.golden.fixed import container
from xymac.golden.mli2.tensor import Affine, Element, Fixed

from .memory import dims, strides_of
from .types import mli_data_container, mli_el_param_type, mli_element_params, mli_tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .types import mli_element_type

__all__ = ["container_flaw", "params_flaw", "stride_flaw", "tensor_flaw"]

_UINT32 = 2 ** 32 - 1
_INT32  = (-2 ** 31, 2 ** 31 - 1)
#: Width and limits of the SA element parameters.
_SA     = {"zero_point": (16, *container(16)), "scale": (16, 1, container(16)[1]),
           "scale_frac_bits": (8, *container(8))}


def tensor_flaw(tensor: mli_tensor | None, scalar: bool = False) -> str | None:
    """First flaw in an input tensor, a str, or None; the capacity is not checked.

    ``scalar`` admits rank 0, a value instead of a pointer.
    """
    if not isinstance(tensor, mli_tensor):
        return f"{type(tensor).__name__}, no mli_tensor"
    return (_shape_flaw(tensor, scalar) or _type_flaw(tensor)
            or (container_flaw(tensor.data) if tensor.rank else _value_flaw(tensor))
            or stride_flaw(dims(tensor), tensor.mem_stride)
            or params_flaw(tensor.el_params, tensor.el_type, dims(tensor)))


def _shape_flaw(tensor, scalar):
    low = 0 if scalar else 1
    if not is_count(tensor.rank, low, MLI_MAX_RANK):
        return f"rank {tensor.rank}, not {low} .. {MLI_MAX_RANK}"
    if not isinstance(tensor.shape, (tuple, list)) or len(tensor.shape) < tensor.rank:
        return f"shape {tensor.shape} for rank {tensor.rank}"
    return next((f"shape[{axis}] of {size}, not 1 .. {_UINT32}"
                 for axis, size in enumerate(tensor.shape[:tensor.rank])
                 if not is_count(size, 1, _UINT32)), None)


def _type_flaw(tensor):
    if tensor.el_type not in {element.value for element in Element}:
        return f"element type {tensor.el_type}, no mli_element_type"
    return None


def _value_flaw(tensor):
    if not isinstance(tensor.data, mli_data_container):
        return f"data a {type(tensor.data).__name__}, no mli_data_container"
    if tensor.data.mem.memory is not None:
        return "a pointer in place of the value of rank 0"
    if tensor.data.capacity != 0:
        return f"capacity {tensor.data.capacity} of rank 0, not 0"
    low, high = container(4)
    if tensor.el_type == Element.FX_4.value and not low <= tensor.data.mem.i8 <= high:
        return f"value {tensor.data.mem.i8} of 4 bits, not {low} .. {high}"
    return None


def container_flaw(data: mli_data_container | None, writes: bool = False) -> str | None:
    """First flaw in a container for memory to read or (``writes``) to write, or None."""
    if not isinstance(data, mli_data_container):
        return f"data a {type(data).__name__}, no mli_data_container"
    if data.mem.memory is None:
        return "no memory to point to"
    if writes and not data.mem.memory.flags.writeable:
        return "memory that cannot be written"
    if not is_count(data.capacity, 0, _INT32[1]):
        return f"capacity {data.capacity}, not 0 .. {_INT32[1]}"
    return None


def stride_flaw(shape: Sequence[int], mem_stride: Sequence[int]) -> str | None:
    """First stride flaw in a tensor of ``shape``, or None.

    Each non-zero stride must be positive, at most the stride before it, and at least the extent of
    the dimensions after it.
    """
    if not isinstance(mem_stride, (tuple, list)) or len(mem_stride) < len(shape):
        return f"mem_stride {mem_stride} for rank {len(shape)}"
    for axis, step in enumerate(mem_stride[:len(shape)]):
        if not is_count(step, 0, _INT32[1]):
            return f"mem_stride[{axis}] of {step}, not 0 .. {_INT32[1]}"
    strides, least = strides_of(shape, mem_stride), 1
    for axis in reversed(range(len(shape))):
        if strides[axis] < least:
            return (f"mem_stride[{axis}] of {strides[axis]}, less than the {least} of the "
                    f"dimensions after it")
        if axis and strides[axis] > strides[axis - 1]:
            return (f"mem_stride[{axis}] of {strides[axis]}, more than the {strides[axis - 1]} "
                    f"before it")
        least *= shape[axis]
    return None


def params_flaw(params: mli_element_params, el_type: mli_element_type,
                shape: tuple[int, ...]) -> str | None:
    """First parameter flaw for ``el_type`` elements in a tensor of ``shape``, or None."""
    if not isinstance(params, mli_element_params):
        return f"el_params a {type(params).__name__}, no mli_element_params"
    kind = Element(el_type).format
    if kind is Affine:
        return "el_params without sa" if params.sa is None else _sa_flaw(params.sa, shape)
    if kind is Fixed:
        low, high = container(8)
        if params.fx is None:
            return "el_params without fx"
        if not is_count(params.fx.frac_bits, low, high):
            return f"frac_bits {params.fx.frac_bits}, not {low} .. {high}"
    return None


def _sa_flaw(sa, shape):
    if sa.type != mli_el_param_type.MLI_EL_PARAM_SC16_ZP16:
        return f"sa.type {sa.type}, not MLI_EL_PARAM_SC16_ZP16"
    if not is_count(sa.dim, _INT32[0], len(shape) - 1):
        return f"sa.dim {sa.dim}, not less than the {len(shape)} dimensions"
    for name, limits in _SA.items():
        held = getattr(sa, name)
        if not isinstance(held, mli_data_container):
            return f"sa.{name} a {type(held).__name__}, no mli_data_container"
        flaw = (_value_param_flaw(name, held, *limits) if sa.dim < 0
                else _array_param_flaw(name, held, sa.dim, shape[sa.dim], *limits))
        if flaw is not None:
            return flaw
    return None


def _value_param_flaw(name, held, bits, low, high):
    if held.mem.memory is not None:
        return f"sa.{name} a pointer, not one value for the whole tensor"
    if held.capacity != 0:
        return f"sa.{name} a value of capacity {held.capacity}, not 0"
    value = getattr(held.mem, f"i{bits}")
    return None if low <= value <= high else f"sa.{name} {value}, not {low} .. {high}"


def _array_param_flaw(name, held, dim, size, bits, low, high):
    flaw = container_flaw(held)
    if flaw is not None:
        return f"sa.{name} with {flaw}"
    count, memory = 8 * held.capacity // bits, 8 * held.mem.memory.size // bits
    if count < size:
        return f"sa.{name} of {count} values, not the {size} of dimension {dim}"
    if size > memory:
        return f"sa.{name} of {size} values, more than the {memory} in memory"
    for index, value in enumerate(getattr(held.mem, f"pi{bits}")[:size].tolist()):
        if not low <= value <= high:
            return f"sa.{name}[{index}] {value}, not {low} .. {high}"
    return None
