# SPDX-License-Identifier: Apache-2.0
"""Random operands for INT8 TensorFlow Lite operators."""

from functools import partial

import numpy as np

from xymac.golden.tflm import (
    Add,
    Conv2d,
    DepthwiseConv2d,
    Pad,
    Padding,
    Quantisation,
    Softmax,
    Tensor,
    UnidirectionalSequenceLstm,
)

__all__ = ["padded_channels", "padded_conv", "sequence_lstm", "several_outputs", "softmax_rows",
           "sum_of_images", "with_vector"]

_OUT   = Quantisation((2.0**-4,), (3,))
_SHARE = Quantisation((2.0**-8,), (-128,))


def _tensor(rng, shape, scale, zero=0, dtype=np.int8):
    limits = np.iinfo(dtype)
    data   = rng.integers(limits.min + 1, limits.max, shape, dtype, endpoint=True)
    return Tensor(data, Quantisation((float(np.float32(scale)),), (zero,)))


def softmax_rows(rows, count, rng, *, scale=0.147):
    """A SOFTMAX over ``rows`` rows of ``count`` elements, and its input with ``scale``."""
    return Softmax(_SHARE), _tensor(rng, (rows, count), scale, 3)


def with_vector(kind, shape, rng):
    """An ADD or MUL, ``kind``, on an image of ``shape`` and a channel vector."""
    return kind(_OUT), _tensor(rng, shape, 0.05, 7), _tensor(rng, shape[-1:], 0.021, -3)


def sum_of_images(shape, rng):
    """An ADD on two images with ``shape``."""
    return Add(_OUT), _tensor(rng, shape, 0.05, 7), _tensor(rng, shape, 0.033, -5)


def padded_conv(shape, outputs, rng):
    """A PAD by one row and column on each side, a 3x3 convolution on its output, and an image with
    ``shape``.
    """
    zero    = Quantisation((2.0**-5,), (-7,))
    weights = _tensor(rng, (outputs, 3, 3, shape[-1]), 2.0**-9)
    return ((Pad(((0, 0), (1, 1), (1, 1), (0, 0)), zero), Conv2d(weights, None, _OUT)),
            _tensor(rng, shape, 2.0**-5, -7))


def padded_channels(shape, more, rng):
    """A PAD that adds ``more`` channels to an image of ``shape``, and the image."""
    x = _tensor(rng, shape, 2.0**-5, -7)
    return Pad(((0, 0), (0, 0), (0, 0), (0, more)), x.quantisation), x


def several_outputs(shape, each, rng):
    """A 3x3 DEPTHWISE_CONV_2D with ``each`` outputs per channel, and an image of ``shape``."""
    weights = _tensor(rng, (1, 3, 3, shape[-1] * each), 2.0**-9)
    return DepthwiseConv2d(weights, None, _OUT, padding=Padding.SAME), _tensor(rng, shape,
                                                                              2.0**-5, -7)


def sequence_lstm(steps, inputs, units, rng):
    """A UNIDIRECTIONAL_SEQUENCE_LSTM from zero states, and a sequence."""
    draw = partial(_tensor, rng)
    return (UnidirectionalSequenceLstm(
        tuple(draw((units, inputs), 2.0**-9) for _ in range(4)),
        tuple(draw((units, units), 2.0**-9) for _ in range(4)),
        tuple(Tensor(rng.integers(-1 << 10, 1 << 10, units, np.int32)) for _ in range(4)),
        Tensor(np.zeros((1, units), np.int8), Quantisation((2.0**-7,), (0,))),
        Tensor(np.zeros((1, units), np.int16), Quantisation((2.0**-12,), (0,)))),
        draw((1, steps, inputs), 2.0**-6, 5))
