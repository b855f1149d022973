# SPDX-License-Identifier: Apache-2.0
"""Networks with FLOAT32 between layers of the core that no table can replace."""

import numpy as np

from xymac.host.tflite import options
from xymac.host.tflite.codes import ACTIVATION, TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator, Tensor

from .networks import constant, value

__all__ = ["filter_island", "pair_islands"]

FLOAT32, INT8, INT16 = TENSOR_TYPE.FLOAT32, TENSOR_TYPE.INT8, TENSOR_TYPE.INT16
SHAPE = (1, 5, 3)


def real(name, shape=SHAPE):
    """A value of FLOAT32."""
    return Tensor(name, shape, FLOAT32)


def pair_islands(kind=INT8):
    """Model with two inputs and two islands of their product and difference; the second island also
    reads the first part. A constant is read in each part, and one output comes from the middle.
    """
    zero  = -11 if kind is INT8 else 0
    scale = 0.0625 if kind is INT8 else 2.0**-12
    dtype = np.int8 if kind is INT8 else np.int16
    names = ("a", "b", "c", "d", "g", "h", "i", "m", "o")
    bytes_ = {name: value(name, SHAPE, kind, scale, zero) for name in names}
    by = Tensor("by", SHAPE, kind, (scale,), (zero,), data=np.arange(
        15, dtype=dtype).reshape(SHAPE))
    reals = {name: real(name) for name in ("dr", "cr", "e", "f", "ir", "k", "l")}
    tensors = (*bytes_.values(), *reals.values(), by)
    numbers = {tensor.name: number for number, tensor in enumerate(tensors)}

    def make(name, inputs, output, *given):
        return Operator(name, tuple(numbers[each] for each in inputs), (numbers[output],), *given)

    relu = options.LeakyReluOptions(0.25)
    return Model(tensors, (
        make("LEAKY_RELU", "a", "c", relu), make("MAXIMUM", ("b", "by"), "d"),
        make("DEQUANTIZE", "c", "cr"), make("DEQUANTIZE", "d", "dr"),
        make("MUL", ("cr", "dr"), "e", options.MulOptions()),
        make("SUB", ("cr", "dr"), "f", options.SubOptions()),
        make("QUANTIZE", "e", "g"), make("QUANTIZE", "f", "h"),
        make("ADD", "gh", "i", options.AddOptions(ACTIVATION.NONE)),
        make("DEQUANTIZE", "i", "ir"), make("MAXIMUM", ("ir", "cr"), "k"),
        make("SQUARED_DIFFERENCE", ("k", "e"), "l"), make("QUANTIZE", "l", "m"),
        make("MINIMUM", ("m", "by"), "o")),
        (numbers["a"], numbers["b"]), (numbers["o"], numbers["k"], numbers["i"], numbers["h"]))


def filter_island():
    """Model of FULLY_CONNECTED, an island that multiplies channels, and an SVDF with a state."""
    rng = np.random.default_rng(4)
    x, y, z = (value(name, (2, 4), scale=0.0625, zero_point=-3) for name in ("x", "y", "z"))
    weights = constant("w", rng.integers(-127, 128, (4, 4)).astype(np.int8), (2.0**-7,))
    by      = constant("by", np.float32([0.5, 1.25, -1, 2]))
    return Model((
        x, weights, y, real("yr", (2, 4)), by, real("zr", (2, 4)), z,
        constant("features", rng.integers(-127, 128, (6, 4)).astype(np.int8), (2.0**-7,)),
        constant("times", rng.integers(-127, 128, (6, 3)).astype(np.int8), (2.0**-6,)),
        constant("bias", rng.integers(-99, 99, 3).astype(np.int32), (2.0**-10,)),
        Tensor("state", (2, 18), INT8, (2.0**-4,), (0,), is_variable=True),
        value("out", (2, 3), scale=0.0625, zero_point=1)), (
        Operator("FULLY_CONNECTED", (0, 1, -1), (2,), options.FullyConnectedOptions()),
        Operator("DEQUANTIZE", (2,), (3,)),
        Operator("MUL", (3, 4), (5,), options.MulOptions()),
        Operator("QUANTIZE", (5,), (6,)),
        Operator("SVDF", (6, 7, 8, 9, 10), (11,), options.SVDFOptions(2, ACTIVATION.RELU))),
        (0,), (11,))
