# SPDX-License-Identifier: Apache-2.0
"""Conditions on the MLI 2.0 functions with weights, in checking order.

Source: the conditions in each function's description, and embARC MLI 2.0, mli_check.cc.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.api.rules import (
    BAD_TENSOR,
    CFG,
    INCOMPATIBLE,
    MEMORY,
    PADDING,
    SHAPE,
    Condition,
    configured,
    counts,
    member,
    rank,
    same,
)
from xymac.golden.api.types import is_count
from xymac.golden.api.windows import PROMISES, WINDOWS
from xymac.golden.formats import Affine, as_affine, as_fixed
from xymac.golden.mli2.arithmetic import shift_round

from .configs import (
    MLI_RNN_MAX_INPUT,
    mli_conv2d_cfg,
    mli_fully_connected_cfg,
    mli_rnn_cell_cfg,
    mli_rnn_dense_cfg,
    mli_rnn_direction,
    mli_rnn_out_activation,
    mli_rnn_results,
)
from .flaws import container_flaw
from .luts import filled
from .memory import dims, elements, size_of
from .results import ASKED, ENOUGH, FILTERS, INNER, within
from .status import (
    FORMATTED,
    RECTIFIED,
    all_valid,
    apart,
    one_scale,
    output,
    small_zero,
    symmetric,
    typed,
    valid,
)
from .types import format_of

if TYPE_CHECKING:
    from xymac.golden.api.types import mli_status

__all__ = ["CONDITIONS", "fits"]

_GATES = {"lstm_cell": 4, "gru_cell": 3}


def _pair(call):
    """Input and weights whose product has the bias format."""
    if call.name.primitive == "rnn_dense":
        return call.tensors[0], call.matrices[0]
    return call.in_, getattr(call, "weights_in", None) or call.weights


def _bias_flaw(call):
    """Bias format flaw, a str, or None; a scale difference of 1 counts as rounding."""
    kinds = [format_of(tensor) for tensor in (*_pair(call), call.bias)]
    if not isinstance(kinds[0], Affine):
        bits = [as_fixed(kind).frac_bits for kind in kinds]
        if bits[2] > bits[0] + bits[1]:
            return f"{bits[2]} fractional bits, not at most {bits[0]} + {bits[1]}"
        return None
    x, weights, bias = map(as_affine, kinds)
    fractions = np.array(weights.fractions) + x.fractions[0] - np.array(bias.fractions)
    products  = shift_round(x.scales[0] * np.array(weights.scales, np.int64), fractions, 32,
                            call.build.rounding)
    for wanted, scale in zip(products.tolist(), bias.scales, strict=True):
        if abs(wanted - scale) > 1:
            return f"scale {scale}, not the {wanted} of their scales"
    return None


#: Condition: bias bits or scales fit the product input * weights.
_BIAS = Condition(INCOMPATIBLE, "Bias must have the format of products of input and weights",
                  _bias_flaw, lambda flaw: flaw is None)


def _levels(axes, *names):
    """Condition: weights and bias have one scale each, or all have scales along ``axes``."""
    def collect_dims(call):
        tensors = [getattr(call, name) for name in names]
        return [max(tensor.el_params.sa.dim, -1) for tensor in tensors
                if tensor.el_params.sa is not None]
    return Condition(
        INCOMPATIBLE, f"Dimensions of the scales of {' and '.join(names)} must be "
        + (f"all negative or {axes}" if axes else "negative"), collect_dims,
        lambda dims: set(dims) <= {-1} or tuple(dims) == axes)


_BIAS_LENGTH = Condition(
    SHAPE, "Bias must have one element an output",
    lambda call: (call.bias.shape[0], dims(call.weights)[-1]), same)


def fits(status: mli_status) -> Condition:
    """Condition: the window fits the padded image."""
    return Condition(
        status, "Window must not be larger than the padded image, rows and columns",
        lambda call: (call.reach, (call.image[0] + sum(call.pad[:2]),
                                   call.image[1] + sum(call.pad[2:]))),
        lambda sizes: all(k <= i for k, i in zip(*sizes, strict=True)))


def _transpose_sizes(call):
    return tuple((size - 1) * step + taps - sum(call.pad[2 * axis:2 * axis + 2])
                 for axis, (size, step, taps) in enumerate(
                     zip(call.image, call.stride, call.kernel, strict=True)))


_UNDILATED   = Condition(
    CFG, "A transposed convolution must have dilations of 1",
    lambda call: (call.cfg.dilation_height, call.cfg.dilation_width),
    lambda pair: pair == (1, 1))
_SOME_OUTPUT = Condition(SHAPE, "Output must have rows and columns", _transpose_sizes,
                         lambda sizes: min(sizes) >= 1)


def _convolution(channels, dilated=True):
    return (
        *valid("in_", "weights", "bias"), typed(("in_",), ("weights",), ("bias",)), output(),
        FORMATTED, configured(mli_conv2d_cfg), *counts(*PADDING),
        *counts("stride_height", "stride_width", low=1),
        *(counts("dilation_height", "dilation_width", low=1) if dilated else (_UNDILATED,)),
        *RECTIFIED,
        rank("in_", 3), rank("weights", 4), rank("bias", 1), *channels, _BIAS_LENGTH, *FILTERS,
        WINDOWS, fits(SHAPE) if dilated else _SOME_OUTPUT, one_scale("in_"),
        small_zero("in_", "out"), symmetric("weights", "bias"),
        _levels((3, 0), "weights", "bias"), _BIAS, *PROMISES, *ASKED, *ENOUGH,
        apart("in_", "weights", "bias"))


_CHANNELS = Condition(SHAPE, "Weights must have the channels of the input",
                      lambda call: (call.weights.shape[2], call.channels), same)
_DEPTHWISE = (
    Condition(SHAPE, "Depthwise weights must have 1 channel", lambda call: call.weights.shape[2],
              lambda count: count == 1),
    Condition(SHAPE, "Depthwise weights must have one filter a channel of the input",
              lambda call: (call.weights.shape[3], call.channels), same),
)
_GROUPS = (
    Condition(SHAPE, "Input channels must be a multiple of the weights' channels",
              lambda call: (call.channels, call.weights.shape[2]),
              lambda pair: pair[0] % pair[1] == 0),
    Condition(SHAPE, "Filters must be a multiple of the groups",
              lambda call: (call.weights.shape[3], call.channels // call.weights.shape[2]),
              lambda pair: pair[0] % pair[1] == 0),
)

_FULLY_CONNECTED = (
    *valid("in_", "weights", "bias"), typed(("in_",), ("weights",), ("bias",)), output(),
    FORMATTED, configured(mli_fully_connected_cfg), *RECTIFIED, rank("weights", 2),
    rank("bias", 1), _BIAS_LENGTH,
    Condition(SHAPE, "Weights must have one row an input element",
              lambda call: (call.weights.shape[0], elements(call.in_)), same),
    one_scale("in_"), small_zero("in_", "out"), symmetric("weights", "bias"),
    _levels((1, 0), "weights", "bias"), _BIAS, INNER, *ENOUGH, apart("in_", "weights", "bias"))


def _matrices(call):
    outputs = call.bias.shape[0]
    return ([dims(tensor) for tensor in call.matrices],
            [(elements(tensor), outputs) for tensor in call.tensors])


_RNN_DENSE = (
    configured(mli_rnn_dense_cfg),
    Condition(CFG, f"inputs_num must be 1 .. {MLI_RNN_MAX_INPUT}",
              lambda call: call.cfg.inputs_num,
              lambda count: is_count(count, 1, MLI_RNN_MAX_INPUT)),
    Condition(BAD_TENSOR, "inputs and weights must be lists of inputs_num tensors",
              lambda call: [type(call.inputs).__name__, type(call.weights).__name__,
                            len(call.inputs), len(call.weights), call.cfg.inputs_num],
              lambda held: set(held[:2]) <= {"list", "tuple"} and min(held[2:4]) >= held[4]),
    *all_valid("inputs", "tensors"), *all_valid("weights", "matrices"), *valid("bias"),
    typed((), (), ("bias",), ("tensors", "matrices")), output(), FORMATTED, rank("bias", 1),
    Condition(SHAPE, "Each weight matrix must be input elements by bias elements",
              _matrices, same),
    one_scale("tensors", "matrices", "bias"), small_zero("tensors", "out"),
    symmetric("matrices", "bias"), _BIAS, INNER, *ENOUGH,
    apart("bias", pairs=lambda call: [("out", tensor) for tensor in (
        *call.tensors, *call.matrices, call.bias)]))


def _cell_shapes(call):
    gates, outputs = _GATES[call.name.primitive], call.prev_out.shape[0]
    names = ["weights_in", "weights_out", "bias", *(["cell"] if hasattr(call, "cell") else [])]
    return ([dims(getattr(call, name)) for name in names],
            [(gates, call.in_.shape[1], outputs), (gates, outputs, outputs), (gates, outputs),
             (outputs,)][:len(names)])


def _scratch(call):
    return (prod((_GATES[call.name.primitive], call.prev_out.shape[0],
                  size_of(1, call.in_.el_type))),
            min(call.cfg.scratch_data.capacity, call.cfg.scratch_data.mem.memory.size))


def _cell_pairs(call):
    """Tensor pairs that must not share memory; ``out`` can overlap ``prev_out``."""
    inputs = ["in_", "weights_in", "weights_out", "bias"]
    cell   = [("cell", name) for name in ("out", "prev_out", *inputs)]
    return [("out", name) for name in inputs] + (cell if hasattr(call, "cell") else [])


def _cell(*states):
    return (
        *valid("in_", "prev_out", "weights_in", "weights_out", "bias", *states),
        typed(("in_", "prev_out", *states), ("weights_in", "weights_out"), ("bias",)), output(),
        *map(output, states), FORMATTED, *filled("tanh", "tanh_lut"), *filled("sigm", "sigm_lut"),
        configured(mli_rnn_cell_cfg),
        member(mli_rnn_direction, "direction", lambda call: call.cfg.direction),
        member(mli_rnn_results, "results", lambda call: call.cfg.results),
        member(mli_rnn_out_activation, "act", lambda call: call.cfg.act),
        Condition(CFG, "scratch_data must be a container with memory",
                  lambda call: container_flaw(call.cfg.scratch_data, writes=True),
                  lambda flaw: flaw is None),
        rank("in_", 2), rank("prev_out", 1),
        Condition(SHAPE, "Weights, bias and cell must have the shapes that the cell wants",
                  _cell_shapes, same),
        Condition(MEMORY, "scratch_data must have room for all gates", _scratch, within),
        one_scale("in_", "prev_out", *states), small_zero("in_", "prev_out", *states, "out"),
        symmetric("weights_in", "weights_out", "bias"),
        _levels((0, 0, 0), "weights_in", "weights_out", "bias"), _BIAS, INNER, *ENOUGH,
        apart(pairs=_cell_pairs))


CONDITIONS = {
    "conv2d":           _convolution((_CHANNELS,)),
    "depthwise_conv2d": _convolution(_DEPTHWISE),
    "group_conv2d":     _convolution(_GROUPS),
    "transpose_conv2d": _convolution((_CHANNELS,), dilated=False),
    "fully_connected":  _FULLY_CONNECTED,
    "rnn_dense":        _RNN_DENSE,
    "lstm_cell":        _cell("cell"),
    "gru_cell":         _cell(),
}
