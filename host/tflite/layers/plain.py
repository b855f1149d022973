# SPDX-License-Identifier: Apache-2.0
"""Operators on elements without a scale: FLOAT32 and integers."""

from xymac.golden.tflm import (
    PlainAddN,
    PlainBinary,
    PlainCompare,
    PlainComparison,
    PlainConv,
    PlainCumSum,
    PlainCurve,
    PlainDense,
    PlainDensePair,
    PlainDepthwise,
    PlainMatmul,
    PlainMean,
    PlainNormalization,
    PlainOperation,
    PlainPlace,
    PlainPool,
    PlainPooling,
    PlainPrelu,
    PlainReduce,
    PlainReduction,
    PlainResize,
    PlainSoftmax,
    PlainTransposeConv,
    PlainUnary,
)

from ..codes import ACTIVATION, TENSOR_TYPE, WEIGHTS_FORMAT

__all__ = ["PLAIN", "is_plain"]

_QUANTISED = ("INT8", "INT16", "UINT8")


def is_plain(call):
    """Whether a Call's data have no scale."""
    place = 2 if call.operator.name == "TRANSPOSE_CONV" else 0
    return call.has(place) and call.inputs[place].type.name not in _QUANTISED


def _binary(op):
    def convert(call):
        options = call.options
        fused   = hasattr(options, "fused_activation_function")
        return PlainBinary(op, call.activation) if fused else PlainBinary(op)
    return convert


def _unary(op):
    return lambda call: PlainUnary(op, getattr(call.options, "alpha", 0.0))


def _dense(call):
    call.refuse_option("weights_format", WEIGHTS_FORMAT.DEFAULT)
    keep = call.outputs[0].shape[:-1] == call.inputs[0].shape[:-1]
    bias = call.constant(2) if call.has(2) else None
    if call.inputs[1].data is None:
        return PlainDensePair(bias, call.activation, keep)
    return PlainDense(call.constant(1), bias, call.activation, keep)


def _reduce(op):
    return lambda call: PlainReduce(call.numbers(1), call.options.keep_dims, op)


def _axis(call):
    axis = call.numbers(1)
    if len(axis) != 1:
        raise ValueError(f"Its axis must be 1 element, not {len(axis)}")
    return axis[0]


def _place(*, is_largest):
    def convert(call):
        call.refuse_option("output_type", TENSOR_TYPE.INT32)
        return PlainPlace(_axis(call), is_largest)
    return convert


def _pool(op):
    return lambda call: PlainPool(
        op, (call.options.filter_height, call.options.filter_width), call.stride, call.padding,
        call.activation)


def _conv(kind):
    return lambda call: kind(
        call.constant(1), call.constant(2) if call.has(2) else None, call.stride, call.padding,
        (call.options.dilation_h_factor, call.options.dilation_w_factor), call.activation)


def _transpose_conv(call):
    return PlainTransposeConv(
        call.constant(1), call.constant(3) if call.has(3) else None, call.stride, call.padding,
        activation=call.activation, sizes=call.outputs[0].shape[1:3])


def _normalization(call):
    call.refuse_option("fused_activation_function", ACTIVATION.NONE)
    return PlainNormalization()


#: Functions from a Call to a layer by the operator's name, where there are others for integers that
#: have a scale.
PLAIN = {op.value: _binary(op) for op in PlainOperation} | {
    op.value: _unary(op) for op in PlainCurve} | {
    op.value: lambda call, op=op: PlainCompare(op) for op in PlainComparison} | {
    op.value: _pool(op) for op in PlainPooling} | {
    op.value: _reduce(op) for op in PlainReduction} | {
    "ADD_N": lambda call: PlainAddN(),
    "ARG_MAX": _place(is_largest=True),
    "ARG_MIN": _place(is_largest=False),
    "BATCH_MATMUL": lambda call: PlainMatmul(call.options.adj_x, call.options.adj_y),
    "CONV_2D": _conv(PlainConv),
    "CUMSUM": lambda call: PlainCumSum(_axis(call), call.options.exclusive, call.options.reverse),
    "DEPTHWISE_CONV_2D": _conv(PlainDepthwise),
    "L2_NORMALIZATION": _normalization,
    "PRELU": lambda call: PlainPrelu(call.constant(1)),
    "RESIZE_BILINEAR": lambda call: PlainResize(
        call.numbers(1), call.options.align_corners, call.options.half_pixel_centers),
    "TRANSPOSE_CONV": _transpose_conv,
    "SOFTMAX": lambda call: PlainSoftmax(call.options.beta),
    "MEAN": lambda call: PlainMean(call.numbers(1), call.options.keep_dims),
    "FULLY_CONNECTED": _dense,
    "LOG_SOFTMAX": lambda call: PlainSoftmax(is_log=True)}
