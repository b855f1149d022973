# SPDX-License-Identifier: Apache-2.0
"""Random networks of FLOAT32 around operators of int8: moves, arithmetic, softmax at both ends."""

import numpy as np

from xymac.host.tflite import options
from xymac.host.tflite.codes import ACTIVATION, TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator, Tensor

from .networks import constant, value

__all__ = ["REALS", "moved_reals", "real_network"]

FLOAT32 = TENSOR_TYPE.FLOAT32
ACTIVATIONS = (ACTIVATION.NONE, ACTIVATION.RELU, ACTIVATION.RELU6, ACTIVATION.RELU_N1_TO_1)

#: Options of operators of one input, functions of a Generator.
REALS = {"RELU": None, "RELU6": None, "LOGISTIC": None, "HARD_SWISH": None, "ELU": None,
         "LOG_SOFTMAX": None,
         "LEAKY_RELU": lambda rng: options.LeakyReluOptions(float(np.float32(rng.normal()))),
         "SOFTMAX": lambda rng: options.SoftmaxOptions(float(np.float32(rng.uniform(0.5, 2))))}
REALS |= dict.fromkeys(("ABS", "NEG", "SQUARE", "SQRT", "RSQRT", "EXP", "LOG", "FLOOR", "CEIL",
                        "ROUND", "MEAN", "FULLY_CONNECTED"))
_PAIRS = {"ADD": options.AddOptions, "SUB": options.SubOptions, "MUL": options.MulOptions,
          "DIV": options.DivOptions, "MAXIMUM": None, "MINIMUM": None, "SQUARED_DIFFERENCE": None}


def real_network(rng, name):
    """Model of an operator of two inputs, QUANTIZE, RELU, DEQUANTIZE, RESHAPE and the operator of a
    name. Of the wide scales a softmax of float32 has every kind of difference."""
    pair  = str(rng.choice([*_PAIRS]))
    make  = _PAIRS[pair]
    rows, count = (int(n) for n in rng.integers(1, 9, 2))
    scale = float(np.float32(2.0 ** rng.uniform(-5, 1)))
    other = constant("by", rng.normal(size=(count,)).astype(np.float32))
    shape = (rows, count)
    tensors = (Tensor("x", shape, FLOAT32), other, Tensor("sum", shape, FLOAT32),
               value("a", shape, scale=scale, zero_point=-9), value("b", shape, scale=scale,
                                                                    zero_point=-60),
               Tensor("c", shape, FLOAT32), constant("shape", np.int32([1, *shape])),
               Tensor("d", (1, *shape), FLOAT32), Tensor("y", (1, *shape), FLOAT32))
    last, tensors = _last(rng, name, tensors)
    return Model(tensors, (
        Operator(pair, (0, 1), (2,), make and make(ACTIVATIONS[rng.integers(4)])),
        Operator("QUANTIZE", (2,), (3,)), Operator("RELU", (3,), (4,)),
        Operator("DEQUANTIZE", (4,), (5,)),
        Operator("RESHAPE", (5, 6), (7,), options.ReshapeOptions((1, *shape))),
        last), (0,), (8, 2))


def _last(rng, name, tensors):
    """The operator of a name on tensor 7, and all tensors with what it takes."""
    if name not in ("MEAN", "FULLY_CONNECTED"):
        return Operator(name, (7,), (8,), REALS[name] and REALS[name](rng)), tensors
    shape, number = tensors[7].shape, len(tensors)
    if name == "MEAN":
        axes = constant("axes", np.int32([[1], [-1, 1], [2], [0, 1]][rng.integers(4)]))
        gone = {axis % 3 for axis in axes.data.tolist()}
        kept = tuple(1 if axis in gone else size for axis, size in enumerate(shape))
        return Operator(name, (7, number), (8,), options.ReducerOptions(True)), (
            *tensors[:8], Tensor("y", kept, FLOAT32), axes)
    weights = constant("w", rng.normal(size=(5, shape[2])).astype(np.float32))
    bias    = constant("b", rng.normal(size=5).astype(np.float32))
    return Operator(name, (7, number, number + 1), (8,), options.FullyConnectedOptions(
        ACTIVATIONS[rng.integers(4)])), (*tensors[:8], Tensor("y", (*shape[:-1], 5), FLOAT32),
                                         weights, bias)


def moved_reals():
    """Model of PAD and RESIZE_NEAREST_NEIGHBOR of FLOAT32 in front of QUANTIZE and behind
    DEQUANTIZE."""
    sizes   = ((1, 3, 4, 2), (1, 5, 4, 2), (1, 7, 9, 2))
    tensors = (*(Tensor(name, shape, FLOAT32) for name, shape in zip("abc", sizes, strict=True)),
               value("d", sizes[2], scale=0.0625, zero_point=-3), Tensor("e", sizes[2], FLOAT32),
               Tensor("f", (1, 9, 9, 2), FLOAT32), Tensor("g", (1, 4, 12, 2), FLOAT32),
               constant("pads", np.int32([[0, 0], [1, 1], [0, 0], [0, 0]])),
               *(constant("size", np.int32(size)) for size in ((7, 9), (4, 12))))
    resize  = options.ResizeNearestNeighborOptions
    return Model(tensors, (
        Operator("PAD", (0, 7), (1,)),
        Operator("RESIZE_NEAREST_NEIGHBOR", (1, 8), (2,), resize(half_pixel_centers=True)),
        Operator("QUANTIZE", (2,), (3,)), Operator("DEQUANTIZE", (3,), (4,)),
        Operator("PAD", (4, 7), (5,)),
        Operator("RESIZE_NEAREST_NEIGHBOR", (5, 9), (6,), resize())), (0,), (6, 5))
