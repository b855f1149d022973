# SPDX-License-Identifier: Apache-2.0
"""Cases for recurrent layers: a few steps, and the initial states."""

from typing import Any

import numpy as np

from xymac.golden import mli1, mli2, tflm
from xymac.golden.kinds import Act
from xymac.golden.mli1 import RnnMode
from xymac.golden.mli2 import Affine, Build, Direction, Element, Fixed, QuantTensor, RnnOutput
from xymac.golden.parameters.mli1 import GATES
from xymac.golden.tflm import Quantisation, Tensor

from . import mli1 as mli1_stimuli
from . import mli2 as mli2_stimuli
from .tflm import draw_input

__all__ = ["GENERATORS"]

_ACTS  = ("none", "tanh", "sigm")
_ZEROS = (-128, 127, 0, -1, 5)


def _sizes(draw):
    """Steps, inputs and outputs; a single step and output for sums that go a way."""
    if draw.way:
        return (draw.near("steps", 1), draw.near("channels", draw.products),
                draw.near("outputs", 1))
    return (draw.pick("steps", (1, 2, 5)), draw.pick("channels", (1, 3, 8, 17)),
            draw.pick("outputs", (1, 4, 5, 16)))


def _bias(draw, shape, most):
    return draw.integers(-most, most, shape) * (draw.pick("bias", ("zero", "other")) == "other")


def _weights(draw, shape, scale):
    return Tensor(draw.data("data of weights", shape, np.int8, low=-127),
                  Quantisation((scale,), (0,)))


def _lstm_tflm(draw, kind):
    steps, inputs, outputs = _sizes(draw)
    batches = draw.pick("batches", (1, 2))
    major   = draw.pick("time_major", (False, True))
    x: Any  = draw_input(draw, (steps, batches, inputs) if major else (batches, steps, inputs),
                         "int8")
    scale   = 2.0 ** -draw.pick("scale", (10, 8))
    kinds   = Quantisation((scale * x.quantisation.scale,), (0,))
    state   = Quantisation((2.0 ** -7,), (draw.pick("output_zero", _ZEROS),))
    cell    = Quantisation((2.0 ** -draw.pick("frac_bits", (12, 11)),), (0,))
    return tflm.UnidirectionalSequenceLstm(
        tuple(_weights(draw, (outputs, inputs), scale) for _ in range(GATES)),
        tuple(_weights(draw, (outputs, outputs), scale) for _ in range(GATES)),
        tuple(Tensor(_bias(draw, outputs, 1 << 12).astype(np.int32), kinds)
              for _ in range(GATES)),
        Tensor(draw.data("data of the state", (batches, outputs), np.int8), state),
        Tensor(draw.data("data of the state", (batches, outputs), np.int16), cell),
        cell_clip=draw.pick("clip", (0.0, 1.5)), time_major=major), x


def _svdf(draw, kind):
    _, inputs, units = _sizes(draw)
    batches, memory, rank = (draw.pick(name, values) for name, values in (
        ("batches", (1, 2)), ("memory", (1, 3, 8)), ("rank", (1, 2))))
    bits, places = draw.pick("state", ((16, 10), (8, 3)))
    x     = draw_input(draw, (batches, inputs), "int8")
    state = Quantisation((2.0 ** -places,),
                         (0 if bits == 16 else draw.pick("state_zero", (0, -3)),))
    time  = Quantisation((2.0 ** -(bits - 1),), (0,))
    out   = Quantisation((2.0 ** -draw.pick("gain", (3, 5)),), (draw.pick("output_zero", _ZEROS),))
    return tflm.Svdf(
        _weights(draw, (rank * units, inputs), 2.0 ** -9),
        Tensor(draw.data("data of weights", (rank * units, memory), f"int{bits}"), time),
        Tensor(_bias(draw, units, 1 << places + bits - 1).astype(np.int32),
               Quantisation((state.scale * time.scale,), (0,))),
        Tensor(draw.data("data of the state", (batches, rank * units * memory), f"int{bits}"),
               state), out, rank), x


def _cell_mli1(draw, kind, gates):
    """An MLI 1.x cell's tensors, its input, mode, activation and fractional bits."""
    steps, inputs, outputs = _sizes(draw)
    bits, narrow = mli1_stimuli.BITS[kind]
    mode   = RnnMode[draw.pick("mode", ("ONE_TO_ONE", "BATCH_TO_BATCH", "BATCH_TO_LAST"))]
    act    = Act[draw.pick("activation", _ACTS).upper()]
    frac   = bits - 3 if act is Act.NONE else bits - 1
    rows   = (outputs,) if gates == 1 else (gates, outputs)
    shape  = (inputs,) if mode is RnnMode.ONE_TO_ONE else (steps, inputs)
    bias   = _bias(draw, rows, (1 << narrow - 1) - 1).astype(f"int{narrow}")
    weights = draw.data("data of weights", (*rows, inputs + outputs), f"int{narrow}")
    state   = [draw.data("data of the state", (outputs,), f"int{bits}") for _ in range(2)]
    finer   = draw.pick("weight bits", (0, narrow // 2, narrow - 2))  # for ties
    tensors = (mli1.Tensor(weights, narrow - finer), mli1.Tensor(bias, narrow - 2),
               mli1.Tensor(state[0], frac), mli1.Tensor(state[1], bits - 3))
    x = mli1.Tensor(draw.data("data", shape, f"int{bits}"), bits - 4)
    return tensors, x, mode, act, frac, mli1_stimuli.draw_mode(draw)


def _lstm_mli1(draw, kind):
    tensors, x, mode, act, frac, rounding = _cell_mli1(draw, kind, GATES)
    return mli1.LstmCell(*tensors, frac, mode, act, rounding), x


def _rnn_mli1(draw, kind):
    tensors, x, mode, act, frac, rounding = _cell_mli1(draw, kind, 1)
    return mli1.BasicRnnCell(*tensors[:3], frac, mode, act, rounding), x


def _cell_mli2(layer, gates):
    def make(draw, kind):
        steps, inputs, outputs = _sizes(draw)
        x       = mli2_stimuli.draw_tensor(draw, kind, (steps, inputs))
        is_sa8  = kind == "sa8"
        element = Element.FX_16 if kind == "fx16" else Element.SA_8 if is_sa8 else Element.FX_8
        many    = is_sa8 and draw.pick("scales", (1, "each gate")) != 1
        form    = Fixed(element.bits) if not is_sa8 else (
            Affine((0,) * gates, tuple(draw.integers(8000, 32000, gates).tolist()), (23,) * gates,
                   0) if many else Affine(0, 1 << 14, 23))
        of_inputs, of_state = (
            QuantTensor(draw.data("data of weights", (gates, rows, outputs), element.dtype),
                        element, form) for rows in (inputs, outputs))
        bias    = (QuantTensor(_bias(draw, (gates, outputs), 1 << 12).astype(np.int32),
                               Element.SA_32, Affine(0, 1, 0)) if is_sa8 else
                   QuantTensor(_bias(draw, (gates, outputs), 100).astype(element.dtype), element,
                               Fixed(2)))
        out     = Affine(draw.pick("output_zero", _ZEROS), 1 << 14, 21) if is_sa8 else Fixed(
            x.bits - 1)
        state   = [QuantTensor(draw.data("data of the state", (outputs,), x.data.dtype), x.element,
                               each) for each in (
            out, Affine(0, 1 << 14, 19) if is_sa8 else Fixed(x.bits - 3))]
        others  = {} if layer is mli2.GruCell else {
            "cell": state[1], "act": Act[draw.pick("activation", _ACTS).upper()]}
        return layer(of_inputs, of_state, bias, state[0], out,
                     Direction[draw.pick("direction", ("FWD", "BWD"))],
                     RnnOutput[draw.pick("kept", ("ALL", "LAST"))],
                     Build(draw.pick("build", mli2_stimuli.BUILDS)), **others), x
    return make


#: Functions from a Draw and a type to a layer and its inputs, by dialect and operation.
GENERATORS = {
    "tflm":  {"lstm": _lstm_tflm, "svdf": _svdf},
    "mli-1": {"lstm": _lstm_mli1, "rnn": _rnn_mli1},
    "mli-2": {"lstm": _cell_mli2(mli2.LstmCell, GATES), "gru": _cell_mli2(mli2.GruCell, 3)}}
