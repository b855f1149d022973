# SPDX-License-Identifier: Apache-2.0
"""Calls that show a broken parameter: a layer and its inputs, for a random generator each."""

import numpy as np

from tests.support.calls.xs3 import make_int8
from xymac.golden import mli1, xs3
from xymac.golden.kinds import Act, EltwiseOp
from xymac.golden.mli2 import (
    Affine,
    AvePool,
    Build,
    ConvertTensor,
    Element,
    Eltwise,
    Fixed,
    FullyConnected,
    GruCell,
    LeakyRelu,
    QuantTensor,
    Sigmoid,
)

__all__ = ["any_conversion", "cell1", "dense", "dense1", "extreme", "fixed_dense", "fixed_mean",
           "gru", "image1", "leaky", "mean", "overflowing", "product", "scaled_dense", "sigmoid",
           "transform", "unit_mean", "unlike_sum"]

BYTES = np.arange(-128, 128, dtype=np.int8)


def _sa(rng, shape, zero=0, scale=20000, frac=17):
    data = rng.integers(-128, 128, shape).astype(np.int8)
    return QuantTensor(data, Element.SA_8, Affine(zero, scale, frac))


def _words(rng, shape, peak):
    return rng.integers(-peak, peak, shape).astype(np.int16)


def _fx16(rng, shape, frac, peak=1 << 15):
    return QuantTensor(_words(rng, shape, peak), Element.FX_16, Fixed(frac))


def _bias32(rng, shape, peak):
    data = rng.integers(-peak, peak, shape).astype(np.int32)
    return QuantTensor(data, Element.SA_32, Affine(0, 1, 0))


def dense(build=Build.UP_FULL, frac=10):
    """A matrix of SA_8 with any bias; the output has ``frac``, from 19 on most saturate."""
    def call(rng):
        weights = _sa(rng, (4, 1000), 0, 21845, 14)
        return (FullyConnected(weights, _bias32(rng, 1000, 15000), Affine(0, 29789, frac),
                               build=build), _sa(rng, 4))
    return call


def fixed_dense(rng):
    """A matrix of FX_16 whose bias has more fractional bits than the products."""
    layer = FullyConnected(_fx16(rng, (4, 200), 6, 50), _fx16(rng, 200, 16), Fixed(12))
    return layer, _fx16(rng, 4, 6, 50)


def any_conversion(rng):
    """All bytes of 16 scales, each to any other."""
    zeros = tuple(rng.integers(-128, 128, 16).tolist())
    scales, targets = (tuple(rng.integers(1, 32768, 16).tolist()) for _ in range(2))
    kind, out = (Affine(zero, each, tuple(scale.bit_length() + 3 for scale in each), 0)
                 for zero, each in ((zeros, scales), ((0,) * 16, targets)))
    x = QuantTensor(np.tile(BYTES, (16, 1)), Element.SA_8, kind)
    return ConvertTensor(Element.SA_8, out), x


def _pair(op, other, frac):
    def call(rng):
        layer = Eltwise(op, Affine(-5, 19000, frac))
        return layer, _sa(rng, 300, 9, 20000, 18), _sa(rng, 300, *other)
    return call


unlike_sum = _pair(EltwiseOp.ADD, (-20, 31000, 18), 16)
extreme    = _pair(EltwiseOp.MAX, (9, 20000, 18), 16)
product    = _pair(EltwiseOp.MUL, (-20, 31000, 18), 12)


def leaky(rng):
    """Below 0 about 1.2 times as much."""
    slope = QuantTensor(np.array([77], np.int8), Element.SA_8, Affine(0, 255, 14))
    x     = QuantTensor(BYTES, Element.SA_8, Affine(3, 20000, 18))
    return LeakyRelu(slope, Affine(1, 21000, 18)), x


def sigmoid(rng):
    """All bytes of any scale."""
    scale = int(rng.integers(1, 32768))
    return Sigmoid(), QuantTensor(BYTES, Element.SA_8, Affine(3, scale, scale.bit_length() + 6))


def mean(rng):
    """Means of SA_8 with zero points."""
    layer = AvePool((3, 3), (1, 1), out=Affine(5, 21000, 12))
    return layer, _sa(rng, (9, 9, 4), 40, 20000, 12)


def fixed_mean(rng):
    """Means of FX_16."""
    return AvePool((3, 3), (1, 1), out=Fixed(9)), _fx16(rng, (9, 9, 4), 9)


def gru(rng):
    """A cell whose weights have one scale, and its sums about 1."""
    weights = _sa(rng, (3, 4, 4), 0, 21000, 23)
    state   = _sa(rng, 4, 0, 21000, 20)
    return (GruCell(weights, weights, _bias32(rng, (3, 4), 3000), state, state.format),
            _sa(rng, (2, 4), 0, 21000, 20))


def _tensor1(rng, shape, frac, peak=128):
    data = rng.integers(-peak, peak, shape)
    return mli1.Tensor(data.astype(np.int8 if peak <= 128 else np.int16), frac)


def dense1(rng):
    """A matrix of fx8 of MLI 1.x."""
    return (mli1.FullyConnected(_tensor1(rng, (200, 4), 7), _tensor1(rng, 200, 5), 6),
            _tensor1(rng, 4, 8))


def overflowing(rng):
    """A matrix of fx8 whose sums leave 32 bits, and fit 40."""
    weights = mli1.Tensor(np.full((8, 100), -128, np.int8), 31)
    bias    = mli1.Tensor(np.full(8, 127, np.int8), 0)
    return mli1.FullyConnected(weights, bias, 10), mli1.Tensor(np.full(100, -128, np.int8), 0)


def image1(layer):
    """A layer of MLI 1.x on an image of fx16."""
    return lambda rng: (layer, _tensor1(rng, (4, 9, 9), 12, 1 << 15))


def cell1(rng):
    """A recurrent cell of fx16 with tanh."""
    weights, bias, state, x = (_tensor1(rng, shape, frac, 9000) for shape, frac in (
        ((8, 12), 14), (8, 14), (8, 15), (4, 13)))
    return mli1.BasicRnnCell(weights, bias, state, 15, act=Act.TANH), x


def scaled_dense(rng):
    """A matrix of the XS3 unit with any lower halves of biases."""
    bso = np.zeros((2, 7, 16), np.int64)
    bso[:, 1], bso[:, 2], bso[:, 3], bso[:, 6] = rng.integers(0, 1 << 16, (2, 16)), 2, 1, 8
    weights = xs3.Integers(make_int8(rng, (20, 8), loud=False))
    return (xs3.FullyConnected(weights, xs3.Integers(bso.astype(np.uint16))),
            xs3.Integers(make_int8(rng, 8, loud=False)))


def transform(rng):
    """An output transform of 16 channels and 4 more."""
    params = _words(rng, 3 * 20, 20000)
    params[:16], params[48:52] = 8, 8  # Their shifts.
    sums = rng.integers(-1 << 22, 1 << 22, (3, 20)).astype(np.int32)
    return xs3.OutputTransform(xs3.Integers(params), 20, 1), xs3.Integers(sums)


def unit_mean(rng):
    """Means of ninths of the XS3 unit, whose factor rounds up."""
    data = rng.integers(-128, 128, (9, 9, 4)).astype(np.int8)
    return xs3.AvgPool2d((3, 3), xs3.Window((7, 7))), xs3.Integers(data)
