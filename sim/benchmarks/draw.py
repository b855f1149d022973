# SPDX-License-Identifier: Apache-2.0
"""Random int8 TensorFlow Lite networks, built layer by layer."""

from math import prod, sqrt

import numpy as np

from xymac.host.tflite import options
from xymac.host.tflite.codes import ACTIVATION, PADDING, TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator, Tensor

__all__ = ["Drawing"]

_SPREAD = 40     #: Standard deviation of a layer's outputs, in scale steps.
_WEIGHT = 73.3   #: Standard deviation of uniform weights.
_INPUT  = 28     #: Root mean square of centred inputs after a RELU.
_LOWEST = -128   #: Zero point after a RELU.


def _scale(number):
    """The nearest float32 value."""
    return float(np.float32(number))


class Drawing:
    """A network under construction, and its last operator's tensor.

    Scales are chosen so that outputs fill most of the int8 range if inputs do.

    Parameters
    ----------
    rng : numpy Generator
    shape : tuple of int, input shape with the batch

    Attributes
    ----------
    last : int, tensor number for the next operator's input
    """

    def __init__(self, rng, shape):
        self._rng, self._tensors, self._operators = rng, [], []
        self.last = self._input = self._add_value("input", shape, 1 / 128, -1)

    @property
    def shape(self):
        """The last tensor's shape."""
        return self._tensors[self.last].shape

    def conv(self, outputs, kernel=(1, 1), stride=(1, 1), padding=PADDING.SAME, relu=True):
        """A CONV_2D with per-output scales."""
        weights = self._weights((outputs, *kernel, self.shape[3]), 0)
        size    = self._windows(kernel, stride, padding)
        self._weigh("CONV_2D", weights, (1, *size, outputs), prod(kernel) * self.shape[3], relu,
                    options.Conv2DOptions(padding, stride[1], stride[0]))

    def depthwise(self, kernel=(3, 3), stride=(1, 1), padding=PADDING.SAME, relu=True):
        """A DEPTHWISE_CONV_2D with multiplier 1 and per-channel scales."""
        channels = self.shape[3]
        weights  = self._weights((1, *kernel, channels), 3)
        size     = self._windows(kernel, stride, padding)
        self._weigh("DEPTHWISE_CONV_2D", weights, (1, *size, channels), prod(kernel), relu,
                    options.DepthwiseConv2DOptions(padding, stride[1], stride[0], 1))

    def dense(self, outputs, relu=False):
        """A FULLY_CONNECTED with a single scale."""
        depth = self.shape[-1]
        self._weigh("FULLY_CONNECTED", self._weights((outputs, depth), None), (1, outputs), depth,
                    relu, options.FullyConnectedOptions())

    def add(self, other):
        """An ADD with a RELU on the last tensor and ``other``."""
        pair  = [self._tensors[number] for number in (self.last, other)]
        scale = _scale(1.1 * max(tensor.scales[0] for tensor in pair))
        output = self._add_value("sum", self.shape, scale, _LOWEST)
        self._operate("ADD", (self.last, other), output, options.AddOptions(ACTIVATION.RELU))

    def average(self):
        """An AVERAGE_POOL_2D over the whole image, reshaped to a matrix."""
        _, rows, columns, channels = self.shape
        if (rows, columns) != (1, 1):
            output = self._like_last("mean", (1, 1, 1, channels))
            self._operate("AVERAGE_POOL_2D", (self.last,), output, options.Pool2DOptions(
                PADDING.VALID, columns, rows, columns, rows))
        shape  = self._add_constant("shape", np.array([1, channels], np.int32))
        output = self._like_last("flat", (1, channels))
        self._operate("RESHAPE", (self.last, shape), output, options.ReshapeOptions((1, channels)))

    def softmax(self):
        """A SOFTMAX."""
        output = self._add_value("softmax", self.shape, 1 / 256, _LOWEST)
        self._operate("SOFTMAX", (self.last,), output, options.SoftmaxOptions(1.0))

    def model(self, name):
        """Model with the last tensor as output."""
        return Model(tuple(self._tensors), tuple(self._operators), (self._input,), (self.last,),
                     name)

    def _windows(self, kernel, stride, padding):
        sizes = zip(self.shape[1:3], kernel, stride, strict=True)
        if padding == PADDING.SAME:
            return [-(-size // step) for size, _, step in sizes]
        return [(size - taps) // step + 1 for size, taps, step in sizes]

    def _weights(self, shape, dimension):
        count  = 1 if dimension is None else shape[dimension]
        scales = tuple(_scale(2.0 ** self._rng.uniform(-9, -8)) for _ in range(count))
        data   = self._rng.integers(-127, 127, shape, np.int8, endpoint=True)
        return self._add_constant("weights", data, scales, dimension or 0)

    def _weigh(self, name, weights, shape, terms, relu, kind):
        """An operator that sums ``terms`` products, with the weight tensor ``weights``."""
        x, scales = self._tensors[self.last], self._tensors[weights].scales
        biases    = self._rng.integers(-1 << 10, 1 << 10, shape[-1], np.int32)
        bias      = self._add_constant("bias", biases,
                                       tuple(_scale(x.scales[0] * scale) for scale in scales))
        spread    = sqrt(terms) * _WEIGHT * _INPUT
        scale     = _scale(x.scales[0] * scales[0] * spread / _SPREAD)
        output    = self._add_value(name.lower(), shape, scale, _LOWEST if relu else 3)
        self._operate(name, (self.last, weights, bias), output, kind, relu)

    def _operate(self, name, inputs, output, kind, relu=False):
        if relu:
            kind = type(kind)(**vars(kind) | {"fused_activation_function": ACTIVATION.RELU})
        self._operators.append(Operator(name, inputs, (output,), kind))
        self.last = output

    def _like_last(self, name, shape):
        tensor = self._tensors[self.last]
        return self._add_value(name, shape, tensor.scales[0], tensor.zero_points[0])

    def _add_value(self, name, shape, scale, zero_point):
        return self._add(Tensor(f"{name}_{len(self._tensors)}", tuple(shape), TENSOR_TYPE.INT8,
                                (_scale(scale),), (zero_point,)))

    def _add_constant(self, name, data, scales=(), dimension=0):
        kinds = {np.int8: TENSOR_TYPE.INT8, np.int32: TENSOR_TYPE.INT32}
        return self._add(Tensor(f"{name}_{len(self._tensors)}", data.shape, kinds[data.dtype.type],
                                scales, (0,) * len(scales), dimension, data))

    def _add(self, tensor):
        self._tensors.append(tensor)
        return len(self._tensors) - 1
