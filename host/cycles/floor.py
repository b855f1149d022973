"""Least work of a layer, and the cycles that it takes on a full array."""

from math import prod

import numpy as np

from golden import mli2, xs3
from golden.mli1 import (
    BasicRnnCell,
    Conv2d,
    DepthwiseConv2d,
    FullyConnected,
    Layout,
    LstmCell,
    MaxPool,
    RnnMode,
)

__all__ = ["MATRICES", "floor_cycles", "layer_type", "useful_work"]

_DENSE     = (FullyConnected, mli2.FullyConnected, xs3.FullyConnected,
              xs3.FcDeepin)
_XS3       = (xs3.Conv2dDeep, xs3.Conv2d1x1, xs3.Conv2dDepthwise)
_DEPTHWISE = (DepthwiseConv2d, mli2.DepthwiseConv2d, xs3.Conv2dDepthwise)
#: Layers whose floor is that of the products on a full array.
MATRICES = (*_DENSE, Conv2d, mli2.Conv2d, *_XS3, BasicRnnCell, LstmCell)

_TYPES = {(8, 8): "fx8", (16, 16): "fx16", (16, 8): "fx8w16d"}


def layer_type(layer, bits):
    """Type of ``layer`` on an input of ``bits`` bits, as the library names it."""
    weights = getattr(layer, "weights", None)
    return _TYPES[bits, bits if weights is None else weights.bits]


def _met(size, start, *loops):
    """How many elements of an axis of ``size`` the ``loops``, (count, step) each, from ``start`` on
    meet: those before and behind it are padding."""
    places = start
    for count, step in loops:
        places = np.add.outer(places, step * np.arange(count))
    return int(np.count_nonzero((places >= 0) & (places < size)))


def _taps_of_mli1(layer, shape):
    """Taps on the image along rows and columns of a kernel or pool, summed over the outputs."""
    sizes = shape[1:] if layer.layout is Layout.CHW else shape[:2]
    return [_met(size, -before, ((size + before + after - kernel) // stride + 1, stride),
                 (kernel, 1))
            for size, before, after, kernel, stride
            in zip(sizes, layer.pad[::2], layer.pad[1::2], layer.kernel, layer.stride, strict=True)]


def _taps_of_mli2(layer, shape):
    """The same of a kernel of weights HWCN."""
    found = []
    for axis, (size, outputs) in enumerate(zip(shape[:2], layer.output_shape(shape), strict=False)):
        start, stride, taps = -layer.pad[2 * axis], layer.stride[axis], layer.weights.shape[axis]
        found.append(_met(outputs, start, (size, stride), (taps, 1))
                     if isinstance(layer, mli2.TransposeConv2d) else
                     _met(size, start, (outputs, stride), (taps, layer.dilation[axis])))
    return found


def _work_of_xs3(layer, shape):
    """Products of a convolution of the XS3 library."""
    if isinstance(layer, xs3.Conv2d1x1):
        return prod(shape[:2]) * prod(layer.weights.shape)
    weights = layer.weights.shape
    *kernel, channels = (weights if isinstance(layer, xs3.Conv2dDepthwise)
                         else weights[1:])
    if isinstance(layer, xs3.Conv2dShallowin):
        kernel[1] = layer.columns
    window = layer.window
    taps   = [_met(size, start, (count, stride), (taps, 1)) for size, start, count, stride, taps
              in zip(shape[:2], window.start, window.out, window.stride, kernel, strict=True)]
    return prod(taps) * channels * (weights[0] if len(weights) == 4 else 1)


def useful_work(layer, *x_shapes):
    """What ``layer`` cannot do without for inputs of ``x_shapes``.

    Products of convolutions and matrices, elements that pooling reads: taps on padding are not
    work. Of recurrent cells the matrix of every step. Elements of the output for all other layers.
    """
    shape = x_shapes[0]
    if isinstance(layer, _DENSE):
        return prod(layer.weights.shape)
    if isinstance(layer, (BasicRnnCell, LstmCell)):
        steps = 1 if layer.mode is RnnMode.ONE_TO_ONE else shape[0]
        return steps * prod(layer.weights.shape)
    if isinstance(layer, MaxPool):
        channels = shape[0 if layer.layout is Layout.CHW else 2]
        return prod(_taps_of_mli1(layer, shape)) * channels
    if isinstance(layer, Conv2d):
        return prod(_taps_of_mli1(layer, shape)) * layer.weights.data.size // prod(layer.kernel)
    if isinstance(layer, mli2.Conv2d):
        return prod(_taps_of_mli2(layer, shape)) * prod(layer.weights.shape[2:])
    if isinstance(layer, _XS3):
        return _work_of_xs3(layer, shape)
    return prod(layer.output_shape(*x_shapes))


def floor_cycles(layer, config, *x_shapes):
    """``useful_work`` over what ``config`` can do of it in a cycle, a fraction.

    A depthwise kernel or pooling can use one product a lane: its channels share no operand. Other
    layers without weights are bound by the elements that the output stage finishes.
    """
    if isinstance(layer, (*_DEPTHWISE, MaxPool)):
        rate = config.lanes
    elif isinstance(layer, MATRICES):
        rate = config.products
    else:
        rate = config.ways
    return useful_work(layer, *x_shapes) / rate
