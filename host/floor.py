"""Least work of a layer, and the cycles that it takes on a full array."""

from math import prod

from golden import (
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

#: Layers whose floor is that of the products on a full array.
MATRICES = (Conv2d, FullyConnected, BasicRnnCell, LstmCell)

_TYPES = {(8, 8): "fx8", (16, 16): "fx16", (16, 8): "fx8w16d"}


def layer_type(layer, bits):
    """Type of ``layer`` on an input of ``bits`` bits, as the library names it."""
    weights = getattr(layer, "weights", None)
    return _TYPES[bits, bits if weights is None else weights.bits]


def _valid_taps(size, kernel, stride, before, after):
    """Taps on the image, not on the padding, summed over the outputs along one axis."""
    tops = range(-before, size + after - kernel + 1, stride)
    return sum(min(top + kernel, size) - max(top, 0) for top in tops)


def useful_work(layer, *x_shapes):
    """What ``layer`` cannot do without for inputs of ``x_shapes``.

    Products of convolutions and matrices, elements that pooling reads: taps on padding are not
    work. Of recurrent cells the matrix of every step. Elements of the output for all other layers.
    """
    if isinstance(layer, FullyConnected):
        return prod(layer.weights.shape)
    if isinstance(layer, (BasicRnnCell, LstmCell)):
        steps = 1 if layer.mode is RnnMode.ONE_TO_ONE else x_shapes[0][0]
        return steps * prod(layer.weights.shape)
    if not isinstance(layer, (Conv2d, MaxPool)):
        return prod(layer.output_shape(*x_shapes))
    [shape] = x_shapes
    channels, rows, cols = shape if layer.layout is Layout.CHW else (shape[2], *shape[:2])
    top, bottom, left, right = layer.pad
    taps = (_valid_taps(rows, layer.kernel[0], layer.stride[0], top, bottom)
            * _valid_taps(cols, layer.kernel[1], layer.stride[1], left, right))
    if isinstance(layer, MaxPool):
        return taps * channels
    return taps * layer.weights.data.size // prod(layer.kernel)


def floor_cycles(layer, config, *x_shapes):
    """``useful_work`` over what ``config`` can do of it in a cycle, a fraction.

    A depthwise kernel or pooling can use one product a lane: its channels share no operand. Other
    layers without weights are bound by the elements that the output stage finishes.
    """
    if isinstance(layer, (DepthwiseConv2d, MaxPool)):
        rate = config.lanes
    elif isinstance(layer, MATRICES):
        rate = config.products
    else:
        rate = config.ways
    return useful_work(layer, *x_shapes) / rate
