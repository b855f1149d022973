# SPDX-License-Identifier: Apache-2.0
"""Operators with a state."""

import numpy as np

from xymac.golden.tflm import Svdf, UnidirectionalSequenceLstm

from ..codes import ACTIVATION

__all__ = ["RECURRENT"]

# first gate input, and the states
_IN, _RECURRENT, _BIAS, _HIDDEN, _CELL = 1, 5, 12, 18, 19
_GATES = 4

#: Tolerance of an SVDF bias scale. Source: tensorflow/lite/micro/kernels/svdf_common.cc.
_DISTANCE = 1e-5


def _lstm(call):
    call.refuse_option("fused_activation_function", ACTIVATION.TANH)
    def gates(get, first):
        return tuple(get(first + gate) for gate in range(_GATES))
    return UnidirectionalSequenceLstm(
        gates(call.constant, _IN), gates(call.constant, _RECURRENT), gates(call.bias, _BIAS),
        call.state(_HIDDEN), call.state(_CELL), call.out, call.options.cell_clip,
        call.options.time_major)


def _svdf(call):
    scales = [np.float32((*call.inputs[place].scales, 0.0)[0]) for place in (2, 3, 4)]
    with np.errstate(over="ignore"):
        wanted, given = float(scales[0] * scales[2]), float(scales[1])
    if not abs(given - wanted) < _DISTANCE:
        raise ValueError(f"Scale of the bias must be that of state times weights in time, "
                         f"{wanted:g}, within {_DISTANCE:g}, not {given:g}")
    return Svdf(call.constant(1), call.constant(2), call.bias(3), call.state(4), call.out,
                call.options.rank)


#: Functions from a Call to a layer by the operator's name.
RECURRENT = {"UNIDIRECTIONAL_SEQUENCE_LSTM": _lstm, "SVDF": _svdf}
