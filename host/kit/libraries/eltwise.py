# SPDX-License-Identifier: Apache-2.0
"""Tensor sums, differences and products; some libraries scale the inputs first."""

from dataclasses import replace

import numpy as np

from xymac.golden import mli1, mli2, tflm
from xymac.golden.fixed import container, saturate
from xymac.golden.kinds import EltwiseOp
from xymac.golden.mli2.arithmetic import shift_round
from xymac.golden.parameters.mli2.eltwise import product_scale, sum_scales
from xymac.golden.parameters.tflm.eltwise import sum_shift
from xymac.golden.parameters.tflm.ranges import activation_range
from xymac.golden.tflm.arithmetic import multiply_quantized
from xymac.host.kit.narrowing import Narrowing
from xymac.host.kit.rounding import Limit
from xymac.host.kit.sums import Sums

from .mli1 import ROUNDINGS
from .tflm import scale_short

__all__ = ["LAYERS", "MODELLED"]

_SIGNS   = {EltwiseOp.ADD: 1, EltwiseOp.SUB: -1}
MODELLED = frozenset({*_SIGNS, EltwiseOp.MUL})  #: MLI operations with a model.
_WHOLE   = 64  #: Accumulator width that holds every product.
_HIGH    = 31  #: First right shift of a tflm input, bits.


def _rows(inputs, places, shape):
    """Both inputs' elements for the outputs numbered ``places``, a row each."""
    return np.stack([np.broadcast_to(values, shape).reshape(-1)[places] for values in inputs])


def _weights(sign, places):
    return np.stack([np.ones(len(places), np.int64), np.full(len(places), sign)])


def _terms(raw, factors, places):
    """Scaled input arrays; ``factors`` has a (multiplier, right shift) per input."""
    scale, rest = (np.broadcast_to(np.array(part, np.int64)[:, np.newaxis], raw.shape)
                   for part in zip(*factors, strict=True))
    return {"raw": raw, "scale": scale, "places": np.full(raw.shape, places), "rest": rest}


def _tflm(layer, inputs, places):
    """ADD and SUB: inputs are shifted left, multiplied and rounded twice; so is their sum."""
    a, b  = inputs
    raw   = _rows([x.centred << sum_shift(x.bits) for x in inputs], places,
                  layer.output_shape(a.shape, b.shape))
    *ends, (multiplier, exponent) = layer.factors(a, b)
    scaled = np.stack([multiply_quantized(row, *factor)
                       for row, factor in zip(raw, ends, strict=True)])
    terms  = _terms(raw, [(factor, -places) for factor, places in ends], _HIGH)
    short, scale = scale_short(a.bits)
    narrowing    = replace(short, terms=2)
    low, high    = activation_range(layer.activation, layer.out.scale, layer.out.zero_point, a.bits)
    return Sums.of(narrowing, scaled, _weights(-1 if isinstance(layer, tflm.Sub) else 1, places),
                   terms, **scale(multiplier, exponent), zero=layer.out.zero_point, low=low,
                   high=high, index=places)


def _product(layer, inputs, places):
    """MUL of tflm: a sum of a single product."""
    a, b  = inputs
    first, second = _rows([x.centred for x in inputs], places,
                          layer.output_shape(a.shape, b.shape))
    narrowing, scale = scale_short(a.bits)
    low, high = activation_range(layer.activation, layer.out.scale, layer.out.zero_point, a.bits)
    return Sums.of(narrowing, first[np.newaxis], second[np.newaxis], **scale(*layer.factor(a, b)),
                   zero=layer.out.zero_point, low=low, high=high, index=places)


def _mli1(layer, inputs, places):
    """The elements as they are."""
    a, b = inputs
    rows = _rows([x.data.reshape(-1) if x.data.size == 1 else x.data for x in inputs], places,
                 layer.output_shape(a.shape, b.shape))
    low, high = container(a.bits)
    if layer.op is EltwiseOp.MUL:
        shift = a.frac_bits + b.frac_bits - layer.output_frac_bits(a)
        return Sums.of(Narrowing(ROUNDINGS[layer.rounding], a.bits, acc_bits=_WHOLE), rows[:1],
                       rows[1:], shift=shift, low=low, high=high, index=places)
    return Sums.of(Narrowing(ROUNDINGS[layer.rounding], a.bits), rows,
                   _weights(_SIGNS[layer.op], places), low=low, high=high, index=places)


def _mli2(layer, inputs, places):
    """SA_8 in the output's scale; FX with as many fractional bits as the finer input."""
    a, b  = inputs
    shape = layer.output_shape(a.shape, b.shape)
    rows  = _rows([x.centred.reshape(-1) if x.data.size == 1 else x.centred for x in inputs],
                  places, shape)
    if layer.op is EltwiseOp.MUL:
        return _mli2_product(layer, a, b, rows, places)
    mode, weights = layer.build.rounding, _weights(_SIGNS[layer.op], places)
    low, high     = container(a.bits)
    if not a.is_affine:
        fracs = [x.format.frac_bits for x in inputs]
        rows  = np.stack([shift_round(row, min(own - other, 0), 32, mode)
                          for row, own, other in zip(rows, fracs, fracs[::-1], strict=True)])
        narrowing = Narrowing(ROUNDINGS[mode], a.bits, last_bits=64, acc_limit=Limit.SATURATE)
        shift     = min(max(fracs) - layer.out.frac_bits, 2 * a.bits - 1)
        return Sums.of(narrowing, rows, weights, shift=shift, low=low, high=high, index=places)
    rows, factors = saturate(rows, 16), sum_scales(layer, a, b)
    scaled = np.stack([shift_round(row * multiplier, shift, 32, mode)
                       for row, (multiplier, shift) in zip(rows, factors, strict=True)])
    narrowing = Narrowing(
        ROUNDINGS[mode], acc_bits=64, scaled_bits=16, offset_bits=16, multiplier_bits=16, terms=1,
        terms_bits=32, inputs=ROUNDINGS[mode])
    return Sums.of(narrowing, scaled, weights, _terms(rows, factors, 0),
                   zero=layer.out.zero_point, low=low, high=high, index=places)


def _mli2_product(layer, a, b, rows, places):
    """SA_8 with a shift on each side of the multiplier; FX with a single shift."""
    rounding, out = ROUNDINGS[layer.build.rounding], layer.out
    low, high     = container(a.bits)
    common        = {"low": low, "high": high, "index": places}
    if not a.is_affine:
        shift = a.format.frac_bits + b.format.frac_bits - out.frac_bits
        return Sums.of(Narrowing(rounding, a.bits, last_bits=_WHOLE, acc_bits=_WHOLE), rows[:1],
                       rows[1:], shift=min(shift, 2 * a.bits - 1), **common)
    multiplier, early, shift = product_scale(layer, a, b)
    narrowing = Narrowing(
        rounding, shifts=2, first=rounding, last_bits=32, acc_bits=_WHOLE, middle_bits=16,
        multiplier_bits=16, scaled_bits=16, offset_bits=16)
    return Sums.of(narrowing, rows[:1], rows[1:], multiplier=multiplier, early=early, shift=shift,
                   zero=out.zero_point, **common)


LAYERS = {tflm.Add: _tflm, tflm.Sub: _tflm, tflm.Mul: _product, mli1.Eltwise: _mli1,
          mli2.Eltwise: _mli2}
