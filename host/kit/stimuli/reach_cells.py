# SPDX-License-Identifier: Apache-2.0
"""Sums of recurrent cells up to the library's limit, see ``reach``.

The sums of the gate with the new values follow the Draw's direction. All other gates are open, so
that the new values reach the output. Scales bring the sum to the steep part of the activation.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from xymac.golden import mli1, mli2, tflm
from xymac.golden.mli2 import Affine, Fixed

if TYPE_CHECKING:
    from xymac.host.kit.case import Case
    from xymac.host.kit.stimuli.draw import Draw

__all__ = ["reach_cell"]

_FILL   = 0.97     #: Largest sum relative to the limit; half of it leaves room for a bias.
_SMALL  = 1 << 12  #: Largest bias of sums that go far or back, and smallest sum with a scale.
_SLOPE  = 1.5      #: Argument of an activation for the largest sum.
_OPEN   = (1, 1, 1, 1)
_UPDATE = (-1, 1, 1)  #: A GRU that forgets its state.
_ROOM   = 40       #: Outputs of 8 bits on a side of the zero point that show a sum.


def reach_cell(draw: Draw, case: Case) -> Case:
    """The recurrent cell ``case`` with sums in the Draw's direction."""
    return _KINDS[type(case.layer)](draw, case)


class _Way:
    """Operands of a row of products: signs, limits and shares.

    Parameters
    ----------
    draw : Draw with a direction
    x : Tensor, the cell's input
    zero : its zero point
    limit : magnitude of the largest sum, bits
    out_zero : output zero point; without room on its side the sum has the opposite sign
    """

    def __init__(self, draw: Draw, x: Any, zero: int, limit: int, out_zero: int = 0) -> None:
        self.draw, self.limit = draw, limit
        self.sign  = -1 if "down" in draw.way else 1
        if x.bits == 8 and (127 - out_zero if self.sign > 0 else out_zero + 128) < _ROOM:
            self.sign *= -1
        least      = np.iinfo(x.data.dtype)
        ends       = draw.ends("input", least.min, least.max)
        self.end   = max(ends, key=lambda end: abs(end - zero))
        self.zero  = zero
        self.dtype = x.data.dtype

    @property
    def goes_by_bias(self) -> bool:
        """Whether the bias makes the sum large."""
        return self.draw.way in ("up", "down", "bias up", "bias down")

    def data(self, shape: tuple[int, ...], factor: int) -> np.ndarray:
        """Input elements near their end, less if as many products with ``factor`` would exceed the
        limit.
        """
        fill = _FILL / 2 if self.goes_by_bias else _FILL
        size = max(abs(self.end - self.zero) * factor * shape[-1], 1)
        near = (self.end - self.zero) * min(1.0, fill * (1 << self.limit) / size)
        return np.rint(self.zero + near * self.draw.rng.uniform(0.85, 1.0, shape)).astype(
            self.dtype)

    def weights(self, shape: tuple[int, ...], factor: int, sign: int) -> np.ndarray:
        """Weights (rows, inputs) whose products have the same sign; for "back" the products of the
        second half have the opposite sign.
        """
        data = self.draw.rng.uniform(0.9, 1.0, shape) * factor * (
            sign if self.end >= self.zero else -sign)
        if "back" in self.draw.way:
            data[:, shape[1] // 2:] *= -1
        return np.rint(data).astype(np.int64)

    def bias(self, sums: np.ndarray, sign: int) -> np.ndarray:
        """Biases that bring ``sums`` of products, int64, to the limit, or small ones."""
        if not self.goes_by_bias or not self.draw.allows("bias", "other"):
            return self.draw.integers(-_SMALL, _SMALL, sums.shape)
        room = _FILL * (1 << self.limit) - np.abs(sums)
        return (sign * np.maximum(room, 0)).astype(np.int64)


def _largest(*sums):
    """The largest magnitude, an int."""
    return max(_SMALL, *(int(np.abs(each).max()) for each in sums))


def _empty(state):
    """A state of 0, which hides no sum."""
    return replace(state, data=np.zeros_like(state.data))


def _lstm_tflm(draw, case):
    [x]    = case.inputs
    layer  = case.layer
    way    = _Way(draw, x, x.quantisation.zero_point, 31, layer.state.quantisation.zero_point)
    data   = way.data(x.shape, 127)
    rows   = data.astype(np.int64).reshape(-1, x.shape[2]) - way.zero
    signs  = (1, 1, way.sign, 1)
    weights = [way.weights(layer.weights_in[0].shape, 127, sign) for sign in signs]
    sums    = [(rows @ each.T)[0] for each in weights]
    biases  = [way.bias(each, sign) for each, sign in zip(sums, signs, strict=True)]
    size    = _largest(sums[2] + biases[2])
    kind    = replace(layer.weights_in[0].quantisation, scales=(float(np.float32(
        _SLOPE / size / x.quantisation.scale)),))
    scale   = float(np.float32(kind.scale * x.quantisation.scale))
    return replace(case, inputs=(replace(x, data=data),), layer=replace(
        layer, weights_in=tuple(tflm.Tensor(each.astype(np.int8), kind) for each in weights),
        biases=tuple(tflm.Tensor(each.astype(np.int32), tflm.Quantisation((scale,), (0,)))
                     for each in biases), cell=_empty(layer.cell)))


def _svdf(draw, case):
    """The sums to the state go by products, the sums to the output by the bias."""
    [x]   = case.inputs
    layer = case.layer
    way   = _Way(draw, x, x.quantisation.zero_point, 31, layer.out.zero_point)
    data  = way.data(x.shape, 127)
    features = way.weights(layer.weights_feature.shape, 127, way.sign)
    size  = _largest((data.astype(np.int64) - way.zero) @ features.T)
    state, time = layer.state, layer.weights_time
    half  = 1 << state.bits - 2  # of the state's range
    kind  = replace(layer.weights_feature.quantisation, scales=(float(np.float32(
        half * state.quantisation.scale / size / x.quantisation.scale)),))
    last  = np.zeros_like(time.data)
    last[:, -1] = (1 << time.bits - 1) - 1
    total = half * (1 << time.bits - 1) * layer.rank
    bias  = way.bias(np.full(layer.bias.shape, total), way.sign) if way.goes_by_bias else (
        np.zeros(layer.bias.shape, np.int64))
    unit  = state.quantisation.scale * time.quantisation.scale
    final = _largest(bias + way.sign * total)
    return replace(case, inputs=(replace(x, data=data),), layer=replace(
        layer, weights_feature=tflm.Tensor(features.astype(np.int8), kind),
        weights_time=replace(time, data=last),
        bias=replace(layer.bias, data=bias.astype(np.int32)),
        state=replace(state, data=np.full_like(state.data, state.quantisation.zero_point)),
        out=replace(layer.out, scales=(float(np.float32(final * unit / (2 * _ROOM))),))))


def _mli1(draw, case):
    [x]    = case.inputs
    layer  = case.layer
    narrow = layer.weights.bits
    top    = (1 << narrow - 1) - 1
    way    = _Way(draw, x, 0, 39 if narrow == 16 else 31)
    inputs = layer.weights.shape[-1] - layer.h.data.size
    frames = way.data((x.data.size // inputs, inputs), top)
    is_lstm = isinstance(layer, mli1.LstmCell)
    signs   = (1, way.sign, 1, 1) if is_lstm else (way.sign,)
    stack   = layer.weights.data.reshape(len(signs), -1, layer.weights.shape[-1]).copy()
    for gate, sign in zip(stack, signs, strict=True):
        gate[:, :inputs] = way.weights((len(gate), inputs), top, sign)
    sums    = stack[..., :inputs].astype(np.int64) @ frames[0].astype(np.int64)
    wanted  = np.stack([way.bias(each, sign) for each, sign in zip(sums, signs, strict=True)])
    place   = max(int(np.abs(wanted).max()).bit_length() - (narrow - 1), 0)
    bias    = np.clip(wanted >> place, -top, top)
    size    = _largest((sums + (bias << place))[min(1, len(signs) - 1)])
    # The argument of an activation has four integer bits, the output of a cell without one is
    # the sum in its own format.
    bits    = x.bits - 4 if is_lstm or layer.act.name != "NONE" else layer.out_frac_bits
    target  = _SLOPE * (1 << bits) if bits == x.bits - 4 else 0.6 * (1 << x.bits - 1)
    h       = layer.h.frac_bits
    whole   = max(bits + int(np.log2(size / target)), h, place)  # fractional bits of the sums
    changes = {"cell": _empty(layer.cell)} if is_lstm else {}
    return replace(
        case, inputs=(replace(x, data=frames.reshape(x.shape), frac_bits=h),),
        layer=replace(
            layer, weights=replace(layer.weights, data=stack.reshape(layer.weights.shape),
                                   frac_bits=whole - h),
            bias=replace(layer.bias, data=bias.reshape(layer.bias.shape).astype(
                layer.bias.data.dtype), frac_bits=whole - place), **changes))


def _mli2(draw, case):
    [x]    = case.inputs
    layer  = case.layer
    matrix = layer.weights_in
    top    = (1 << matrix.bits - 1) - 1
    way    = _Way(draw, x, x.affine.zero_points[0] if x.is_affine else 0,
                  39 if matrix.bits == 16 else 31,
                  layer.out.zero_points[0] if x.is_affine else 0)
    is_gru = isinstance(layer, mli2.GruCell)
    signs  = (*_UPDATE[:2], way.sign) if is_gru else (1, way.sign, 1, 1)
    new    = 2 if is_gru else 1
    data   = way.data(x.shape, top)
    _, inputs, outputs = matrix.shape
    weights = np.stack([way.weights((outputs, inputs), top, sign).T for sign in signs])
    sums    = (data[0].astype(np.int64) - way.zero) @ weights
    wanted  = np.stack([way.bias(each, sign) for each, sign in zip(sums, signs, strict=True)])
    wanted  = np.clip(wanted, -(1 << 31) + 1, (1 << 31) - 1)  # which an aligned bias keeps
    changes = {} if is_gru else {"cell": _empty(layer.cell)}
    if x.is_affine:
        size   = _largest(sums[new] + wanted[new])
        scale  = x.affine.scales[0] / 2 ** x.affine.fractions[0]
        places = round(14 - np.log2(_SLOPE / size / scale))
        form: Any = Affine(0, 1 << 14, int(places))
        bias   = replace(layer.bias, data=wanted.astype(np.int32))
    else:
        place  = max(int(np.abs(wanted).max()).bit_length() - (layer.bias.bits - 1), 0)
        held   = np.clip(wanted >> place, -(1 << layer.bias.bits - 1) + 1,
                         (1 << layer.bias.bits - 1) - 1)
        size   = _largest(sums[new] + (held[new] << place))
        whole  = round(np.log2(size / _SLOPE))
        form   = Fixed(int(whole) - x.fixed.frac_bits)
        bias   = replace(layer.bias, data=held.astype(layer.bias.data.dtype),
                         format=Fixed(int(whole) - place))
    return replace(case, inputs=(replace(x, data=data),), layer=replace(
        layer, weights_in=replace(matrix, data=weights.astype(matrix.data.dtype), format=form),
        bias=bias, **changes))


_KINDS = {tflm.UnidirectionalSequenceLstm: _lstm_tflm, tflm.Svdf: _svdf,
          mli1.LstmCell: _mli1, mli1.BasicRnnCell: _mli1, mli2.LstmCell: _mli2,
          mli2.GruCell: _mli2}
