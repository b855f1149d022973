# SPDX-License-Identifier: Apache-2.0
"""Conditions on every MLI 1.x function, in checking order.

Source: MLI 1.0 and 1.1, each function's "Conditions for Applying the Function". If a call breaks
several conditions, the first in the library's checking order counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xymac.golden.api.moves import ORDER, POINT
from xymac.golden.api.rules import (
    BAD_TENSOR,
    CFG,
    INCOMPATIBLE,
    PADDING,
    SHAPE,
    TYPE,
    UNSUPPORTED,
    Condition,
    Scope,
    configured,
    counts,
    member,
    rank,
    same,
)
from xymac.golden.api.types import (
    dims,
    elements,
    is_count,
    mli_permute_cfg,
    mli_pool_cfg,
    mli_relu_cfg,
    mli_relu_type,
)
from xymac.golden.api.windows import PROMISES, WINDOWS

from .cells import BASIC_RNN, LSTM
from .configs import mli_concat_cfg, mli_padding2d_cfg
from .linear import CONV2D, DEPTHWISE_CONV2D, FULLY_CONNECTED, fits
from .status import FX, apart, buffer, enough, frac_bits, in_place, scalar, typed, valid

if TYPE_CHECKING:
    from .types import mli_tensor

__all__ = ["CONDITIONS"]

_POOLING = (
    *valid("in_"), buffer(), configured(mli_pool_cfg), *counts(*PADDING),
    *counts("kernel_height", "kernel_width", "stride_height", "stride_width", low=1),
    rank("in_", 3), WINDOWS, fits(CFG), typed("in_"), *PROMISES, apart("in_"), enough())
_TRANSFORM = (*valid("in_"), buffer(), typed("in_"), in_place("in_"), enough())
_RELU = (
    *valid("in_"), buffer(), configured(mli_relu_cfg),
    member(mli_relu_type, "type", lambda call: call.cfg.type), typed("in_"), in_place("in_"),
    enough())
_LEAKY_RELU = (
    *valid("in_"), buffer(), *valid("slope_coeff", rank0=True), scalar("slope_coeff"),
    Condition(TYPE, "Input and slope_coeff must have one element type",
              lambda call: (call.in_.el_type, call.slope_coeff.el_type), same),
    typed("in_", "slope_coeff"), in_place("in_"), enough())


def _eltwise(*more):
    return (
        *valid("in1", "in2", rank0=True), buffer(), *more,
        Condition(UNSUPPORTED, "One input at least must have a rank",
                  lambda call: (call.in1.rank, call.in2.rank), any),
        Condition(INCOMPATIBLE, "Both inputs must have one element type",
                  lambda call: (call.in1.el_type, call.in2.el_type), same),
        *(() if more else (Condition(
            INCOMPATIBLE, "Both inputs must have the same fractional bits",
            lambda call: (call.in1.el_params.fx.frac_bits, call.in2.el_params.fx.frac_bits),
            same, Scope.MODES),)),
        Condition(SHAPE, "Both inputs must have the same shape, or one a single element",
                  lambda call: (dims(call.in1), dims(call.in2)),
                  lambda shapes: same(shapes) or any(
                      all(size == 1 for size in shape) for shape in shapes), Scope.MODES),
        Condition(SHAPE, "Both inputs must have equal element counts, or one a single element",
                  lambda call: (elements(call.in1), elements(call.in2)),
                  lambda counts: same(counts) or 1 in counts),
        typed("in1", "in2"), in_place("in1", "in2"), enough())


def _inputs(call):
    return list(call.inputs)[:call.cfg.tensors_num]


def _all_inputs(status, text, value, ok, scope=Scope.ALWAYS):
    return Condition(status, text, lambda call: [value(tensor) for tensor in _inputs(call)], ok,
                     scope)


def _other_dims(call):
    axis = call.cfg.axis
    return [dims(tensor)[:axis] + dims(tensor)[axis + 1:] for tensor in _inputs(call)]


def _output_pairs(call):
    return [("out", tensor) for tensor in _inputs(call)]


def _input_pairs(call):
    used = _inputs(call)
    return [(first, second) for index, first in enumerate(used) for second in used[:index]]


class _OneInput:
    """A concatenation input as a call's argument ``input``."""

    def __init__(self, tensor: mli_tensor | None) -> None:
        self.input = tensor


_CONCAT = (
    Condition(BAD_TENSOR, "inputs must be a list or tuple",
              lambda call: type(call.inputs).__name__, lambda kind: kind in ("list", "tuple")),
    configured(mli_concat_cfg), *counts("axis"),
    Condition(CFG, "tensors_num must be at least 1 and at most MLI_CONCAT_MAX_TENSORS",
              lambda call: (call.cfg.tensors_num, call.concat_max_tensors),
              lambda pair: is_count(pair[0], 1, pair[1])),
    Condition(BAD_TENSOR, "inputs must hold tensors_num tensors",
              lambda call: (len(call.inputs), call.cfg.tensors_num),
              lambda pair: pair[0] >= pair[1]),
    *(_all_inputs(BAD_TENSOR, "Every input must be a valid tensor",
                  lambda tensor, each=each: each.value(_OneInput(tensor)),
                  lambda flaws: not any(flaws), each.scope) for each in valid("input")),
    buffer(),
    Condition(CFG, "axis must be less than the rank of the first input",
              lambda call: (call.cfg.axis, call.inputs[0].rank), lambda pair: pair[0] < pair[1]),
    _all_inputs(INCOMPATIBLE, "All inputs must have one element type",
                lambda tensor: tensor.el_type, same),
    _all_inputs(INCOMPATIBLE, "All inputs must have the same fractional bits",
                lambda tensor: tensor.el_params.fx.frac_bits, same, Scope.MODES),
    _all_inputs(INCOMPATIBLE, "All inputs must have one rank", lambda tensor: tensor.rank, same),
    Condition(SHAPE, "All inputs must have one shape but for the axis", _other_dims, same),
    typed("first"), apart(pairs=_output_pairs), apart(pairs=_input_pairs, scope=Scope.DOCUMENTS),
    enough())

_PERMUTE = (
    *valid("in_"), buffer(), configured(mli_permute_cfg), ORDER, typed("in_"), apart("in_"),
    enough())
_PADDING2D = (
    *valid("in_"), buffer(), configured(mli_padding2d_cfg), *counts(*PADDING), rank("in_", 3),
    typed("in_"), apart("in_"), enough())

_CONVERT_TENSOR = (
    *valid("in_"), buffer(), frac_bits(),
    Condition(UNSUPPORTED, "Element types must be fixed point",
              lambda call: (call.in_.el_type, call.out.el_type),
              lambda types: all(kind in FX for kind in types)),
    in_place("in_", allowed=lambda call: (call.in_.el_type, call.out.el_type) != FX), enough())

#: Conditions by primitive or helper; the two helpers that return a number check themselves.
CONDITIONS = {
    "conv2d":             CONV2D,
    "depthwise_conv2d":   DEPTHWISE_CONV2D,
    "maxpool":            _POOLING,
    "avepool":            _POOLING,
    "fully_connected":    FULLY_CONNECTED,
    "lstm_cell":          LSTM,
    "basic_rnn_cell":     BASIC_RNN,
    "relu":               _RELU,
    "leaky_relu":         _LEAKY_RELU,
    "sigm":               _TRANSFORM,
    "tanh":               _TRANSFORM,
    "softmax":            _TRANSFORM,
    "eltwise_add":        _eltwise(),
    "eltwise_sub":        _eltwise(),
    "eltwise_min":        _eltwise(),
    "eltwise_max":        _eltwise(),
    "eltwise_mul":        _eltwise(frac_bits()),
    "concat":             _CONCAT,
    "permute":            _PERMUTE,
    "padding2d":          _PADDING2D,
    "point_to_subtensor": (
        *valid("in_"), *POINT,
        Condition(CFG, "coord_num must be less than the rank of the input",
                  lambda call: (call.cfg.coord_num, call.in_.rank),
                  lambda pair: pair[0] < pair[1], Scope.DOCUMENTS)),
    "convert_tensor":     _CONVERT_TENSOR,
}
