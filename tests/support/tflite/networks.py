# SPDX-License-Identifier: Apache-2.0
"""Small networks as Models of xymac.host.tflite."""

import numpy as np

from tests.support.seed import random_of
from xymac.host.tflite import options
from xymac.host.tflite.codes import ACTIVATION, PADDING, TENSOR_TYPE
from xymac.host.tflite.model import TYPES, Model, Operator, Tensor

__all__ = ["constant", "conv_network", "value"]


def value(name, shape, kind=TENSOR_TYPE.INT8, scale=0.0625, zero_point=0):
    """A Tensor that is computed."""
    return Tensor(name, shape, kind, (scale,), (zero_point,))


def constant(name, data, scales=(), dimension=0):
    """A Tensor of constant ``data``."""
    kind = next(kind for kind, dtype in TYPES.items() if dtype == data.dtype)
    return Tensor(name, data.shape, kind, scales, (0,) * len(scales), dimension, data)


def conv_network(key=0):
    """Model of a convolution with a scale a channel, a RELU6, a sum of both, a flat softmax."""
    rng = random_of(key)
    weights = rng.integers(-127, 128, (3, 3, 3, 2), dtype=np.int8)
    bias    = rng.integers(-1 << 10, 1 << 10, 3, dtype=np.int32)
    tensors = (
        value("x", (1, 6, 5, 2), zero_point=-3),
        constant("w", weights, (0.0078125, 0.015625, 0.03125)),
        constant("b", bias, (2.0**-11, 2.0**-10, 2.0**-9)),
        value("conv", (1, 3, 3, 3), scale=0.125, zero_point=5),
        value("relu", (1, 3, 3, 3), scale=0.125, zero_point=5),
        value("sum", (1, 3, 3, 3), scale=0.25, zero_point=-128),
        constant("shape", np.array([1, 27], np.int32)),
        value("flat", (1, 27), scale=0.25, zero_point=-128),
        value("y", (1, 27), scale=2.0**-8, zero_point=-128))
    return Model(tensors, (
        Operator("CONV_2D", (0, 1, 2), (3,), options.Conv2DOptions(
            PADDING.SAME, 2, 2, ACTIVATION.RELU), 3),
        Operator("RELU6", (3,), (4,)),
        Operator("ADD", (3, 4), (5,), options.AddOptions(), 2),
        Operator("RESHAPE", (5, 6), (7,), options.ReshapeOptions((1, 27))),
        Operator("SOFTMAX", (7,), (8,), options.SoftmaxOptions(1.0), 2)), (0,), (8,), "main", "é")
