# SPDX-License-Identifier: Apache-2.0
"""Random graphs of layers of each library: any layer that golden takes, on any values."""

from dataclasses import replace

import numpy as np

from tests.support.chains import KINDS
from tests.support.seed import random_of
from xymac.golden import mli1, mli2, xs3
from xymac.golden.kinds import EltwiseOp, Relu
from xymac.golden.mli2 import Affine, Element, Fixed, QuantTensor, RnnOutput
from xymac.golden.xs3 import Integers, Window
from xymac.host.plan.graph import Node

__all__ = ["LIBRARIES", "random_graph", "random_graphs"]

MOST = 1500  #: Elements of a value at most.


def _random(rng, shape, dtype=np.int8):
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def _pick(rng, choices):
    return choices[int(rng.integers(len(choices)))]


def _order(rng, x):
    return tuple(rng.permutation(len(x.shape)).tolist())


def _axis(rng, x):
    return int(rng.integers(len(x.shape)))


def _scale(rng):
    return Affine(int(rng.integers(-20, 20)), int(rng.integers(1 << 14, 1 << 15)), 14)


def _fixed(rng):
    return Fixed(int(rng.integers(8, 14)))


def _like(rng, x):
    """A format for an output of the type of ``x``."""
    return _scale(rng) if x.is_affine else _fixed(rng)


def _other(rng, x):
    """An element and a format to convert to."""
    element = _pick(rng, [Element.SA_8, Element.FX_16, Element.FX_8])
    return element, _scale(rng) if element is Element.SA_8 else Fixed(int(rng.integers(2, 14)))


def _mli2_input(rng):
    element = _pick(rng, [Element.SA_8, Element.SA_8, Element.FX_16])
    kind    = _scale(rng) if element is Element.SA_8 else _fixed(rng)
    shape   = _pick(rng, [(7, 6, 6), (5, 8, 3), (4, 4, 4), (9, 6)])
    return QuantTensor(_random(rng, shape, element.dtype), element, kind)


def _slope(rng, x, *shape):
    return QuantTensor(_random(rng, shape, x.element.dtype), x.element, _like(rng, x))


def _weights(rng, x, *shape):
    """Weights for ``x``: SA_8 ones have a scale for each output, FX_16 may have 8 bits."""
    if not x.is_affine:
        element = _pick(rng, [Element.FX_16, Element.FX_8])
        return QuantTensor(_random(rng, shape, element.dtype) >> element.bits // 4, element,
                           Fixed(element.bits - 1))
    scales = tuple(rng.integers(1 << 14, 1 << 15, shape[-1]).tolist())
    return QuantTensor(_random(rng, shape), Element.SA_8,
                       Affine((0,) * len(scales), scales, (20,) * len(scales), len(shape) - 1))


def _bias(rng, x, weights, count):
    if not x.is_affine:
        element = weights.element
        return QuantTensor(_random(rng, count, element.dtype), element, Fixed(element.bits - 1))
    return QuantTensor(rng.integers(-1 << 12, 1 << 12, count, np.int32), Element.SA_32,
                       Affine(0, 20000, 20 + x.format.scale_frac_bits))


def _pool(kind, rng):
    return kind((2, 2), (int(rng.integers(1, 3)), 1))


def _mli2_conv(rng, x):
    kind     = _pick(rng, [mli2.Conv2d, mli2.GroupConv2d, mli2.DepthwiseConv2d,
                           mli2.TransposeConv2d])
    channels = x.shape[-1]
    outputs  = int(rng.integers(1, 9))
    inputs   = channels
    if kind is mli2.DepthwiseConv2d:
        inputs, outputs = 1, channels
    if kind is mli2.GroupConv2d:
        inputs  = _pick(rng, [size for size in range(1, channels + 1) if channels % size == 0])
        outputs = channels // inputs * int(rng.integers(1, 5))
    weights = _weights(rng, x, 2, 3, inputs, outputs)
    stride  = (1, int(rng.integers(1, 3)))
    return kind(weights, _bias(rng, x, weights, outputs), _like(rng, x), pad=(1, 0, 1, 1),
                stride=stride)


def _mli2_dense(rng, x):
    outputs = int(rng.integers(1, 20))
    weights = _weights(rng, x, x.data.size, outputs)
    return mli2.FullyConnected(weights, _bias(rng, x, weights, outputs), _like(rng, x))


def _whole(rng, x, *shape):
    """Weights of a single scale for ``x``."""
    weights = _weights(rng, x, *shape)
    if not x.is_affine:
        return weights
    return replace(weights, format=Affine(0, 20000, _pick(rng, [14, 18, 21, 23, 23, 26])))


def _mli2_rnn_dense(rng, x):
    weights = _whole(rng, x, x.data.size, 6)
    return mli2.RnnDense((weights,), _bias(rng, x, weights, 6), _like(rng, x))


def _mli2_cell(rng, x):
    if len(x.shape) != 2:
        return None
    gates, units = 3, int(rng.integers(1, 7))
    kernel, recurrent = (_whole(rng, x, gates, size, units) for size in (x.shape[1], units))
    state = QuantTensor(_random(rng, units, x.element.dtype), x.element, _like(rng, x))
    return mli2.GruCell(kernel, recurrent, _bias(rng, x, kernel, (gates, units)), state,
                        state.format, output=_pick(rng, list(RnnOutput)))


def _mli1_cell(rng, x):
    if len(x.shape) != 2:
        return None
    units   = int(rng.integers(1, 7))
    tensors = [mli1.Tensor(_random(rng, shape, np.int8), 7)
               for shape in ((4, units, x.shape[1] + units), (4, units), units, units)]
    if x.bits == 16:
        tensors[2:] = [mli1.Tensor(_random(rng, units, np.int16), 9) for _ in range(2)]
    return mli1.LstmCell(*tensors, 5, _pick(rng, list(mli1.RnnMode)[1:]))


#: By library: the first value, layers of one value and layers of two, functions of a generator and
#: the values.
LIBRARIES = {
    "mli1": (
        lambda rng: mli1.Tensor(_random(rng, _pick(rng, [(6, 7, 6), (3, 5, 8), (4, 4, 4), (9, 6)]),
                                        _pick(rng, [np.int8, np.int16])), 5),
        [*(lambda rng, x, make=make: make(x.shape) for make in KINDS.values()),
         lambda rng, x: mli1.Permute(_order(rng, x)), lambda rng, x: mli1.Rectify(Relu.GEN),
         lambda rng, x: mli1.Tanh(), lambda rng, x: mli1.ConvertTensor(_pick(rng, [8, 16]), 4),
         lambda rng, x: mli1.LeakyRelu(mli1.Tensor(_random(rng, 1, x.data.dtype), 6)),
         _mli1_cell],
        [lambda rng, a, b: mli1.Eltwise(_pick(rng, list(EltwiseOp)[:4])),
         lambda rng, a, b: mli1.Eltwise(EltwiseOp.MUL, 5),
         lambda rng, a, b: mli1.Concat(_axis(rng, a))]),
    "mli2": (
        lambda rng: _mli2_input(rng),
        [*[_mli2_conv] * 3, *[_mli2_dense] * 2, _mli2_cell, _mli2_rnn_dense,
         lambda rng, x: _pool(mli2.MaxPool, rng), lambda rng, x: _pool(mli2.AvePool, rng),
         lambda rng, x: mli2.Rectify(_pick(rng, list(Relu)[1:])),
         lambda rng, x: mli2.LeakyRelu(_slope(rng, x, 1), _like(rng, x)),
         lambda rng, x: mli2.Prelu(_slope(rng, x, 1, x.shape[-1]), _like(rng, x),
                                   axis=len(x.shape) - 1) if len(x.shape) == 2 else None,
         lambda rng, x: mli2.Sigmoid(), lambda rng, x: mli2.Tanh(),
         lambda rng, x: mli2.Softmax(axis=int(rng.integers(-1, len(x.shape)))),
         lambda rng, x: mli2.L2Normalize(axis=int(rng.integers(-1, len(x.shape)))),
         lambda rng, x: mli2.ConvertTensor(*_other(rng, x)),
         lambda rng, x: mli2.ArgMax(1 + int(rng.integers(2)), -1),
         lambda rng, x: mli2.Permute(_order(rng, x))],
        [lambda rng, a, b: mli2.Eltwise(_pick(rng, list(EltwiseOp)[:4]), _like(rng, a)),
         lambda rng, a, b: mli2.Eltwise(EltwiseOp.MUL, _like(rng, a)),
         lambda rng, a, b: mli2.Concat(_axis(rng, a))]),
    "xs3": (
        lambda rng: Integers(_random(rng, _pick(rng, [(6, 7, 4), (5, 5, 8), (4, 4, 32)]))),
        [lambda rng, x: xs3.Conv2d1x1(Integers(_random(rng, (8, x.shape[-1]))), _bso(rng, 8)),
         lambda rng, x: xs3.Conv2dDeep(Integers(_random(rng, (4, 3, 2, x.shape[-1]))),
                                       _bso(rng, 4), Window(x.shape[:2], (-1, -1))),
         lambda rng, x: xs3.Conv2dDepthwise(Integers(_random(rng, (2, 3, x.shape[-1]))),
                                            _bso(rng, x.shape[-1]), Window(x.shape[:2], (0, -1))),
         lambda rng, x: xs3.MaxPool2d((2, 2), Window((x.shape[0] - 1, x.shape[1] - 1))),
         lambda rng, x: xs3.AvgPool2d((2, 2), Window((x.shape[0] - 1, x.shape[1] - 1))),
         lambda rng, x: xs3.AvgPool2dGlobal(int(rng.integers(-999, 999)), 3, 6),
         lambda rng, x: xs3.Lookup8(Integers(_random(rng, 256, np.uint8))),
         lambda rng, x: xs3.FullyConnected(Integers(_random(rng, (5, x.data.size))),
                                           _bso(rng, 5), _pick(rng, [8, 16])),
         lambda rng, x: xs3.Requantize16To8(), lambda rng, x: xs3.Argmax16()],
        [lambda rng, a, b: xs3.AddElementwise((0, 1), (3, 4), 5, 6)]),
}


def _bso(rng, channels):
    return Integers(np.concatenate([
        _random(rng, (-(-channels // 16), 2, 16), np.int16),
        rng.integers(2, 9, (-(-channels // 16), 1, 16), np.int16),
        rng.integers(1, 1 << 14, (-(-channels // 16), 1, 16), np.int16),
        np.zeros((-(-channels // 16), 3, 16), np.int16)], axis=1))


def random_graph(library, rng, count):
    """Nodes, ``count`` of them, and the Tensor of their one input."""
    make, ones, twos = LIBRARIES[library]
    values, nodes = [make(rng)], []
    while len(nodes) < count:
        two     = len(values) > 1 and rng.random() < 0.35
        sources = tuple(int(number) if rng.random() < 0.5 else len(values) - 1
                        for number in rng.integers(len(values), size=1 + two))
        inputs  = [values[number] for number in sources]
        try:
            layer = _pick(rng, twos if two else ones)(rng, *inputs)
            if layer is None:
                continue
            layer.check(*inputs)
            output = layer.output_like(*inputs)
        except (ValueError, TypeError, IndexError):
            continue
        if 0 < output.data.size <= MOST:
            nodes.append(Node(layer, sources))
            values.append(output)
    return nodes, values[0]


def random_graphs(library, number, seed):
    """So many random graphs of 3 to 12 nodes: nodes and input."""
    for each in range(number):
        rng = random_of([seed, each])
        yield random_graph(library, rng, int(rng.integers(3, 13)))
