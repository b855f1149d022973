# SPDX-License-Identifier: Apache-2.0
"""Golden-model layers for MLI 2.0 calls, by primitive."""

from __future__ import annotations

from dataclasses import replace
from operator import index

from xymac.golden.api.types import mli_relu_type
from xymac.golden.fixed import saturate
from xymac.golden.formats import as_fixed
from xymac.golden.kinds import Act, EltwiseOp, Relu
from xymac.golden.mli2.activation import LeakyRelu, Prelu, Rectify, Sigmoid, Tanh
from xymac.golden.mli2.cells import Direction, GruCell, LstmCell, RnnOutput
from xymac.golden.mli2.conv import Conv2d, DepthwiseConv2d, GroupConv2d, TransposeConv2d
from xymac.golden.mli2.convert import ConvertTensor
from xymac.golden.mli2.dense import FullyConnected, RnnDense
from xymac.golden.mli2.eltwise import Eltwise
from xymac.golden.mli2.move import ArgMax, Permute
from xymac.golden.mli2.pool import AvePool, MaxPool
from xymac.golden.mli2.softmax import L2Normalize, Softmax
from xymac.golden.mli2.tensor import Affine, Element, Fixed

from .configs import mli_rnn_direction, mli_rnn_results
from .luts import to_table
from .memory import to_tensor
from .types import format_of

__all__ = ["LAYERS", "STANDS_FOR"]

#: Types that the conversion of the library does not have, and those that stand in for them: they
#: hold all their values.
STANDS_FOR = {Element.FX_4: Element.FX_8, Element.FP_16: Element.FP_32}


def _relu(cfg):
    return Relu(mli_relu_type(cfg.type))


def _convolution(kind):
    def build(call):
        return kind(to_tensor(call.weights), to_tensor(call.bias), call.out_format, call.stride,
                    call.pad, call.dilation, _relu(call.cfg.relu), call.build)
    return build


def _fully_connected(call):
    return FullyConnected(to_tensor(call.weights), to_tensor(call.bias), call.out_format,
                          _relu(call.cfg.relu), call.build)


def _rnn_dense(call):
    return RnnDense(tuple(map(to_tensor, call.matrices)), to_tensor(call.bias), call.out_format,
                    call.build)


_DIRECTIONS = {mli_rnn_direction.RNN_DIR_FORWARD: Direction.FWD,
               mli_rnn_direction.RNN_DIR_BACKWARD: Direction.BWD}
_RESULTS    = {mli_rnn_results.RNN_OUT_LAST: RnnOutput.LAST,
               mli_rnn_results.RNN_OUT_ALL: RnnOutput.ALL}


def _cell(call):
    common = {
        **{name: to_tensor(getattr(call, name)) for name in ("weights_in", "weights_out", "bias")},
        "state": to_tensor(call.prev_out), "out": call.out_format, "build": call.build,
        "direction": _DIRECTIONS[call.cfg.direction], "output": _RESULTS[call.cfg.results],
        "tanh_table": to_table(call.tanh_lut), "sigm_table": to_table(call.sigm_lut)}
    if call.name.primitive == "gru_cell":
        return GruCell(**common, documented=call.documented)
    return LstmCell(**common, cell=to_tensor(call.cell), act=Act(call.cfg.act))


def _leaky(call):
    slope, out, x = to_tensor(call.slope_coeff), call.out_format, format_of(call.in_)
    if not isinstance(x, Affine):
        # Only products are shifted to the format of the output: a slope of so many bits less.
        # Further shifts give the same as those at the limits of a format.
        bits  = slope.fixed.frac_bits + as_fixed(x).frac_bits - as_fixed(out).frac_bits
        slope, out = replace(slope, format=Fixed(int(saturate(bits, 8)))), None
    if call.name.primitive == "leaky_relu":
        return LeakyRelu(slope, out, call.build)
    axis  = max(index(call.cfg.axis), -1)
    shape = [1] * call.in_.rank
    if axis >= 0:
        shape[axis] = -1
    return Prelu(replace(slope, data=slope.data.reshape(shape)), out, call.build, axis)


def _eltwise(op):
    return lambda call: Eltwise(op, call.out_format, call.build)


def _convert(call):
    element, kind = Element(call.out_type), call.out_format
    return ConvertTensor(STANDS_FOR.get(element, element), kind, call.build)


def _axis(call):
    return max(index(call.cfg.axis), -1)


LAYERS = {
    "conv2d":           _convolution(Conv2d),
    "depthwise_conv2d": _convolution(DepthwiseConv2d),
    "group_conv2d":     _convolution(GroupConv2d),
    "transpose_conv2d": _convolution(TransposeConv2d),
    "fully_connected":  _fully_connected,
    "rnn_dense":        _rnn_dense,
    "lstm_cell":        _cell,
    "gru_cell":         _cell,
    "maxpool":          lambda call: MaxPool(call.kernel, call.stride, call.pad),
    "avepool":          lambda call: AvePool(call.kernel, call.stride, call.pad, call.out_format,
                                             call.build),
    "relu":             lambda call: Rectify(_relu(call.cfg)),
    "leaky_relu":       _leaky,
    "prelu":            _leaky,
    "sigm":             lambda call: Sigmoid(call.build, to_table(call.lut)),
    "tanh":             lambda call: Tanh(call.build, to_table(call.lut)),
    "softmax":          lambda call: Softmax(_axis(call), call.build, to_table(call.lut)),
    "l2_normalize":     lambda call: L2Normalize(_axis(call), call.build,
                                                  to_table(call.lut)),
    **{f"eltwise_{op.value}": _eltwise(op) for op in EltwiseOp},
    "permute":          lambda call: Permute(tuple(map(index, tuple(
        call.cfg.perm_dim)[:call.in_.rank]))),
    "argmax":           lambda call: ArgMax(index(call.cfg.topk), _axis(call)),
    "convert_tensor":      _convert,
    "convert_tensor_safx": _convert,
}
