# SPDX-License-Identifier: Apache-2.0
"""Random recurrent layers of MLI 2.0 with formats, zero points and tables as golden takes them,
usual ones and such at the ends of their ranges."""

from dataclasses import replace

import numpy as np

from tests.support.mli2.gate_layers import noise, pick, random_cell, random_dense
from tests.support.seed import random_of
from xymac.golden.mli2 import Affine, Element, Fixed, QuantTensor, RnnDense
from xymac.golden.parameters.mli2.linear import output_scaling
from xymac.golden.table import Table

__all__ = ["cancelling_dense", "far_cell", "far_dense", "with_shift"]


def _zero(rng, far):
    """A zero point; ``far`` is how much of 16 bits it may take."""
    most = pick(rng, [0, 40, 128, far])
    return int(rng.integers(-most, most + 1))


def _moved(rng, kind, far, zero=True):
    """A format near ``kind``, or far from it."""
    bits = int(rng.integers(-3, 4)) * int(rng.integers(0, 4))
    if isinstance(kind, Fixed):
        return Fixed(min(max(kind.frac_bits + bits, -128), 127))
    if kind.dim >= 0:
        return replace(kind, scale_frac_bits=tuple(
            places + bits for places in kind.scale_frac_bits))
    scale = int(rng.integers(1, 1 << 15)) if rng.integers(4) == 0 else kind.scale
    return replace(kind, zero_point=_zero(rng, far) if zero else kind.zero_point, scale=scale,
                   scale_frac_bits=kind.scale_frac_bits + bits)


def _format(rng, tensor, far, **options):
    return replace(tensor, format=_moved(rng, tensor.format, far, **options))


def _loud(rng, tensor):
    """The same with elements at the ends of their range more often."""
    info = np.iinfo(tensor.data.dtype)
    most = rng.random(tensor.shape) < pick(rng, [0, 0, 0.5, 1])
    ends = np.where(rng.random(tensor.shape) < pick(rng, [0.1, 0.5, 0.9]), info.min, info.max)
    return replace(tensor, data=np.where(most, ends, tensor.data).astype(tensor.data.dtype))


def _bias(rng, bias):
    """Biases of all their bits, if SA_32."""
    if bias.element is not Element.SA_32:
        return replace(bias, format=Fixed(bias.format.frac_bits + int(rng.integers(-3, 4))))
    places = int(rng.integers(0, 31))
    return replace(bias, data=(noise(rng, bias.shape, Element.SA_32, bias.format).data >> places))


def _table(rng, table):
    """Now and then a table of one's own."""
    if rng.integers(4):
        return table
    size = int(rng.integers(2, 40))
    return Table(tuple(int(value) for value in rng.integers(-1 << 15, 1 << 15, size)),
                 int(rng.integers(0, size)), int(rng.integers(0, 10)))


def far_dense(seed, kind, outputs, count=2, far=200):
    """An ``RnnDense`` and its inputs."""
    rng = random_of(seed)
    layer, *xs = random_dense(rng, kind, outputs, count)
    xs      = [_loud(rng, _format(rng, x, far)) for x in xs]
    weights = tuple(_loud(rng, _format(rng, each, 128)) for each in layer.weights)
    return replace(layer, weights=weights, bias=_bias(rng, layer.bias),
                   out=_moved(rng, layer.out, far)), *xs


def cancelling_dense(seed, build, most=4):
    """An ``RnnDense`` of SA_8 inputs alike, with weights that are each other's opposite: its scaled
    sums may have 32 bits, and nearly cancel."""
    rng     = random_of(seed)
    inputs, outputs, count = (int(rng.integers(1, end)) for end in (40, 24, most + 1))
    x = noise(rng, (inputs,), Element.SA_8, Affine(int(rng.integers(-300, 300)),
                                                   int(rng.integers(1, 1 << 15)), 10))
    data  = np.maximum(noise(rng, (inputs, outputs), Element.SA_8, x.format).data, -127)
    scale = int(rng.integers(2, (1 << 15) - 1))
    weights = tuple(QuantTensor(data * (-1)**number, Element.SA_8, Affine(
        0, scale + int(rng.integers(-1, 2)), 10)) for number in range(count))
    bias  = noise(rng, (outputs,), Element.SA_32, Affine(0, 1, 0))
    bias  = replace(bias, data=bias.data >> int(rng.integers(0, 32)))
    zero  = pick(rng, [0, 5, -128, 300, -30000, 32767])
    out   = Affine(zero, int(rng.integers(1, 1 << 15)), 20 + int(rng.integers(-40, 40)))
    return RnnDense(weights, bias, out, build), *[x] * count


def with_shift(layer, x, shift):
    """The same with scaled sums that are shifted by ``shift``, and cancel but for their rounding
    and a bias that can be seen."""
    first   = layer.weights[0].format
    weights = tuple(replace(each, format=first) for each in layer.weights)
    scaling = output_scaling(x, layer.weights[0], layer.out, layer.build)
    moved   = layer.out.scale_frac_bits + int(scaling.shift.item()) - shift
    most    = (100 << max(shift, 0)) // int(scaling.multiplier.item())
    bias    = np.linspace(-most, most, layer.bias.shape[0]).clip(-1 << 31, (1 << 31) - 1)
    return replace(layer, weights=weights, bias=replace(layer.bias, data=bias.astype(np.int32)),
                   out=replace(layer.out, zero_point=3, scale_frac_bits=moved))


def far_cell(seed, kind, cell, outputs, far=200, **options):
    """An ``LstmCell`` or ``GruCell`` and its input."""
    rng = random_of(seed)
    layer, x = random_cell(rng, kind, cell, outputs, apart=bool(rng.integers(2)), **options)
    fields = {name: _loud(rng, _format(rng, getattr(layer, name), far, zero=name != "weights"))
              for name in ("state", "cell") if hasattr(layer, name)}
    fields |= {name: _loud(rng, _format(rng, getattr(layer, name), 128))
               for name in ("weights_in", "weights_out")}
    fields |= {name: _table(rng, getattr(layer, name)) for name in ("tanh_table", "sigm_table")}
    out = layer.out if rng.integers(2) else _moved(rng, layer.out, far)
    return (replace(layer, **fields, bias=_bias(rng, layer.bias), out=out),
            _loud(rng, _format(rng, x, far)))
