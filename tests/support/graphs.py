"""Random graphs of layers of each library: any layer that golden takes, on any values."""

import numpy as np

from golden import mli1, mli2, xs3
from golden.kinds import EltwiseOp, Relu
from golden.mli2 import Affine, Element, QuantTensor
from golden.xs3 import Integers, Window
from host.plan.graph import Node
from tests.support.chains import KINDS

__all__ = ["LIBRARIES", "random_graph"]

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


def _weights(rng, *shape):
    return QuantTensor(_random(rng, shape), Element.SA_8, Affine(0, 20000, 20))


def _sa32(rng, x, count):
    low, high = -1 << 12, 1 << 12
    return QuantTensor(rng.integers(low, high, count, np.int32), Element.SA_32,
                       Affine(0, 20000, 20 + x.format.scale_frac_bits))


def _pool(kind, rng):
    return kind((2, 2), (int(rng.integers(1, 3)), 1))


def _mli2_conv(rng, x):
    outputs = int(rng.integers(1, 9))
    return mli2.Conv2d(_weights(rng, 2, 3, x.shape[-1], outputs), _sa32(rng, x, outputs),
                       _scale(rng), pad=(1, 0, 1, 1))


def _mli2_dense(rng, x):
    outputs = int(rng.integers(1, 20))
    return mli2.FullyConnected(_weights(rng, x.data.size, outputs), _sa32(rng, x, outputs),
                               _scale(rng))


#: By library: the first value, layers of one value and layers of two, functions of a generator and
#: the values.
LIBRARIES = {
    "mli1": (
        lambda rng: mli1.Tensor(_random(rng, _pick(rng, [(6, 7, 6), (3, 5, 8), (4, 4, 4)])), 5),
        [*(lambda rng, x, make=make: make(x.shape) for make in KINDS.values()),
         lambda rng, x: mli1.Permute(_order(rng, x)), lambda rng, x: mli1.Rectify(Relu.GEN)],
        [lambda rng, a, b: mli1.Eltwise(_pick(rng, list(EltwiseOp)[:4])),
         lambda rng, a, b: mli1.Eltwise(EltwiseOp.MUL, 5),
         lambda rng, a, b: mli1.Concat(_axis(rng, a))]),
    "mli2": (
        lambda rng: QuantTensor(_random(rng, _pick(rng, [(7, 6, 6), (5, 8, 3), (4, 4, 4)])),
                                Element.SA_8, _scale(rng)),
        [_mli2_conv, _mli2_conv, _mli2_dense,
         lambda rng, x: _pool(mli2.MaxPool, rng), lambda rng, x: _pool(mli2.AvePool, rng),
         lambda rng, x: mli2.Rectify(_pick(rng, list(Relu)[1:])),
         lambda rng, x: mli2.Sigmoid(), lambda rng, x: mli2.Tanh(),
         lambda rng, x: mli2.Softmax(axis=int(rng.integers(-1, len(x.shape)))),
         lambda rng, x: mli2.Permute(_order(rng, x))],
        [lambda rng, a, b: mli2.Eltwise(_pick(rng, list(EltwiseOp)[:4]), _scale(rng)),
         lambda rng, a, b: mli2.Concat(_axis(rng, a))]),
    "xs3": (
        lambda rng: Integers(_random(rng, _pick(rng, [(6, 7, 4), (5, 5, 8), (4, 4, 32)]))),
        [lambda rng, x: xs3.Conv2d1x1(Integers(_random(rng, (8, x.shape[-1]))), _bso(rng, 8)),
         lambda rng, x: xs3.Conv2dDeep(Integers(_random(rng, (4, 3, 2, x.shape[-1]))),
                                       _bso(rng, 4), Window(x.shape[:2], (-1, -1))),
         lambda rng, x: xs3.MaxPool2d((2, 2), Window((x.shape[0] - 1, x.shape[1] - 1))),
         lambda rng, x: xs3.AvgPool2d((2, 2), Window((x.shape[0] - 1, x.shape[1] - 1))),
         lambda rng, x: xs3.Lookup8(Integers(_random(rng, 256, np.uint8))),
         lambda rng, x: xs3.FullyConnected(Integers(_random(rng, (5, x.data.size))),
                                           _bso(rng, 5))],
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
