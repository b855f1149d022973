"""Random networks of FLOAT32 around operators of int8: moves, arithmetic, softmax at both ends."""

import numpy as np

from host.tflite import options
from host.tflite.codes import ACTIVATION, TENSOR_TYPE
from host.tflite.model import Model, Operator, Tensor

from .networks import constant, value

__all__ = ["REALS", "real_network"]

FLOAT32 = TENSOR_TYPE.FLOAT32
ACTIVATIONS = (ACTIVATION.NONE, ACTIVATION.RELU, ACTIVATION.RELU6, ACTIVATION.RELU_N1_TO_1)

#: Options of operators of one input, functions of a Generator.
REALS = {"RELU": None, "RELU6": None, "LOGISTIC": None, "HARD_SWISH": None, "LOG_SOFTMAX": None,
         "LEAKY_RELU": lambda rng: options.LeakyReluOptions(float(np.float32(rng.normal()))),
         "SOFTMAX": lambda rng: options.SoftmaxOptions(float(np.float32(rng.uniform(0.5, 2))))}
_PAIRS = {"ADD": options.AddOptions, "SUB": options.SubOptions, "MUL": options.MulOptions,
          "MAXIMUM": None, "MINIMUM": None}


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
    return Model(tensors, (
        Operator(pair, (0, 1), (2,), make and make(ACTIVATIONS[rng.integers(4)])),
        Operator("QUANTIZE", (2,), (3,)), Operator("RELU", (3,), (4,)),
        Operator("DEQUANTIZE", (4,), (5,)),
        Operator("RESHAPE", (5, 6), (7,), options.ReshapeOptions((1, *shape))),
        Operator(name, (7,), (8,), REALS[name] and REALS[name](rng))), (0,), (8, 2))
