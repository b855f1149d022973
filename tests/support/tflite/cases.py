# SPDX-License-Identifier: Apache-2.0
"""Random networks of one operator each, by the operator's name: edges of scales and shapes first.

Every function takes a numpy Generator and returns a Model of xymac.host.tflite.
"""

import numpy as np

from xymac.host.tflite import options
from xymac.host.tflite.codes import ACTIVATION, PADDING, TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator

from .networks import constant, value

__all__ = ["CASES"]

INT8, INT16, INT32 = TENSOR_TYPE.INT8, TENSOR_TYPE.INT16, TENSOR_TYPE.INT32
ACTIVATIONS = (ACTIVATION.NONE, ACTIVATION.RELU, ACTIVATION.RELU6, ACTIVATION.RELU_N1_TO_1)


def scale_of(rng, low=-8, high=0):
    """A scale from ``2**low`` to ``2**high``, exact in float32."""
    return float(np.float32(2.0 ** rng.uniform(low, high)))


def network(name, inputs, outputs, kind=None):
    """Model of one operator: its inputs are Tensors, those with data constants."""
    tensors = (*inputs, *outputs)
    numbers = tuple(range(len(inputs)))
    return Model(tensors, (Operator(name, numbers, tuple(range(len(inputs), len(tensors))), kind),),
                 tuple(n for n in numbers if inputs[n].data is None),
                 tuple(range(len(inputs), len(tensors))))


def activation(rng, name, shape, kind=INT8, scale=None, zero_point=None):
    """A Tensor that is computed, with a zero point at an end now and then; 0 of 16 bits."""
    if zero_point is None:
        zero_point = int(rng.choice([-128, 127, 0, rng.integers(-128, 128)]))
    return value(name, shape, kind, scale or scale_of(rng), zero_point if kind == INT8 else 0)


def kind_of(rng):
    """INT8 or INT16."""
    return INT8 if rng.integers(2) else INT16


def shape_of(rng, rank=None):
    """A shape of 1 to 4 dimensions."""
    return tuple(rng.integers(1, 6, rank or rng.integers(1, 5)).tolist())


def draw_activation(rng):
    """A fused activation."""
    return ACTIVATIONS[rng.integers(len(ACTIVATIONS))]


def weights_of(rng, shape, dimension, channels):
    """Constants of int8 with one scale, or one an index of ``dimension``; of a dead channel 0."""
    data = rng.integers(-127, 128, shape, dtype=np.int8)
    if rng.integers(4) == 0:
        np.moveaxis(data, dimension, 0)[rng.integers(channels)] = 0
    count = channels if rng.integers(2) else 1
    least = rng.choice([-14, -14, -34])  # shifts up to the last one that does not make it 0
    scales = tuple(scale_of(rng, least, -2) for _ in range(count))
    return constant("weights", data, scales, dimension if count > 1 else 0)


def bias_of(rng, count, kind, x, weights):
    """A bias, of a dead channel near 2**30 now and then."""
    dtype = np.int32 if kind == INT8 or rng.integers(2) else np.int64
    data = rng.integers(-1 << 12, 1 << 12, count).astype(dtype)
    if rng.integers(3) == 0:
        data[rng.integers(count)] = rng.choice([-1 << 30, 1 << 30])
    scales = tuple(float(np.float32(x.scales[0] * each)) for each in weights.scales)
    return constant("bias", data, scales)


def image_of(rng):
    """Kind, padding, shape of an image, kernel that reaches over all of it at most, stride, and
    dilation of a convolution; several images now and then."""
    padding = PADDING(int(rng.integers(2)))
    batch, *size, depth = (int(rng.choice([1, 1, 2, 3])), *rng.integers(1, 8, 3).tolist())
    dilation = [int(rng.choice([1, 1, 2, 3])) for _ in range(2)]
    most   = [n if padding == PADDING.SAME else (n - 1) // step + 1
              for n, step in zip(size, dilation, strict=True)]
    kernel = [int(rng.integers(1, n + 1)) for n in most]
    return (kind_of(rng), padding, (batch, *size, depth), kernel, rng.integers(1, 4, 2).tolist(),
            dilation)


def windows(padding, shape, kernel, stride, dilation):
    """Rows and columns of the output of a convolution."""
    return [window(padding, n, (k - 1) * apart + 1, step) for n, k, step, apart
            in zip(shape[1:3], kernel, stride, dilation, strict=True)]


def conv_2d(rng):
    """Strides, dilations, kernels of 1 to the whole image; of groups of channels now and then."""
    kind, padding, shape, kernel, stride, dilation = image_of(rng)
    outputs, groups = int(rng.integers(1, 8)), int(rng.choice([1, 1, 2]))
    x       = activation(rng, "x", (*shape[:3], shape[3] * groups), kind)
    outputs = outputs * groups
    weights = weights_of(rng, (outputs, *kernel, shape[3]), 0, outputs)
    bias    = bias_of(rng, outputs, kind, x, weights)
    size    = windows(padding, shape, kernel, stride, dilation)
    y       = activation(rng, "y", (shape[0], *size, outputs), kind)
    return network("CONV_2D", (x, weights, bias), (y,), options.Conv2DOptions(
        padding, stride[1], stride[0], draw_activation(rng), dilation[1], dilation[0]))


def window(padding, size, kernel, stride):
    """Outputs along one dimension."""
    return -(-size // stride) if padding == PADDING.SAME else (size - kernel) // stride + 1


def depthwise_conv_2d(rng):
    """Multipliers of 1 to 4; a bias of 16-bit values has 64 bits."""
    kind, padding, shape, kernel, stride, dilation = image_of(rng)
    times   = int(rng.integers(1, 5))
    outputs = shape[3] * times
    stride  = stride[:1] * 2
    x       = activation(rng, "x", shape, kind)
    weights = weights_of(rng, (1, *kernel, outputs), 3, outputs)
    data    = rng.integers(-1 << 12, 1 << 12, outputs)
    bias    = constant("bias", data.astype(np.int32 if kind == INT8 else np.int64), tuple(
        float(np.float32(x.scales[0] * each)) for each in weights.scales))
    size    = windows(padding, shape, kernel, stride, dilation)
    y       = activation(rng, "y", (shape[0], *size, outputs), kind)
    return network("DEPTHWISE_CONV_2D", (x, weights, bias), (y,), options.DepthwiseConv2DOptions(
        padding, *stride, times, draw_activation(rng), dilation[1], dilation[0]))


def fully_connected(rng):
    """A matrix with one scale, on rows that are whole dimensions of the input or not."""
    kind = kind_of(rng)
    rows, depth, outputs = (int(n) for n in rng.integers(1, 17, 3))
    keep    = bool(rng.integers(2))
    shape   = ((2, rows, depth) if keep else
               [(rows, depth), (rows, 2, depth), (rows * depth,), (depth, rows)][rng.integers(4)])
    x       = activation(rng, "x", shape, kind)
    weights = constant("weights", rng.integers(-127, 128, (outputs, depth), dtype=np.int8),
                       (scale_of(rng, -14, -2),))
    out     = (*shape[:-1], outputs) if keep else (int(np.prod(shape)) // depth, outputs)
    y       = activation(rng, "y", out, kind)
    return network("FULLY_CONNECTED", (x, weights, bias_of(rng, outputs, kind, x, weights)), (y,),
                   options.FullyConnectedOptions(draw_activation(rng), keep_num_dims=keep))


def pool(name):
    """A function of one pooling operator, SAME or VALID."""
    def make(rng):
        kind, padding = kind_of(rng), PADDING(int(rng.integers(2)))
        height, width, depth = (int(n) for n in rng.integers(1, 8, 3))
        kernel = (int(rng.integers(1, height + 1)), int(rng.integers(1, width + 1)))
        stride = int(rng.integers(1, 4))
        x    = activation(rng, "x", (1, height, width, depth), kind)
        size = [window(padding, n, k, stride)
                for n, k in zip((height, width), kernel, strict=True)]
        y    = activation(rng, "y", (1, *size, depth), kind, x.scales[0], x.zero_points[0])
        return network(name, (x,), (y,), options.Pool2DOptions(
            padding, stride, stride, kernel[1], kernel[0], draw_activation(rng)))
    return make


def binary(name, kind_of_options=None):
    """A function of one operator of two inputs, either of them broadcast now and then."""
    def make(rng):
        kind, shape = kind_of(rng), shape_of(rng, 4)
        sizes = [tuple(n if rng.integers(2) else 1 for n in shape), shape]
        if rng.integers(3) == 0:  # both
            sizes[1] = tuple(n if m == 1 or rng.integers(2) else 1
                             for n, m in zip(shape, sizes[0], strict=True))
        first, second = sizes[::rng.choice([-1, 1])]
        x     = activation(rng, "x", first, kind)
        same  = (x.scales[0], x.zero_points[0]) if kind_of_options is None else (None, None)
        y     = activation(rng, "y", second[rng.integers(2) * (second[0] == 1):], kind, *same)
        scale = same[0] or 4 * max(x.scales[0], y.scales[0])
        return network(name, (x, y), (activation(rng, "z", shape, kind, scale, same[1]),),
                       kind_of_options and kind_of_options(draw_activation(rng)))
    return make


def unary(name, make_options=lambda rng: None, scale=None, zero_point=None, kinds=(INT8, INT16)):
    """A function of one operator of one input; ``scale`` of its output by type, or any."""
    def make(rng):
        kind, shape = kinds[rng.integers(len(kinds))], shape_of(rng)
        y = activation(rng, "y", shape, kind, scale and scale[kind], zero_point)
        return network(name, (activation(rng, "x", shape, kind),), (y,), make_options(rng))
    return make



def hard_swish(rng):
    """The scale of the input is less than 128 times that of the output, as the library asks."""
    shape = shape_of(rng)
    x     = activation(rng, "x", shape)
    scale = float(np.float32(max(scale_of(rng), x.scales[0] / 127)))
    return network("HARD_SWISH", (x,), (activation(rng, "y", shape, scale=scale),))


def softmax(rng):
    """INT8 to INT8 or INT16, or INT16, with any beta."""
    kind, to, scale, zero_point = (
        (INT8, INT8, 2.0**-8, -128), (INT8, INT16, 2.0**-16, -32768),
        (INT16, INT16, 2.0**-15, 0))[rng.integers(3)]
    shape = shape_of(rng)
    return network("SOFTMAX", (activation(rng, "x", shape, kind),),
                   (value("y", shape, to, scale, zero_point),),
                   options.SoftmaxOptions(float(np.float32(rng.choice([1.0, 0.3, 2.0])))))


def quantize(rng):
    """INT8 and INT16 to either."""
    shape = shape_of(rng)
    return network("QUANTIZE", (activation(rng, "x", shape, kind_of(rng)),),
                   (activation(rng, "y", shape, kind_of(rng)),))


_UNIT = {INT8: 2.0**-8, INT16: 2.0**-15}
_SIGN = {INT8: 2.0**-7, INT16: 2.0**-15}

CASES = {
    "CONV_2D": conv_2d,
    "DEPTHWISE_CONV_2D": depthwise_conv_2d,
    "FULLY_CONNECTED": fully_connected,
    "AVERAGE_POOL_2D": pool("AVERAGE_POOL_2D"),
    "MAX_POOL_2D": pool("MAX_POOL_2D"),
    "ADD": binary("ADD", options.AddOptions),
    "SUB": binary("SUB", options.SubOptions),
    "MUL": binary("MUL", options.MulOptions),
    "MAXIMUM": binary("MAXIMUM"),
    "MINIMUM": binary("MINIMUM"),
    "SOFTMAX": softmax,
    "LOGISTIC": unary("LOGISTIC", scale=_UNIT, zero_point=-128),
    "TANH": unary("TANH", scale=_SIGN, zero_point=0),
    "RELU": unary("RELU"),
    "RELU6": unary("RELU6"),
    "LEAKY_RELU": unary("LEAKY_RELU", lambda rng: options.LeakyReluOptions(
        scale_of(rng) * int(rng.choice([-1, 1])))),
    "HARD_SWISH": hard_swish,
    "QUANTIZE": quantize,
}
