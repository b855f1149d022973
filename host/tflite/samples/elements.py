# SPDX-License-Identifier: Apache-2.0
"""Element-wise operators, operators along a row, and operators with a state."""

import numpy as np

from .. import options
from ..codes import ACTIVATION
from ..model import Tensor
from .wish import INT8, INT16, constant, value

__all__ = ["ELEMENTS"]

#: Scale and zero point of the range 0 .. 1, by output type, or by (input, output) type.
_UNIT = {INT8: (2.0**-8, -128), INT16: (2.0**-15, 0), (INT8, INT16): (2.0**-16, -1 << 15)}
_SIGN = {INT8: (2.0**-7, 0), INT16: (2.0**-15, 0)}     #: Range -1 .. 1.


def _binary(make=None):
    def sample(wish):
        shape = wish.shape
        other = (*shape[:-1], 1) if wish.flag else shape
        return ((value("x", shape, wish.kind), value("z", other, wish.kind)),
                (value("y", shape, wish.to),), make and make(wish.activation))
    return sample


def _unary(make=None, formats=None):
    def sample(wish):
        known = {} if formats is None else formats
        scale, zero_point = known.get((wish.kind, wish.to), known.get(wish.to, (0.0625, None)))
        return ((value("x", wish.shape, wish.kind),),
                (value("y", wish.shape, wish.to, scale, zero_point),), make and make())
    return sample


def _prelu(wish):
    slopes = constant("slopes", np.full((1,) * (wish.rank - 1) + wish.shape[-1:], 3), wish.other,
                      (0.03125,))
    return (value("x", wish.shape, wish.kind), slopes), (value("y", wish.shape, wish.to),), None


def _matrix(name, shape, kind=INT8, scale=0.0078125):
    data = (np.arange(np.prod(shape)) * 37 % 251 - 125).reshape(shape)
    return constant(name, data, kind, (scale,))


def _lstm(wish):
    lead, depth, units = (2, wish.batch)[::1 if wish.flag else -1], 3, 4
    y     = value("y", (*lead, units), wish.to, 2.0**-7, 0)
    gates = [_matrix("w", (units, depth)) for _ in range(4)]
    gates += [_matrix("r", (units, units)) for _ in range(4)] + [None] * 3
    gates += [None if wish.bias is None else constant("b", np.arange(units), wish.bias,
                                                      (2.0**-11,)) for _ in range(4)]
    states = [Tensor("h", (wish.batch, units), wish.other, y.scales, y.zero_points,
                     is_variable=True),
              Tensor("c", (wish.batch, units), INT16, (2.0**-11,), (0,), is_variable=True)]
    return ((value("x", (*lead, depth), wish.kind), *gates, None, None, *states, *[None] * 4),
            (y,), options.UnidirectionalSequenceLSTMOptions(ACTIVATION.TANH, time_major=wish.flag))


def _svdf(wish):
    units, memory, depth = 3, 5, 4
    filters = units * wish.times
    bias    = None if wish.bias is None else constant("bias", np.arange(units), wish.bias,
                                                      (0.0625 * 0.0078125,))
    state   = Tensor("state", (wish.batch, filters * memory), wish.other, (0.0625,), (0,),
                     is_variable=True)
    return ((value("x", (wish.batch, depth), wish.kind), _matrix("features", (filters, depth)),
             _matrix("times", (filters, memory), wish.other), bias, state),
            (value("y", (wish.batch, units), wish.to),),
            options.SVDFOptions(wish.times, wish.activation))


#: Functions from a Wish to inputs (None for a missing input), outputs and options.
ELEMENTS = {
    "ADD": _binary(options.AddOptions), "SUB": _binary(options.SubOptions),
    "MUL": _binary(options.MulOptions), "MAXIMUM": _binary(), "MINIMUM": _binary(),
    "RELU": _unary(), "RELU6": _unary(),
    "RELU_0_TO_1": _unary(), "RELU_N1_TO_1": _unary(), "GELU": _unary(options.GeluOptions),
    "LEAKY_RELU": _unary(lambda: options.LeakyReluOptions(0.25)), "PRELU": _prelu,
    "LOGISTIC": _unary(formats=_UNIT), "TANH": _unary(formats=_SIGN), "HARD_SWISH": _unary(),
    "SOFTMAX": _unary(lambda: options.SoftmaxOptions(1.0), _UNIT),
    "QUANTIZE": _unary(), "DEQUANTIZE": _unary(), **dict.fromkeys(
        ("NEG", "SQUARE", "SIN", "COS", "FLOOR", "CEIL", "ROUND"), _unary()),
    **dict.fromkeys(("FLOOR_DIV", "FLOOR_MOD"), _binary()),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": _lstm, "SVDF": _svdf,
}
