# SPDX-License-Identifier: Apache-2.0
"""Random networks of one operator that keeps a state, or fills, by the operator's name."""

import numpy as np

from xymac.host.tflite import options
from xymac.host.tflite.codes import ACTIVATION, TENSOR_TYPE
from xymac.host.tflite.model import Model, Operator, Tensor

from .cases import activation, kind_of, scale_of, shape_of
from .moves import ints, like
from .networks import constant, value

__all__ = ["STATES"]

INT8, INT16 = TENSOR_TYPE.INT8, TENSOR_TYPE.INT16


def matrix(rng, name, shape, dtype=np.int8):
    """Weights with one scale."""
    return constant(name, rng.integers(-127, 128, shape).astype(dtype), (scale_of(rng, -10, -4),))


def lstm(rng):
    """UNIDIRECTIONAL_SEQUENCE_LSTM, either order of batch and time, with a clip or none."""
    batch, time, depth, units = (int(n) for n in rng.integers(1, 5, 4))
    order = rng.integers(2)
    lead  = (time, batch) if order else (batch, time)
    x     = activation(rng, "x", (*lead, depth))
    y     = activation(rng, "y", (*lead, units))
    gates = [
        *(matrix(rng, f"W{gate}", (units, depth)) for gate in "ifgo"),
        *(matrix(rng, f"R{gate}", (units, units)) for gate in "ifgo"),
        *(constant(f"b{gate}", rng.integers(-1000, 1000, units).astype(np.int32), (2.0**-12,))
          for gate in "ifgo"),
        Tensor("h", (batch, units), INT8, y.scales, y.zero_points, is_variable=True),
        Tensor("c", (batch, units), INT16, (2.0**-11,), (0,), is_variable=True)]
    inputs = (0, *range(1, 9), -1, -1, -1, *range(9, 13), -1, -1, 13, 14, -1, -1, -1, -1)
    clip   = float(rng.choice([0.0, 0.5, 10.0]))
    return Model((x, *gates, y), (Operator("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, (15,),
        options.UnidirectionalSequenceLSTMOptions(ACTIVATION.TANH, clip, 0.0, bool(order))),),
        (0,), (15,))


def svdf(rng):
    """SVDF of rank 1 to 3 with a state of 8 or 16 bits."""
    batch, depth, units, rank, memory = (int(n) for n in rng.integers(1, 4, 5))
    kind    = kind_of(rng)
    filters = units * rank
    x       = activation(rng, "x", (batch, depth))
    times   = matrix(rng, "times", (filters, memory), np.int8 if kind == INT8 else np.int16)
    state   = Tensor("state", (batch, filters * memory), kind, (scale_of(rng),), (0,),
                     is_variable=True)
    bias    = constant("bias", rng.integers(-1000, 1000, units).astype(np.int32),
                       (float(np.float32(state.scales[0] * times.scales[0])),))
    tensors = (x, matrix(rng, "features", (filters, depth)), times, bias, state,
               activation(rng, "y", (batch, units)))
    return Model(tensors, (Operator("SVDF", (0, 1, 2, 3, 4), (5,),
                                    options.SVDFOptions(rank, ACTIVATION.RELU)),), (0,), (5,))


def padv2(rng):
    """PADV2 with any value."""
    x     = activation(rng, "x", shape_of(rng, 4), kind_of(rng))
    pads  = rng.integers(0, 3, (4, 2))
    y     = like(x, "y", (np.array(x.shape) + pads.sum(axis=1)).tolist())
    most  = np.iinfo(np.int8 if x.type == INT8 else np.int16)
    fill  = Tensor("value", (1,), x.type, x.scales, x.zero_points,
                   data=rng.integers(most.min, most.max, 1, most.dtype, endpoint=True))
    return Model((x, ints("paddings", pads), fill, y), (Operator("PADV2", (0, 1, 2), (3,)),),
                 (0,), (3,))


def quantize(rng):
    """QUANTIZE from float32."""
    shape = shape_of(rng)
    y     = activation(rng, "y", shape, kind_of(rng))
    return Model((value("x", shape, TENSOR_TYPE.FLOAT32), y),
                 (Operator("QUANTIZE", (0,), (1,)),), (0,), (1,))


STATES = {"UNIDIRECTIONAL_SEQUENCE_LSTM": lstm, "SVDF": svdf, "PADV2": padv2,
          "QUANTIZE of float": quantize}
