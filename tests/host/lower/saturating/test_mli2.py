# SPDX-License-Identifier: Apache-2.0
"""Sums of MLI 2.0 that wrap at 32 bits, and saturate with the bias, against the golden kernels."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden
from tests.support.mli2.far_convs import far_conv
from tests.support.seed import random_of
from tests.support.sizes import between, each_size
from xymac import golden
from xymac.golden import mli2
from xymac.golden.mli2 import Build, Element, Fixed, QuantTensor, Relu
from xymac.hdl.config import BASE
from xymac.host.lower.linear.passes import LinearLowering
from xymac.host.lower.registry import find_lowering
from xymac.host.lower.saturating.passes import SaturatingLowering
from xymac.sim.benchmarks.quantised import affine_conv

KINDS  = {8: Element.FX_8, 16: Element.FX_16}


IMAGES = [mli2.Conv2d, mli2.GroupConv2d, mli2.DepthwiseConv2d, mli2.TransposeConv2d]


def fixed(rng, shape, bits, frac_bits):
    """Elements at the ends of their range, most of a row of one sign."""
    limit = 1 << bits - 1
    sign  = rng.random(shape) < rng.choice([0.1, 0.5, 0.95], shape[-1:])
    return QuantTensor(np.where(sign, limit - 1, -limit).astype(f"int{bits}"), KINDS[bits],
                       Fixed(frac_bits))


def matrix(seed, *, inputs=1100, outputs=21, shift=20, **options):
    """A fully connected layer that drops ``shift`` bits of sums, the first two beyond 32 bits."""
    rng     = random_of(seed)
    weights = fixed(rng, (inputs, outputs), 8, 7)
    weights.data[:, 0], weights.data[:, 1] = -128, 127
    x = QuantTensor(np.where(rng.random(inputs) < 0.99, -32768, 32767).astype(np.int16),
                    Element.FX_16, Fixed(15))
    bias = QuantTensor(rng.integers(-128, 128, outputs, np.int8), Element.FX_8, Fixed(-6))
    return mli2.FullyConnected(weights, bias, Fixed(22 - shift), **options), x


@each_size
@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("shift", [-3, 0, 9, 16, 20, 31, 33])
def test_matrices_equal_golden(config, build, shift):
    for seed in range(2):
        layer, x = matrix(seed, inputs=700, shift=shift, build=build)
        assert isinstance(find_lowering(layer, (x,), config.ways), SaturatingLowering)
        assert_equals_golden(config, layer, x)


def test_sums_wrap_and_are_flagged():
    layer, x = matrix(1, relu=Relu.RELU6)

    assert golden.run(layer, x).overflow
    assert_equals_golden(BASE, layer, x)
    small = replace(layer, bias=replace(layer.bias, data=layer.bias.data * 0))
    assert not assert_equals_golden(BASE, small, replace(x, data=x.data // 512)).overflow


@pytest.mark.parametrize("mode", [Build.UP_FULL, Build.CONVERGENT_FULL])
def test_a_sum_that_saturates_with_the_bias_alone(mode):
    """No sum of products leaves 32 bits; that with the bias does, or what rounds it up does."""
    rng, inputs = random_of(5), 511
    weights = QuantTensor(np.full((inputs, 4), -128, np.int8), Element.FX_8, Fixed(0))
    weights.data[:, 1], weights.data[:, 2] = 127, 3
    x = QuantTensor(np.full(inputs, -32768, np.int16), Element.FX_16, Fixed(0))
    for shift in (1, 15, 17, 24, 31, 32):
        bias  = QuantTensor(rng.integers(100, 128, 4, np.int8), Element.FX_8, Fixed(-24))
        layer = mli2.FullyConnected(weights, bias, Fixed(-shift), build=mode)
        assert isinstance(find_lowering(layer, (x,), 4), LinearLowering)
        assert_equals_golden(BASE, layer, x)
        assert_equals_golden(BASE, layer, replace(x, data=-1 - x.data))


@each_size
@pytest.mark.parametrize(("kind", "shape", "zero"), [
    (mli2.Conv2d, (3, 2, 6, 5), 30000), (mli2.Conv2d, (2, 3, 7, 19), -32600),
    (mli2.GroupConv2d, (3, 3, 3, 8), 32640), (mli2.DepthwiseConv2d, (3, 3, 1, 9), -32640)])
def test_images_equal_golden(config, kind, shape, zero):
    channels = {mli2.GroupConv2d: 2 * shape[2], mli2.DepthwiseConv2d: shape[3]}.get(kind, shape[2])
    layer, x = affine_conv(kind, shape, (6, 5, channels), random_of(3))
    count    = shape[3]
    weights  = replace(layer.weights, format=replace(
        layer.weights.format, zero_point=(-zero,) * count, scale_frac_bits=(38,) * count))
    far = replace(x, format=replace(x.format, zero_point=zero))
    for build in Build:
        plain = replace(layer, weights=weights, pad=(0,) * 4, build=build)
        assert isinstance(find_lowering(plain, (far,), config.ways), SaturatingLowering)
        assert_equals_golden(config, plain, far)
        assert_equals_golden(config, replace(plain, stride=(2, 1), dilation=(1, 2)), far)


@each_size
def test_padded_images_equal_golden(config):
    rng   = random_of(7)
    layer = mli2.Conv2d(fixed(rng, (3, 2, 120, 5), 8, 7), fixed(rng, (5,), 8, 3), Fixed(4),
                        pad=(2, 0, 1, 1))
    x     = fixed(rng, (4, 3, 120), 16, 9)

    assert isinstance(find_lowering(layer, (x,), config.ways), SaturatingLowering)
    assert_equals_golden(config, layer, x)


@each_size
@pytest.mark.parametrize(("zero", "weight_zero"), [
    (-32768, 3), (32767, 32767), between(32641, -32768), between(5, -32768),
    (-32641, 32767)])
@pytest.mark.parametrize("kind", [mli2.Conv2d, mli2.GroupConv2d, mli2.DepthwiseConv2d])
def test_operands_beyond_16_bits_equal_golden(config, kind, zero, weight_zero):
    layer, x = far_conv(kind, zero, weight_zero)
    for build in Build:
        run = assert_equals_golden(config, replace(layer, build=build), x)
    assert len(np.unique(run.output.data)) > 1


@each_size
@pytest.mark.parametrize(("zero", "weight_zero"), [
    (-32768, 3), between(32767, 32767), (200, -32768), between(32000, 30000),
    between(5, -32768)])
@pytest.mark.parametrize("kind", IMAGES)
def test_padding_that_no_element_can_be(config, zero, weight_zero, kind):
    layer, x = far_conv(kind, zero, weight_zero, pad=(1, 0, 1, 2))
    for build in Build:
        assert isinstance(find_lowering(layer, (x,), config.ways), SaturatingLowering)
        run = assert_equals_golden(config, replace(layer, build=build), x)
    assert len(np.unique(run.output.data)) > 1


@each_size
@pytest.mark.parametrize("stride", [(1, 1), (2, 1), (3, 4)])
def test_transposed_convolutions_equal_golden(config, stride):
    for zero, weight_zero in ((-128, 32767), (-32768, 30000), (7, 32767)):
        layer, x = far_conv(mli2.TransposeConv2d, zero, weight_zero, pad=(1, 1, 0, 2),
                            stride=stride)
        assert isinstance(find_lowering(layer, (x,), config.ways), SaturatingLowering)
        assert_equals_golden(config, layer, x)


def test_transposed_sums_wrap_and_are_flagged():
    rng   = random_of(7)
    layer = mli2.TransposeConv2d(fixed(rng, (3, 2, 120, 5), 8, 7), fixed(rng, (5,), 8, 3), Fixed(4),
                                 pad=(2, 0, 1, 1))
    x     = fixed(rng, (4, 3, 120), 16, 9)
    layer.weights.data[..., 0], x.data[..., :] = -128, -32768

    assert assert_equals_golden(BASE, layer, x).overflow
