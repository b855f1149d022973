# SPDX-License-Identifier: Apache-2.0
"""Cases for lib_nn."""

import numpy as np

from xymac.golden import xs3
from xymac.golden.xs3 import Integers, Window

from .draw import NoCaseError
from .images import draw_matrix, draw_shapes

__all__ = ["GENERATORS"]

_GROUP = 16


def _bso(draw, outputs, taps, bits):
    """Biases, scales and offsets for sums over ``taps`` products, Integers."""
    groups = -(-outputs // _GROUP)
    most   = taps * 1024 if draw.tell("bias", ("zero", "other"), "other") == "other" else 0
    bias   = draw.integers(-most, most, (groups, _GROUP))
    spread = 12 + int(np.log2(taps) / 2)
    early  = max(spread - 14 + draw.pick("early", (0, 2, 4)), 0)
    scale  = draw.integers(1 << 13, (1 << 15) - 1, (groups, _GROUP))
    offset = draw.integers(-64, 64, (2, groups, _GROUP))
    if draw.tell("power_of_two", (False, True), False):
        scale[:, ::2], offset[..., ::2] = 1 << 14, 0
    late   = max(spread - early + 15 - (7 if bits == 8 else 14)
                 + draw.tell("gain", (0, 1, -2), 0), 0)
    moved  = np.minimum(draw.integers(0, 1, (groups, _GROUP)), late)  # from one shift to the other
    rows   = [bias >> 16, bias & 0xFFFF, early + moved, scale, *offset, late - moved]
    return Integers((np.stack(rows, axis=1) & 0xFFFF).astype(np.uint16))


def _window(draw, shapes):
    if min(shapes.windows) < 1:
        raise NoCaseError("nothing that the limits take of kernel_height fits")
    return Window(shapes.windows, (-shapes.pad[0], -shapes.pad[2]), shapes.stride)


def _image(draw, shapes):
    return Integers(draw.data("data", (shapes.height, shapes.width, shapes.channels), np.int8))


def _conv2d(draw, kind):
    shapes  = draw_shapes(draw, words=True)
    weights = Integers(draw.data("data of weights", (shapes.outputs, *shapes.kernel,
                                                     shapes.channels), np.int8))
    return xs3.Conv2dDeep(
        weights, _bso(draw, shapes.outputs, np.prod(weights.shape[1:]), 8),
        _window(draw, shapes), draw.pick("input_zero", (-128, 127, 0, -1, 5)),
        draw.pick("low", (-128, -127))), _image(draw, shapes)


def _depthwise_conv2d(draw, kind):
    shapes  = draw_shapes(draw, words=True, outputs=False)
    weights = Integers(draw.data("data of weights", (*shapes.kernel, shapes.channels), np.int8))
    return xs3.Conv2dDepthwise(
        weights, _bso(draw, shapes.channels, np.prod(shapes.kernel), 8), _window(draw, shapes),
        draw.pick("input_zero", (-128, 127, 0, -1, 5)),
        draw.pick("low", (-128, -127))), _image(draw, shapes)


def _fully_connected(draw, kind):
    if draw.way:
        inputs, outputs = draw_matrix(draw)
    else:
        inputs  = draw.pick("channels", (4, 8, 32, 36, 64, 100))
        outputs = draw.pick("outputs", (1, 2, 3, 4, 10, 16, 17))
    bits    = 16 if kind == "int16" else 8
    weights = Integers(draw.data("data of weights", (outputs, inputs), np.int8))
    return (xs3.FullyConnected(weights, _bso(draw, outputs, inputs, bits), bits),
            Integers(draw.data("data", (inputs,), np.int8)))


def _pool(layer):
    def make(draw, kind):
        shapes = draw_shapes(draw, words=True, outputs=False, padding="none")
        return layer(shapes.kernel, _window(draw, shapes)), _image(draw, shapes)
    return make


#: Functions from a Draw and a type to a layer and its inputs, by operation.
GENERATORS = {
    "conv2d": _conv2d, "depthwise_conv2d": _depthwise_conv2d,
    "fully_connected": _fully_connected, "average_pool": _pool(xs3.AvgPool2d),
    "max_pool": _pool(xs3.MaxPool2d),
}
