# SPDX-License-Identifier: Apache-2.0
"""Conditions on every MLI 2.0 function, in checking order.

Source: the conditions in each function's description, and embARC MLI 2.0, mli_check.cc.
"""

from xymac.golden.api.moves import ORDER, POINT
from xymac.golden.api.rules import (
    CFG,
    INCOMPATIBLE,
    PADDING,
    SHAPE,
    UNSUPPORTED,
    Condition,
    configured,
    counts,
    member,
    rank,
    same,
)
from xymac.golden.api.types import (
    is_count,
    mli_permute_cfg,
    mli_pool_cfg,
    mli_relu_cfg,
    mli_relu_type,
    mli_status,
)
from xymac.golden.api.windows import PROMISES, WINDOWS
from xymac.golden.formats import as_affine
from xymac.golden.kinds import EltwiseOp

from . import linear as linear_conditions
from .configs import mli_argmax_cfg, mli_prelu_cfg, mli_sub_tensor_cfg
from .luts import creation, filled
from .memory import dims, elements, size_of, strides_of
from .mov.conditions import CONDITIONS as MOVES
from .results import ASKED, ENOUGH, INNER, PERMUTED, PLACES, SAME_TYPE
from .status import (
    AXIS,
    FORMATTED,
    apart,
    in_place,
    one_scale,
    output,
    scalar,
    small_zero,
    supported,
    typed,
    valid,
)
from .types import format_of

__all__ = ["CONDITIONS"]

_POOLING = (
    *valid("in_"), typed(("in_",)), output(), FORMATTED, configured(mli_pool_cfg),
    *counts(*PADDING),
    *counts("kernel_height", "kernel_width", "stride_height", "stride_width", low=1),
    rank("in_", 3), WINDOWS, linear_conditions.fits(CFG), one_scale("in_"),
    small_zero("in_", "out"), *PROMISES, *ASKED, INNER, *ENOUGH, apart("in_"))


def _transform(*more, inputs=("in_",)):
    return (*valid("in_"), *more, typed(inputs), output(), FORMATTED, one_scale(*inputs),
            small_zero("in_", "out"), INNER, *ENOUGH, in_place("in_"))


_RELU = _transform(configured(mli_relu_cfg),
                   member(mli_relu_type, "type", lambda call: call.cfg.type))


def _slopes(call):
    """Actual and allowed slope shape."""
    axis, shape = call.cfg.axis, dims(call.in_)
    if axis < 0:
        return elements(call.slope_coeff), 1
    return dims(call.slope_coeff), tuple(
        size if index == axis else 1 for index, size in enumerate(shape))


def _zero_of_slopes(call):
    sa = call.slope_coeff.el_params.sa if call.name.data_type == "sa8" else None
    return 0 if sa is None else as_affine(format_of(call.slope_coeff)).zero_points[0]


_SLOPE = valid("slope_coeff", scalar=True)
_HALF  = Condition(INCOMPATIBLE, "Zero point of slope_coeff must be -16384 .. 16383",
                   _zero_of_slopes, lambda zero: -16384 <= zero <= 16383)
_LEAKY = ("in_", "slope_coeff")
_AXIS  = (configured(mli_prelu_cfg), AXIS)
_PRELU = _transform(
    *_SLOPE, *_AXIS,
    Condition(SHAPE, "slope_coeff must have one element, or one an index along axis", _slopes,
              same), _HALF, inputs=_LEAKY)


def _eltwise(op):
    alike = (Condition(
        INCOMPATIBLE, "Both inputs must have the same parameters of elements",
        lambda call: (format_of(call.in1), format_of(call.in2)), same),)
    return (
        *valid("in1", "in2", scalar=True), typed(("in1", "in2")), output(), SAME_TYPE, FORMATTED,
        Condition(UNSUPPORTED, "One input at least must have a rank",
                  lambda call: (call.in1.rank, call.in2.rank), any),
        Condition(SHAPE, "Both inputs must have the same shape, or one a single element",
                  lambda call: (dims(call.in1), dims(call.in2)),
                  lambda shapes: same(shapes) or any(
                      all(size == 1 for size in shape) for shape in shapes)),
        one_scale("in1", "in2"), *(alike if op in (EltwiseOp.MIN, EltwiseOp.MAX) else ()),
        *ENOUGH, in_place("in1", "in2"))


def _slice(call):
    """Requested indices per slice, and elements per slice."""
    count = elements(call.in_)
    return call.cfg.topk, count if call.cfg.axis < 0 else count // call.in_.shape[call.cfg.axis]


_ARGMAX = (
    *valid("in_"), typed(("in_",)), output(), configured(mli_argmax_cfg), AXIS,
    Condition(CFG, "topk must be from 1 to the elements of a slice", _slice,
              lambda pair: is_count(pair[0], 1, pair[1])),
    one_scale("in_"), *PLACES[:2], *ENOUGH, apart("in_"), PLACES[2])
_PERMUTE = (
    *valid("in_"), typed(("in_",)), output(), configured(mli_permute_cfg), ORDER,
    *PERMUTED, *ENOUGH, apart("in_"))


def _bounds(call):
    """(start, size, dimension size) for each input dimension."""
    rank_ = call.in_.rank
    return list(zip(tuple(call.cfg.offset)[:rank_], tuple(call.cfg.size)[:rank_],
                    dims(call.in_), strict=True))


def _ranks(call):
    """A part's rank, its minimum and its maximum."""
    ones = sum(size == 1 for size in tuple(call.cfg.size)[:call.in_.rank])
    return call.cfg.sub_tensor_rank, max(call.in_.rank - ones, 1), call.in_.rank


_CREATE_SUBTENSOR = (
    *valid("in_"), POINT[0], configured(mli_sub_tensor_cfg),
    Condition(CFG, "offset and size must lie within each dimension", _bounds,
              lambda held: all(is_count(start, 0, whole - 1) and is_count(size, 1, whole - start)
                               for start, size, whole in held)),
    Condition(CFG, "sub_tensor_rank must leave out dimensions of 1 only", _ranks,
              lambda held: is_count(*held)))
_PART_TYPES = ("FX_8", "FX_16", "SA_8", "SA_32")


def _dense(tensor):
    """A tensor's strides, and its strides if it were contiguous."""
    shape = dims(tensor)
    return strides_of(shape, tensor.mem_stride), strides_of(shape, (0,) * len(shape))


def _free_strides(call):
    """Unchanged ``out`` strides, and its new rank."""
    return tuple(call.out.mem_stride), call.in_.rank - call.cfg.coord_num + 1


_POINT = (
    *valid("in_"), *POINT,
    Condition(INCOMPATIBLE, "in must lie in memory without gaps", lambda call: _dense(call.in_),
              same),
    Condition(INCOMPATIBLE, "mem_stride of out must be 0, or 1 for one dimension", _free_strides,
              lambda held: not any(held[0]) or (held[1] == 1 and held[0][0] == 1)))


def _same_size(call):
    return size_of(1, call.in_.el_type) == size_of(1, call.out_type)


def _scale_dims(call):
    """Input and output scale dimensions, for tensors with scales along a dimension."""
    return [tensor.el_params.sa.dim for tensor, el_type in (
        (call.in_, call.in_.el_type), (call.out, call.out_type))
            if el_type >> 8 == 1 and tensor.el_params.sa.dim >= 0]


_CONVERT = (*valid("in_"), output(), FORMATTED)
_CONVERT_END = (
    Condition(mli_status.MLI_STATUS_SIZE_MISMATCH, "Scales must lie along one dimension",
              _scale_dims, lambda dims: len(set(dims)) <= 1),
    INNER, *ENOUGH, in_place("in_", allowed=_same_size))

#: Conditions by primitive or helper; helpers that return a number check themselves.
CONDITIONS = {
    **linear_conditions.CONDITIONS,
    **MOVES,
    "maxpool":      _POOLING,
    "avepool":      _POOLING,
    "relu":         _RELU,
    "leaky_relu":   _transform(*_SLOPE, scalar("slope_coeff"), _HALF, inputs=_LEAKY),
    "prelu":        _PRELU,
    "sigm":         _transform(*filled("sigm")),
    "tanh":         _transform(*filled("tanh")),
    "softmax":      _transform(*filled("softmax"), *_AXIS),
    "l2_normalize": _transform(*valid("epsilon", scalar=True), scalar("epsilon"),
                               *filled("l2_normalize"), *_AXIS, inputs=("in_", "epsilon")),
    **{f"eltwise_{op.value}": _eltwise(op) for op in EltwiseOp},
    "argmax":              _ARGMAX,
    "permute":             _PERMUTE,
    "point_to_subtensor":  (*_POINT, supported((*_PART_TYPES, "FP_32"), "in_")),
    "create_subtensor":    (*_CREATE_SUBTENSOR, supported(_PART_TYPES, "in_")),
    "convert_tensor":      (*_CONVERT, *_CONVERT_END),
    "convert_tensor_safx": (*_CONVERT, supported(
        ("FX_4", "FX_8", "FX_16", "SA_8", "SA_32"), "in_", "out"), *_CONVERT_END),
    **{f"{name}_create_lut": creation(name) for name in (
        "sigm", "tanh", "softmax", "l2_normalize")},
}
