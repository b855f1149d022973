"""Helper functions of MLI 2.0: numbers that they return, parts of tensors.

Source: MLI 2.0, "Helper Functions Group", and embARC MLI 2.0, mli_helpers.cc.
"""

from math import prod

from golden.api.types import MLI_MAX_RANK, is_count
from golden.mli2.tensor import Affine, Element, Fixed

from .luts import create, lut_size
from .memory import dims, size_of, start_of, strides_of
from .types import format_of, mli_data_container, mli_mem, mli_tensor, params_of

__all__ = ["ACTIONS", "NUMBERS"]

#: Bytes of an element where the library has them: not of FX_4 and FP_16.
_SIZES = {element.value: element.bits // 8 for element in (
    Element.FX_8, Element.FX_16, Element.SA_8, Element.SA_32, Element.FP_32)}


def _tensor_element_size(in_):
    """Bytes of an element, 0 for an element type that the library does not have."""
    return _SIZES.get(in_.el_type, 0) if isinstance(in_, mli_tensor) else 0


def _count_elem_num(in_, start_dim):
    """Elements from a dimension on, 0 unless it is at most the rank."""
    if not isinstance(in_, mli_tensor) or not is_count(in_.rank, 0, MLI_MAX_RANK):
        return 0
    return prod(dims(in_)[start_dim:]) if is_count(start_dim, 0, in_.rank) else 0


def _param(values, absent):
    """Helper that returns a parameter: ``absent`` where elements have none, 0 where it is none."""
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
    """Whether two tensors start at the same address; not for values of rank 0."""
    tensors = (in1, in2)
    if not all(isinstance(tensor, mli_tensor) and tensor.rank
               and tensor.data.mem.memory is not None for tensor in tensors):
        return False
    return start_of(in1) == start_of(in2)


def _size_getter(name):
    return lambda: lut_size(name)


_LUTS = ("sigm", "tanh", "softmax", "l2_normalize")
#: Helpers that return a number in place of a status, whatever the debug mode.
NUMBERS = {
    "tensor_element_size": _tensor_element_size,
    "count_elem_num":      _count_elem_num,
    "tensor_scale":        lambda in_, scale_idx: _SCALE(in_, scale_idx),
    "tensor_scale_shift":  lambda in_, scale_idx: _SHIFT(in_, scale_idx),
    "tensor_zero_offset":  lambda in_, zero_idx: _ZERO(in_, zero_idx),
    "tensor_data_ptr_cmp": _tensor_data_ptr_cmp,
    **{f"{name}_get_lut_size": _size_getter(name) for name in _LUTS},
}


def _part_params(tensor, offset, size, kept):
    """Parameters of a part of a tensor: arrays become those of its indices, or one value."""
    kind = format_of(tensor)
    if not isinstance(kind, Affine) or kind.dim < 0:
        return tensor.el_params
    first = offset[kind.dim]
    parts = [values[first:first + size[kind.dim]]
             for values in (kind.zero_points, kind.scales, kind.fractions)]
    if kind.dim in kept:
        return params_of(Affine(*parts, kept.index(kind.dim)))
    return params_of(Affine(*(part[0] for part in parts)))


def _part(call, offset, size, kept):
    """Make ``out`` the part of the input from ``offset`` on: nothing is copied.

    ``kept`` are the dimensions of the input that it has. Its capacity is what is left of that of
    the input, as in the library.
    """
    tensor, out = call.in_, call.out
    strides = strides_of(dims(tensor), tensor.mem_stride)
    first   = size_of(sum(start * step for start, step in zip(offset, strides, strict=True)),
                      tensor.el_type)
    params  = _part_params(tensor, offset, size, kept)
    out.data = mli_data_container(tensor.data.capacity - first,
                                  mli_mem(pi8=tensor.data.mem.memory[first:]))
    out.shape = tuple(int(size[axis]) for axis in kept)
    out.rank  = len(kept)
    out.mem_stride = (*(strides[axis] for axis in kept), *(0,) * (MLI_MAX_RANK - len(kept)))
    out.el_type, out.el_params = tensor.el_type, params


def _point_to_subtensor(call):
    cfg, shape, count = call.cfg, dims(call.in_), call.cfg.coord_num
    start = tuple(cfg.start_coord)[:count] + (0,) * (len(shape) - count)
    size  = (1,) * (count - 1) + (cfg.first_out_dim_size, *shape[count:])
    _part(call, start, size, tuple(range(count - 1, len(shape))))


def _create_subtensor(call):
    rank = call.in_.rank
    size = tuple(call.cfg.size)[:rank]
    kept, surplus = [], rank - call.cfg.sub_tensor_rank
    for axis in range(rank):
        if size[axis] == 1 and surplus:
            surplus -= 1
        else:
            kept.append(axis)
    _part(call, tuple(call.cfg.offset)[:rank], size, tuple(kept))


def _creator(name):
    return lambda call: create(name, call.lut)


#: Functions that no layer stands for.
ACTIONS = {
    "point_to_subtensor": _point_to_subtensor,
    "create_subtensor":   _create_subtensor,
    **{f"{name}_create_lut": _creator(name) for name in _LUTS},
}
