# SPDX-License-Identifier: Apache-2.0
"""Random networks of one operator of FLOAT32, from the networks of INT8."""

from dataclasses import replace

import numpy as np

from xymac.host.tflite.codes import TENSOR_TYPE
from xymac.host.tflite.model import ABSENT, Model, Operator

from .wild import EVERY

__all__ = ["REAL_OPERATORS", "inputs_of", "real_operator"]

_BIASES = {"CONV_2D": 2, "DEPTHWISE_CONV_2D": 2, "FULLY_CONNECTED": 2, "TRANSPOSE_CONV": 3,
            "FULLY_CONNECTED of two": 2}
_LIKE   = {"L2_POOL_2D": "AVERAGE_POOL_2D", "SIN": "TANH", "COS": "TANH", "ROUND": "TANH",
           "FLOOR_DIV": "MAXIMUM", "FLOOR_MOD": "MAXIMUM"}
_KINDS  = TENSOR_TYPE.INT8, TENSOR_TYPE.INT16, TENSOR_TYPE.INT4

#: Names of the operators.
REAL_OPERATORS = (
    *_BIASES, *_LIKE, "AVERAGE_POOL_2D", "MAX_POOL_2D", "ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM",
    "SQUARED_DIFFERENCE", "MEAN", "ADD_N", "ARG_MAX", "ARG_MIN",
    "BATCH_MATMUL", "CUMSUM", "EQUAL", "GREATER", "GREATER_EQUAL", "L2_NORMALIZATION", "LESS",
    "LESS_EQUAL", "NOT_EQUAL", "PADV2", "PRELU", "REDUCE_MAX", "REDUCE_MIN", "RESIZE_BILINEAR",
    "SUM", "TANH")


def real_operator(rng, name):
    """Model of the operator, and of the operator before and behind QUANTIZE where it can be."""
    model    = EVERY[_LIKE.get(name, name)](rng)
    [made]   = model.operators
    inputs   = made.inputs
    if name in _BIASES and len(inputs) > _BIASES[name]:
        bias = inputs[_BIASES[name]]
    else:
        bias = ABSENT
    tensors = [_real(rng, tensor) if tensor.type in _KINDS or number == bias else tensor
               for number, tensor in enumerate(model.tensors)]
    options = made.options
    if hasattr(options, "quantized_bias_type"):
        options = replace(options, quantized_bias_type=TENSOR_TYPE.FLOAT32)
    kind = name if name in _LIKE else made.name
    return Model(tuple(tensors), (Operator(kind, inputs, made.outputs, options),), model.inputs,
                 model.outputs)


def _real(rng, tensor):
    """A Tensor of FLOAT32 in place of another, a constant with random elements."""
    data = None if tensor.data is None else _draw(rng, tensor.shape)
    return replace(tensor, type=TENSOR_TYPE.FLOAT32, scales=(), zero_points=(), data=data)


def _draw(rng, shape):
    """Elements of many sizes; some are 0, equal or halves."""
    data = rng.normal(size=shape) * 2.0 ** rng.uniform(-6, 3, shape)
    data = np.where(rng.integers(3, size=shape), data, np.round(data * 2) / 2)
    return data.astype(np.float32)


def inputs_of(rng, model):
    """Random inputs of a Model, some of them with infinities, NaN, the largest and smallest.

    The library does not divide by 0 in FLOOR_DIV.
    """
    for place, number in enumerate(model.inputs):
        data = _draw(rng, model.tensors[number].shape)
        if rng.integers(4) == 0:
            flat = data.reshape(-1)
            flat[rng.integers(flat.size, size=2)] = rng.choice(np.float32([
                np.inf, -np.inf, np.nan, 3e38, -3e38, 1e-45, -0.0, 300.0]), 2)
        if place and model.operators[0].name == "FLOOR_DIV":
            data = np.where(data == 0, np.float32(0.1), data)
        yield data
