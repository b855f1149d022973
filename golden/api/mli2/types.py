# SPDX-License-Identifier: Apache-2.0
"""Tensors of MLI 2.0 under their documented names.

Source: MLI 2.0, "mli_tensor Data Structures".
"""

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from xymac.golden.api.types import MLI_MAX_RANK
from xymac.golden.fixed import container
from xymac.golden.mli2.tensor import Affine, Element, Fixed

__all__ = [
    "check_value", "format_of", "mli_data_container", "mli_el_param_type", "mli_element_params",
    "mli_element_type", "mli_fx_params", "mli_mem", "mli_sa_params", "mli_tensor", "params_of",
]

#: Element type of a tensor.
mli_element_type = IntEnum("mli_element_type", {f"MLI_EL_{element.name}": element.value
                                                for element in Element})


class mli_el_param_type(IntEnum):
    """Format of the SA element parameters: 16-bit scales and zero points."""

    MLI_EL_PARAM_SC16_ZP16 = 0


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


def check_value(name, value, bits):
    """Raise TypeError or ValueError unless ``value`` is an int of ``bits``."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an int, not {type(value).__name__}")
    low, high = container(bits)
    if not low <= value <= high:
        raise ValueError(f"{name} must be {low} .. {high}, not {value}")


class mli_mem:
    """Union ``mem`` of a container: a pointer to memory, or a value.

    ``mli_mem(pi16=array)`` points to the memory of an array of any type and shape;
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

    def __init__(self, **member):
        if len(member) > 1:
            raise TypeError(f"mem has one member at a time, not {' and '.join(member)}")
        self.memory, self.value = None, np.zeros(4, np.uint8)
        for name, content in member.items():
            if not isinstance(getattr(mli_mem, name, None), property):
                raise TypeError(f"mem has no member {name}")
            setattr(self, name, content)

    def __repr__(self):
        if self.memory is None:
            return f"mli_mem(i32={self.i32})"
        return f"mli_mem(pointer to {self.memory.size} bytes)"


@dataclass(eq=False)
class mli_data_container:
    """Memory, or a value.

    Parameters
    ----------
    capacity : int, bytes; by default the memory size of ``mem``, 0 for a value
    mem : mli_mem; a contiguous numpy array becomes a pointer to it
    """

    capacity: int | None = None
    mem:      mli_mem = None

    def __post_init__(self):
        if self.mem is None or isinstance(self.mem, np.ndarray):
            self.mem = mli_mem(pi8=self.mem)
        if self.capacity is None:
            self.capacity = 0 if self.mem.memory is None else self.mem.memory.size


@dataclass(eq=False)
class mli_fx_params:
    """Parameters of fixed-point elements: fractional bits, -128 .. 127."""

    frac_bits: int = 0


@dataclass(eq=False)
class mli_sa_params:
    """Parameters of signed asymmetric elements.

    Parameters
    ----------
    type : mli_el_param_type
    zero_point : mli_data_container, 16 bits: a value, or along ``dim`` a pointer to an array; an
        int or a sequence of ints becomes a container
    scale : the same, positive
    scale_frac_bits : the same, 8 bits
    dim : int, dimension of the arrays, negative for one value for the whole tensor
    """

    type:            mli_el_param_type = mli_el_param_type.MLI_EL_PARAM_SC16_ZP16
    zero_point:      mli_data_container = 0
    scale:           mli_data_container = 1
    scale_frac_bits: mli_data_container = 0
    dim:             int = -1

    def __post_init__(self):
        for name, bits in (("zero_point", 16), ("scale", 16), ("scale_frac_bits", 8)):
            held = getattr(self, name)
            if not isinstance(held, mli_data_container):
                setattr(self, name, _contain(name, held, bits))


def _contain(name, values, bits):
    """Container of an int or of a sequence of ints."""
    if np.ndim(values) == 0:
        check_value(name, values, bits)
        return mli_data_container(mem=mli_mem(**{f"i{bits}": values}))
    for value in values:
        check_value(name, value, bits)
    return mli_data_container(mem=np.array(values, f"int{bits}"))


@dataclass(eq=False)
class mli_element_params:
    """Union of element parameters: ``fx`` or ``sa``; FX with 0 fractional bits by default.

    Floating-point elements ignore them.
    """

    fx: mli_fx_params | None = None
    sa: mli_sa_params | None = None

    def __post_init__(self):
        if self.fx is not None and self.sa is not None:
            raise TypeError("el_params has one member at a time, not fx and sa")
        if self.fx is None and self.sa is None:
            self.fx = mli_fx_params()


@dataclass(eq=False)
class mli_tensor:
    """Memory with the shape and format of its content.

    Parameters
    ----------
    data : mli_data_container. A numpy array becomes a pointer to it and sets the omitted fields; an
        array slice also sets the strides. A number becomes a scalar.
    shape : ints, dimension with the largest stride first
    mem_stride : ints, elements between consecutive indices; 0 follows from the later dimensions
    rank : int, number of used dimensions; the length of ``shape`` by default; 0 for a scalar
    el_type : mli_element_type; from the array and ``el_params`` by default
    el_params : mli_element_params
    """

    data:       mli_data_container = None
    shape:      tuple | None = None
    mem_stride: tuple = (0,) * MLI_MAX_RANK
    rank:       int | None = None
    el_type:    mli_element_type | None = None
    el_params:  mli_element_params = field(default_factory=mli_element_params)

    def __post_init__(self):
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
        self.data = mli_data_container(mem=array)

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
    """Element type of an array; FX_16 if the dtype has no element type."""
    name = _TYPES.get((str(dtype), params.sa is not None), "FX_16")
    return mli_element_type[f"MLI_EL_{name}"]


def _span(array):
    """The memory from the first to the last element of a slice, 1-D, and its strides."""
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
    """Value or tuple of values in a parameter container."""
    if dim < 0:
        return getattr(held.mem, f"i{bits}")
    count = min(8 * held.capacity // bits, *shape[dim:dim + 1], 1 << 32)
    return tuple(getattr(held.mem, f"pi{bits}")[:count].tolist())


def format_of(tensor, el_type=None, shape=None):
    """Format of a valid tensor: Fixed, Affine or None; ``el_type`` and ``shape`` replace the
    tensor's.
    """
    kind = Element(tensor.el_type if el_type is None else el_type).format
    if kind is Fixed:
        return Fixed(tensor.el_params.fx.frac_bits)
    if kind is not Affine:
        return None
    sa, dim = tensor.el_params.sa, max(int(tensor.el_params.sa.dim), -1)
    shape = tensor.shape if shape is None else shape
    return Affine(*(_unpack_values(getattr(sa, name), bits, dim, shape) for name, bits in (
        ("zero_point", 16), ("scale", 16), ("scale_frac_bits", 8))), dim)


def params_of(kind):
    """``mli_element_params`` of a Fixed, an Affine or None, with new arrays."""
    if isinstance(kind, Affine):
        return mli_element_params(sa=mli_sa_params(
            zero_point=kind.zero_point, scale=kind.scale, scale_frac_bits=kind.scale_frac_bits,
            dim=kind.dim))
    return mli_element_params(fx=mli_fx_params(kind.frac_bits if kind else 0))
