"""Least work of a layer: useful products, and the cycles that they take on a full array."""

from math import prod

from golden import DepthwiseConv2d, FullyConnected, Layout

__all__ = ["floor_cycles", "layer_type", "useful_products"]

_TYPES = {(8, 8): "fx8", (16, 16): "fx16", (16, 8): "fx8w16d"}


def layer_type(layer, bits):
    """Type of ``layer`` on an input of ``bits`` bits, as the library names it."""
    return _TYPES[bits, layer.weights.bits]


def _valid_taps(size, kernel, stride, before, after):
    """Taps on the image, not on the padding, summed over the outputs along one axis."""
    tops = range(-before, size + after - kernel + 1, stride)
    return sum(min(top + kernel, size) - max(top, 0) for top in tops)


def useful_products(layer, x_shape):
    """Products that ``layer`` needs for an input of ``x_shape``; taps on padding are not work."""
    if isinstance(layer, FullyConnected):
        return prod(layer.weights.shape)
    rows, cols = x_shape[1:] if layer.layout is Layout.CHW else x_shape[:2]
    top, bottom, left, right = layer.pad
    taps = (_valid_taps(rows, layer.kernel[0], layer.stride[0], top, bottom)
            * _valid_taps(cols, layer.kernel[1], layer.stride[1], left, right))
    return taps * layer.weights.data.size // prod(layer.kernel)


def floor_cycles(layer, x_shape, config):
    """``useful_products`` over the products a cycle that ``config`` can form, a fraction.

    A depthwise kernel can use one product a lane: its channels share no operand.
    """
    rate = config.lanes if isinstance(layer, DepthwiseConv2d) else config.products
    return useful_products(layer, x_shape) / rate
