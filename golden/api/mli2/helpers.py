# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 helper functions: queries, and tensor parts.

Source: MLI 2.0, "Helper Functions Group", and embARC MLI 2.0, mli_helpers.cc.
"""

from math import prod

from xymac.golden.api.types import MLI_MAX_RANK, is_count
from xymac.golden.mli2.tensor import Affine, Element, Fixed

from .luts import create, lut_size
from .memory import dims, size_of, start_of, strides_of
from .quantisation import copy_params
from .types import format_of, mli_data_container, mli_mem, mli_tensor, params_of

__all__ = ["ACTIONS", "NUMBERS"]

#: Element sizes in bytes of the library's types, without FX_4 and FP_16.
_SIZES = {element.value: element.bits // 8 for element in (
    Element.FX_8, Element.FX_16, Element.SA_8, Element.SA_32, Element.FP_32)}


def _tensor_element_size(in_):
    """Element size in bytes, 0 for an element type outside the library."""
    return _SIZES.get(in_.el_type, 0) if isinstance(in_, mli_tensor) else 0


def _count_elem_num(in_, start_dim):
    """Elements from a dimension on, 0 unless it is at most the rank."""
    if not isinstance(in_, mli_tensor) or not is_count(in_.rank, 0, MLI_MAX_RANK):
        return 0
    return prod(dims(in_)[start_dim:]) if is_count(start_dim, 0, in_.rank) else 0


def _param(values, absent):
    """Helper that returns a parameter; ``absent`` without such a parameter, 0 for an invalid index.
    """
    def get(in_, index):
        if not isinstance(in_, mli_tensor) or in_.el_type not in _SIZES:
            return 0
        kind = format_of(in_)
        if not isinstance(kind, Affine):
            return absent(kind)
        parameters = getattr(kind, values)
        index = 0 if kind.dim < 0 else index
        return parameters[index] if is_count(index, 0, len(parameters) - 1) else 0
    return get


_SCALE = _param("scales", lambda kind: 1)
_SHIFT = _param("fractions", lambda kind: kind.frac_bits if isinstance(kind, Fixed) else 0)
_ZERO  = _param("zero_points", lambda kind: 0)


def _tensor_data_ptr_cmp(in1, in2):
    """Whether two tensors of equal type start at the same address; False for rank-0 values."""
    tensors = (in1, in2)
    if not all(isinstance(tensor, mli_tensor) and tensor.rank
               and tensor.data.mem.memory is not None for tensor in tensors):
        return False
    return in1.el_type == in2.el_type and start_of(in1) == start_of(in2)


def _set_tensor_mem_strides(in_):
    """Make a tensor's strides contiguous; strides in unused dimensions stay."""
    if isinstance(in_, mli_tensor) and is_count(in_.rank, 0, MLI_MAX_RANK):
        shape = dims(in_)
        in_.mem_stride = _fill(in_.mem_stride, strides_of(shape, (0,) * len(shape)))


def _size_getter(name):
    return lambda: lut_size(name)


_LUTS = ("sigm", "tanh", "softmax", "l2_normalize")
#: Helpers that return a number instead of a status in every debug mode.
NUMBERS = {
    "tensor_element_size": _tensor_element_size,
    "count_elem_num":      _count_elem_num,
    "tensor_scale":        lambda in_, scale_idx: _SCALE(in_, scale_idx),
    "tensor_scale_shift":  lambda in_, scale_idx: _SHIFT(in_, scale_idx),
    "tensor_zero_offset":  lambda in_, zero_idx: _ZERO(in_, zero_idx),
    "tensor_data_ptr_cmp": _tensor_data_ptr_cmp,
    "set_tensor_mem_strides": _set_tensor_mem_strides,
    "accu_guard_bits_sa8_sa8":   lambda: 16,
    "accu_guard_bits_fx16_fx16": lambda: 32,
    "accu_guard_bits_fx16_fx8":  lambda: 8,
    **{f"{name}_get_lut_size": _size_getter(name) for name in _LUTS},
}


def _part_params(tensor, offset, kept):
    """Parameters for a tensor part: arrays start at its first index, or become one value."""
    kind = format_of(tensor)
    if not isinstance(kind, Affine) or kind.dim < 0:
        return copy_params(tensor.el_params)
    first = offset[kind.dim]
    if kind.dim not in kept:
        return params_of(Affine(*(values[first] for values in (
            kind.zero_points, kind.scales, kind.fractions))))
    params = copy_params(tensor.el_params, first)
    params.sa.dim = kept.index(kind.dim)
    return params


def _point(call, offset):
    """Point ``out`` to the input memory from the element at ``offset`` on, without a copy.

    Returns the input strides, in elements.
    """
    tensor  = call.in_
    strides = strides_of(dims(tensor), tensor.mem_stride)
    first   = size_of(sum(start * step for start, step in zip(offset, strides, strict=True)),
                      tensor.el_type)
    call.out.data = mli_data_container(tensor.data.capacity - first,
                                       mli_mem(pi8=tensor.data.mem.memory[first:]))
    call.out.el_type = tensor.el_type
    return strides


def _fill(held, entries):
    """``entries``, followed by the remaining entries in the longer field ``held``."""
    return (*entries, *tuple(held)[len(entries):])


def _point_to_subtensor(call):
    """Set all ``out`` fields except its strides."""
    cfg, shape, count, out = call.cfg, dims(call.in_), call.cfg.coord_num, call.out
    params = copy_params(call.in_.el_params)
    _point(call, tuple(cfg.start_coord)[:count] + (0,) * (len(shape) - count))
    kept = (int(cfg.first_out_dim_size), *shape[count:])
    out.data.capacity = size_of(prod(kept), out.el_type)
    out.shape, out.rank, out.el_params = _fill(out.shape, kept), len(kept), params


def _create_subtensor(call):
    rank, out = call.in_.rank, call.out
    size, offset  = tuple(call.cfg.size)[:rank], tuple(call.cfg.offset)[:rank]
    kept, surplus = [], rank - call.cfg.sub_tensor_rank
    for axis in range(rank):
        if size[axis] == 1 and surplus:
            surplus -= 1
        else:
            kept.append(axis)
    params  = _part_params(call.in_, offset, kept)
    strides = _point(call, offset)
    out.shape = _fill(out.shape, tuple(int(size[axis]) for axis in kept))
    out.mem_stride = _fill(out.mem_stride, tuple(strides[axis] for axis in kept))
    out.rank, out.el_params = len(kept), params


def _creator(name):
    return lambda call: create(name, call.lut)


#: Functions without a layer.
ACTIONS = {
    "point_to_subtensor": _point_to_subtensor,
    "create_subtensor":   _create_subtensor,
    **{f"{name}_create_lut": _creator(name) for name in _LUTS},
}
