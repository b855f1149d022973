# SPDX-License-Identifier: Apache-2.0
"""Depthwise convolutions in rows of outputs: nothing of a row, group, image or layer is left over.

Every input is noise of its whole range, so an element too many shows in the sums.
"""

from itertools import product

import numpy as np
import pytest

from tests.host.lower.linear.test_sa8 import layer_of
from tests.support.lowered import assert_equals_golden, assert_plan, noise
from tests.support.seed import random_of
from xymac.golden import mli1, mli2
from xymac.golden.mli1 import Layout
from xymac.golden.tflm import DepthwiseConv2d, Padding, Quantisation, Tensor
from xymac.hdl.config import BASE, SMALL, TINY
from xymac.hdl.isa import Op

CONFIGS = [BASE, SMALL, TINY]
each_config = pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.name)
#: Rows and columns of images, of kernels, and padding in front and behind of rows and of columns.
SHAPES = [
    ((6, 7), (3, 3), (1, 1, 1, 1)),   # the usual one
    ((6, 7), (3, 3), (0, 0, 0, 0)),
    ((5, 8), (3, 3), (0, 1, 0, 1)),   # padding on one side alone
    ((5, 8), (3, 3), (1, 0, 1, 0)),
    ((4, 1), (3, 3), (1, 1, 1, 1)),   # fewer columns than the kernel has
    ((4, 2), (3, 3), (1, 1, 1, 1)),
    ((1, 9), (3, 3), (1, 1, 2, 2)),   # fewer rows, more columns of padding than of taps beside
    ((3, 9), (1, 3), (0, 0, 1, 1)),   # kernels of one row and of one column
    ((3, 9), (3, 1), (1, 1, 0, 0)),
    ((4, 9), (2, 2), (0, 1, 1, 0)),
    ((3, 9), (2, 4), (1, 0, 3, 0)),   # as many columns as ways, and more
    ((3, 9), (2, 4), (1, 0, 0, 3)),
    ((4, 9), (5, 5), (2, 2, 2, 2)),
    ((8, 7), (7, 3), (3, 3, 1, 1)),   # more rows than most kernels have
    ((3, 12), (2, 9), (0, 1, 4, 4)),
]
STEPS = [((1, 1), (1, 1)), ((2, 1), (1, 1)), ((1, 2), (1, 1)), ((1, 1), (2, 1)), ((1, 1), (1, 2))]


def image(seed, shape):
    """An input of TensorFlow Lite."""
    return Tensor(noise(random_of(seed), shape, np.int8, 0).data, Quantisation((2.0**-4,), (-101,)))


def operator(seed, kernel, outputs, padding, scale=2.0**-2):
    """A DEPTHWISE_CONV_2D without a bias, a scale for each output."""
    rng = random_of(seed)
    weights = Tensor(rng.integers(-127, 128, (1, *kernel, outputs), np.int8), Quantisation(
        tuple((rng.integers(128, 512, outputs) / 2**15).tolist()), (0,) * outputs, 3))
    return DepthwiseConv2d(weights, None, Quantisation((scale,), (17,)), (1, 1), padding)


@pytest.mark.parametrize(("size", "kernel", "taps"), [
    ((20, 1), (5, 1), (2, 4, 1)), ((24, 1), (10, 1), (3, 4, 1)), ((1, 30), (1, 7), (2, 4, 1)),
    ((20, 1), (9, 1), (3, 3, 1)), ((20, 3), (11, 1), (5, 3, 1)), ((4, 20), (1, 16), (4, 4, 1)),
    ((30, 1), (20, 1), (5, 4, 1)), ((9, 1), (9, 1), (9, 1, 1)), ((20, 2), (18, 1), (18, 1, 1))])
def test_kernels_of_one_line_are_folded(size, kernel, taps):
    """They have more taps than a slide has ways; some lengths have no parts of the same size."""
    x, layer = image(len(size), (2, *size, 37)), operator(sum(kernel), kernel, 37, Padding.VALID)

    for config in CONFIGS:
        run = assert_equals_golden(config, layer, x)
        assert config is not BASE or {pass_.loop.taps for pass_ in run.plan.program} == {taps}


@pytest.mark.parametrize("kernel", [(5, 1), (1, 9)])
def test_padded_kernels_of_one_line_are_not(kernel):
    """Parts of a kernel would meet different borders."""
    x, layer = image(1, (1, 9, 12, 37)), operator(2, kernel, 37, Padding.SAME)

    run = assert_equals_golden(BASE, layer, x)

    assert all(pass_.accumulate.op is Op.MAC for pass_ in run.plan.program)


@each_config
@pytest.mark.parametrize(("dtype", "frac_bits"), [("int8", 6), ("int16", 14)])
def test_shapes_of_mli1(config, dtype, frac_bits):
    """Three groups of lanes and a part of one more."""
    channels = 3 * config.lanes + 1
    for seed, (size, kernel, pad) in enumerate(SHAPES):
        rng = random_of(seed)
        layer = mli1.DepthwiseConv2d(
            noise(rng, (channels, 1, *kernel), dtype, frac_bits),
            noise(rng, channels, dtype, 2 * frac_bits - 3), frac_bits - 4, pad=pad,
            layout=Layout.CHW)
        result = assert_equals_golden(config, layer, noise(rng, (channels, *size), dtype,
                                                           frac_bits))
        limits = np.iinfo(dtype)
        assert np.isin(result.output.data, (limits.min, limits.max)).mean() < 0.5


@each_config
def test_steps_of_mli2(config):
    """Strides and dilations with padding; zero points of input, weights and output."""
    for seed, ((stride, dilation), kernel) in enumerate(product(STEPS, [(3, 3), (2, 4), (3, 5)])):
        pad = kernel[0] // 2, kernel[0] - 1, kernel[1] // 2, kernel[1] - 1
        layer, x = layer_of(mli2.DepthwiseConv2d, seed, kernel=kernel, pad=pad, stride=stride,
                            dilation=dilation, channels=config.lanes + 3, zero=seed % 2 * 5)
        assert_equals_golden(config, layer, x)


@each_config
@pytest.mark.parametrize("padding", Padding)
def test_images_and_outputs_a_channel(config, padding):
    """Two images one behind the other; channels with one, two and three outputs."""
    for multiple, columns in product((1, 2, 3), (2, 7)):
        layer = operator(multiple, (3, 3), 5 * multiple, padding)
        assert_equals_golden(config, layer, image(columns, (2, 5, columns + 2, 5)))


@each_config
def test_layers_one_behind_the_other(config):
    """Each has other rows of taps than the one before, and the last ones one row of outputs."""
    channels = 2 * config.lanes
    kernels  = [(3, 3), (1, 3), (5, 3), (2, 2), (3, 4), (4, 3)]
    layers   = [operator(seed, kernel, channels, Padding.VALID if kernel[0] == 4 else Padding.SAME,
                         4.0 ** (seed - 1))  # sums fill 8 bits
                for seed, kernel in enumerate(kernels)]
    assert_plan(config, layers, image(1, (1, 4, 6, channels)))
