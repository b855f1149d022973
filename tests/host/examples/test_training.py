# SPDX-License-Identifier: Apache-2.0
"""Layers that learn: gradients against differences, outputs against the golden layers."""

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac import golden
from xymac.golden.mli1 import (
    AvePool,
    Conv2d,
    DepthwiseConv2d,
    FullyConnected,
    MaxPool,
    Relu,
    Tensor,
)
from xymac.host.examples.float_layers import FloatLinear, FloatPool, forward, quantise_layers
from xymac.host.examples.float_lstm import FloatLstm

FRAC_BITS = 12  #: Of the input in fixed point.


def linear(kind, *shape, **parameters):
    """Layer with noise for weights and bias."""
    rng   = random_of(sum(shape))
    layer = FloatLinear(kind, rng.normal(0, 0.5, shape), **parameters)
    layer.bias[:] = rng.normal(size=shape[0])
    return layer


LAYERS = {
    "conv":      (linear(Conv2d, 3, 2, 3, 2), (2, 5, 4)),
    "pad":       (linear(Conv2d, 3, 2, 3, 3, stride=2, pad=1, relu=Relu.GEN), (2, 5, 5)),
    "depthwise": (linear(DepthwiseConv2d, 2, 1, 3, 3, stride=2, pad=1, relu=Relu.RELU6), (2, 7, 4)),
    "dense":     (linear(FullyConnected, 5, 2, 3, 2), (2, 3, 2)),
    "max":       (FloatPool(MaxPool, 2), (2, 6, 4)),
    "mean":      (FloatPool(AvePool, 3), (2, 6, 3)),
    "lstm":      (FloatLstm(random_of(1).normal(size=(4, 3, 5 + 3))), (1, 4, 5))}

layers = pytest.mark.parametrize(("layer", "shape"), LAYERS.values(), ids=LAYERS)


def noise(*shape):
    """Input in fixed point, so that quantising it changes nothing; some values are large."""
    values = random_of(sum(shape)).normal(0, 2, shape)
    return np.clip(np.rint(values * 2 ** FRAC_BITS) / 2 ** FRAC_BITS, -7, 7)


def slope(function, array, index, step=1e-6):
    """Central difference of ``function()`` by one element of ``array``."""
    value, values = array[index], []
    for side in (step, -step):
        array[index] = value + side
        values.append(function())
    array[index] = value
    return (values[0] - values[1]) / (2 * step)


@layers
def test_gradients_are_slopes(layer, shape):
    x      = noise(2, *shape)
    factor = random_of(2).normal(size=layer.forward(x).shape)

    gradients = [layer.backward(factor), *layer.gradients]

    for array, gradient in zip((x, *layer.parameters), gradients, strict=True):
        expected = [slope(lambda: np.sum(layer.forward(x) * factor), array, index)
                    for index in np.ndindex(array.shape)]
        np.testing.assert_allclose(gradient.ravel(), expected, rtol=1e-5, atol=1e-7)


def test_equal_elements_share_a_maximum():
    layer = FloatPool(MaxPool, 2)

    layer.forward(np.array([[[[3.0, 1.0], [2.0, 3.0]]]]))

    assert layer.backward(np.array([[[[6.0]]]])).tolist() == [[[[3.0, 0.0], [0.0, 3.0]]]]


@layers
def test_golden_layers_are_close(layer, shape):
    x = noise(20, *shape)
    wanted = forward([layer], x)
    frames = shape[1:] if isinstance(layer, FloatLstm) else shape
    inputs = [Tensor(np.rint(image * 2 ** FRAC_BITS).astype(np.int16).reshape(frames), FRAC_BITS)
              for image in x]

    [kernel] = quantise_layers([layer], inputs[0], 16)
    outputs  = [golden.run(kernel, image).output for image in inputs]

    values = np.array([output.data.ravel() / 2 ** output.frac_bits for output in outputs])
    np.testing.assert_allclose(values, wanted, atol=0.005)


def test_a_bias_has_no_more_fractional_bits_than_the_products():
    layer = FloatLinear(FullyConnected, np.full((1, 1, 1, 1), 100.0))
    layer.forward(np.ones((1, 1, 1, 1)))

    [kernel] = quantise_layers([layer], Tensor(np.zeros(1, np.int8), 4), 8)

    assert (kernel.weights.frac_bits, kernel.bias.frac_bits) == (0, 4)
