# SPDX-License-Identifier: Apache-2.0
"""Chains of layers of MLI 1.x that fit one another, whatever they make of a tensor."""

from itertools import product

import numpy as np

from tests.support.lowered import noise
from tests.support.seed import random_of
from xymac.golden import mli1
from xymac.golden.mli1 import Layout, Relu

__all__ = ["INPUT", "KINDS", "chains", "layers_of"]

#: Shape of the first input.
INPUT = (6, 7, 6)


def weights(*shape):
    return noise(random_of(len(shape)), shape, np.int8, 7)


def _conv(shape, layout):
    if len(shape) != 3:
        return None
    channels = shape[0 if layout is Layout.CHW else 2]
    size = (5, channels, 3, 3) if layout is Layout.CHW else (5, 3, 3, channels)
    return mli1.Conv2d(weights(*size), weights(5), 5, pad=(1, 1, 1, 1), layout=layout)


def _depthwise(shape, layout):
    if len(shape) != 3:
        return None
    channels = shape[0 if layout is Layout.CHW else 2]
    size = (channels, 1, 2, 2) if layout is Layout.CHW else (channels, 2, 2, 1)
    return mli1.DepthwiseConv2d(weights(*size), weights(channels), 5, layout=layout)


def _pool(kind, shape, layout):
    return kind((2, 2), (1, 2), layout=layout) if len(shape) == 3 else None


def _subtensor(shape, depth):
    if len(shape) < depth:
        return None
    return mli1.Subtensor(tuple(size // 2 for size in shape[:depth]),
                          -(-shape[depth - 1] // 2) - 0 if shape[depth - 1] == 1 else 1)


#: By name a function from the shape of the input to a layer, or None where there is none.
KINDS = {
    **{f"{name}_{layout.name}": lambda shape, make=make, layout=layout: make(shape, layout)
       for layout in Layout for name, make in (
           ("conv", _conv), ("depthwise", _depthwise),
           ("maxpool", lambda shape, layout: _pool(mli1.MaxPool, shape, layout)),
           ("avepool", lambda shape, layout: _pool(mli1.AvePool, shape, layout)),
           ("padding", lambda shape, layout: mli1.Padding2d((1, 2, 0, 1), layout)
            if len(shape) == 3 else None))},
    "fc": lambda shape: mli1.FullyConnected(weights(9, int(np.prod(shape))), weights(9), 5),
    "relu": lambda shape: mli1.Rectify(Relu.RELU6),
    "sigm": lambda shape: mli1.Sigmoid(),
    "softmax": lambda shape: mli1.Softmax(),
    "permute_201": lambda shape: mli1.Permute((2, 0, 1)) if len(shape) == 3 else None,
    "permute_rev": lambda shape: mli1.Permute(tuple(range(len(shape)))[::-1]),
    "part_1": lambda shape: _subtensor(shape, 1),
    "part_2": lambda shape: _subtensor(shape, 2),
    "part_3": lambda shape: _subtensor(shape, 3),
    "convert": lambda shape: mli1.ConvertTensor(8, 3),
}


def layers_of(names, shape=INPUT):
    """Layers by their names, and the input; None where golden refuses the chain."""
    x = values = noise(random_of(5), shape, np.int8, 7)
    layers = []
    for name in names:
        layer = KINDS[name](values.shape)
        if layer is None:
            return None
        try:
            layer.check(values)
        except (ValueError, TypeError):
            return None
        values = layer.output_like(values)
        layers.append(layer)
    return layers, x


def chains(length=3):
    """Names of the layers of all chains."""
    return product(KINDS, repeat=length)
