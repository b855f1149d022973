# SPDX-License-Identifier: Apache-2.0
"""Operators with weights, and pools."""

from xymac.golden.tflm import (
    AveragePool2d,
    Conv2d,
    DensePair,
    DepthwiseConv2d,
    FullyConnected,
    MaxPool2d,
    TransposeConv,
)

from ..codes import TENSOR_TYPE, WEIGHTS_FORMAT

__all__ = ["LINEAR"]


def _dilation(call):
    return call.options.dilation_h_factor, call.options.dilation_w_factor


def _is_short(call):
    return call.options.quantized_bias_type == TENSOR_TYPE.INT32


def _weights(call):
    """The second input's weights; the library supports INT4 weights for INT8, and in a matrix only
    with a single scale.
    """
    tensor = call.inputs[1]
    if tensor.type == TENSOR_TYPE.INT4:
        if call.inputs[0].type != TENSOR_TYPE.INT8:
            raise ValueError(f"Weights of {call.inputs[0].type.name} must be INT8, not INT4")
        if call.operator.name == "FULLY_CONNECTED" and len(tensor.scales) > 1:
            raise ValueError(f"Weights of INT4 must have 1 scale, not {len(tensor.scales)}")
    return call.constant(1)


def _conv_2d(call):
    return Conv2d(_weights(call), call.bias(2), call.out, call.stride, call.padding,
                  _dilation(call), call.activation, _is_short(call))


def _depthwise_conv_2d(call):
    channels, outputs = call.inputs[0].shape[-1:], call.inputs[1].shape[-1:]
    times = call.options.depth_multiplier
    if channels and outputs and channels[0] * times != outputs[0]:
        raise ValueError(f"depth_multiplier must make {outputs[0]} outputs of the {channels[0]} "
                         f"channels of the input, not be {times}")
    return DepthwiseConv2d(_weights(call), call.bias(2), call.out, call.stride, call.padding,
                           _dilation(call), call.activation)


def _fully_connected(call):
    call.refuse_option("weights_format", WEIGHTS_FORMAT.DEFAULT)
    # As in the library, the output dimensions define the result, not the option.
    keep = call.outputs[0].shape[:-1] == call.inputs[0].shape[:-1]
    if call.inputs[1].data is None:
        if call.inputs[1].type == TENSOR_TYPE.INT4:
            raise ValueError("Weights of INT4 must be a constant")
        return DensePair(call.bias(2), call.out, call.activation, keep, _is_short(call))
    return FullyConnected(_weights(call), call.bias(2), call.out, call.activation, keep,
                          _is_short(call))


def _transpose_conv(call):
    return TransposeConv(call.constant(1), call.bias(3), call.out, call.stride, call.padding,
                         activation=call.activation, sizes=call.outputs[0].shape[1:3])


def _pool(kind):
    def convert(call):
        kernel = call.options.filter_height, call.options.filter_width
        return kind(kernel, call.out, call.stride, call.padding, call.activation)
    return convert


#: Functions from a Call to a layer by the operator's name.
LINEAR = {
    "CONV_2D": _conv_2d,
    "DEPTHWISE_CONV_2D": _depthwise_conv_2d,
    "FULLY_CONNECTED": _fully_connected,
    "TRANSPOSE_CONV": _transpose_conv,
    "AVERAGE_POOL_2D": _pool(AveragePool2d),
    "MAX_POOL_2D": _pool(MaxPool2d),
}
