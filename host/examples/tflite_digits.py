# SPDX-License-Identifier: Apache-2.0
"""The digits CNN as a TensorFlow Lite file: int8, per-output scales."""

import numpy as np

from xymac.golden.mli1 import DepthwiseConv2d, FullyConnected, Relu
from xymac.host.tflite import options
from xymac.host.tflite.codes import ACTIVATION, PADDING, TENSOR_TYPE
from xymac.host.tflite.model import TYPES, Model, Operator, Tensor

from .scales import channel_scales, range_of, round_bias, round_weights

__all__ = ["digits_tflite"]

_ACTIVATION = {Relu.NONE: ACTIVATION.NONE, Relu.GEN: ACTIVATION.RELU, Relu.RELU6: ACTIVATION.RELU6}
_SHARE      = (2.0**-8, -128)  #: Scale and zero point of a softmax output.


class _Builder:
    """An operator chain."""

    def __init__(self, shape, pixel):
        self.operators = []
        self.tensors   = [_value("image", shape, pixel)]
        self._last     = 0

    def constant(self, name, data, scales=(), dimension=0):
        """Add a constant; returns its tensor number."""
        kind = next(kind for kind, dtype in TYPES.items() if dtype == data.dtype)
        self.tensors.append(Tensor(name, data.shape, kind, tuple(scales), (0,) * len(scales),
                                   dimension, data))
        return len(self.tensors) - 1

    def add(self, name, output, *constants, kind=None, version=1):
        """Append an operator that writes the Tensor ``output``."""
        self.tensors.append(output)
        number = len(self.tensors) - 1
        self.operators.append(Operator(name, (self._last, *constants), (number,), kind, version))
        self._last = number

    def format(self):
        """The last value's scale and zero point."""
        last = self.tensors[self._last]
        return last.scales[0], last.zero_points[0]

    def shape(self):
        """The last value's shape."""
        return self.tensors[self._last].shape


def _value(name, shape, kind):
    scale, zero_point = kind
    return Tensor(name, tuple(shape), TENSOR_TYPE.INT8, (scale,), (zero_point,))


def digits_tflite(layers, name, pixel):
    """Model from trained layers after a final ``forward`` of the training images, with a softmax at
    the end.

    ``pixel`` is the input's (scale, zero point).
    """
    rows, columns = (size - 2 * layers[0].pad for size in layers[0].padded.shape[2:])
    builder = _Builder((1, rows, columns, 1), pixel)
    for number, layer in enumerate(layers):
        if layer.kind is FullyConnected:
            _add_dense(builder, layer, f"dense{number}")
        else:
            _add_convolution(builder, layer, f"conv{number}")
    builder.add("SOFTMAX", _value("shares", builder.shape(), _SHARE),
                kind=options.SoftmaxOptions(1.0))
    return Model(tuple(builder.tensors), tuple(builder.operators), (0,),
                 (len(builder.tensors) - 1,), "main", name)


def _add_convolution(builder, layer, name):
    """Add a convolution; where its stride is not 1, PAD makes the border, as both its sides are the
    same."""
    depthwise = layer.kind is DepthwiseConv2d
    if layer.pad and layer.stride > 1:
        pads  = np.array([[0, 0], [layer.pad] * 2, [layer.pad] * 2, [0, 0]], np.int32)
        shape = np.array(builder.shape()) + pads.sum(axis=1)
        builder.add("PAD", _value(f"{name}/pad", shape.tolist(), builder.format()),
                    builder.constant(f"{name}/pads", pads))
    padding = PADDING.SAME if layer.pad and layer.stride == 1 else PADDING.VALID
    scales  = channel_scales(layer.weights)
    weights = round_weights(layer.weights, scales).transpose(
        (1, 2, 3, 0) if depthwise else (0, 2, 3, 1))
    bias    = round_bias(layer.bias, builder.format()[0], scales)
    inputs  = (builder.constant(f"{name}/weights", weights.copy(), scales, 3 if depthwise else 0),
               builder.constant(f"{name}/bias", bias,
                                [float(np.float32(builder.format()[0] * scale))
                                 for scale in scales]))
    _, channels, *sizes = layer.output.shape
    output  = _value(name, (1, *sizes, channels), range_of(layer.output))
    strides = layer.stride, layer.stride
    if depthwise:
        builder.add("DEPTHWISE_CONV_2D", output, *inputs, kind=options.DepthwiseConv2DOptions(
            padding, *strides, 1, _ACTIVATION[layer.relu]))
    else:
        builder.add("CONV_2D", output, *inputs, kind=options.Conv2DOptions(
            padding, *strides, _ACTIVATION[layer.relu]))


def _add_dense(builder, layer, name):
    """Add a matrix, behind a reshape; its columns are in the order of rows, columns, channels."""
    size = int(np.prod(builder.shape()))
    builder.add("RESHAPE", _value(f"{name}/flat", (1, size), builder.format()),
                builder.constant(f"{name}/shape", np.array([1, size], np.int32)),
                kind=options.ReshapeOptions((1, size)))
    scales  = channel_scales(layer.weights, many=False)
    weights = round_weights(layer.weights, scales).transpose(0, 2, 3, 1).reshape(-1, size)
    scale   = builder.format()[0]
    bias    = round_bias(layer.bias, scale, scales)
    builder.add("FULLY_CONNECTED",
                _value(name, (1, len(bias)), range_of(layer.output)),
                builder.constant(f"{name}/weights", weights.copy(), scales),
                builder.constant(f"{name}/bias", bias, (float(np.float32(scale * scales[0])),)),
                kind=options.FullyConnectedOptions(_ACTIVATION[layer.relu]))
