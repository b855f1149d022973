"""Sums of MLI 2.0 that wrap at 32 bits, and saturate with the bias, against the golden kernels."""

from dataclasses import replace

import numpy as np
import pytest

import golden
from golden import mli2
from golden.mli2 import Build, Element, Fixed, QuantTensor, Relu
from hdl.config import BASE, SIZES
from host.lower.linear.passes import LinearLowering
from host.lower.refuse import NoPassesError
from host.lower.registry import find_lowering
from host.lower.saturating.passes import SaturatingLowering
from sim.works.quantised import affine_conv
from tests.support.lowered import assert_equals_golden
from tests.support.seed import random_of

CONFIG = pytest.mark.parametrize("config", SIZES.values(), ids=lambda config: config.name)
KINDS  = {8: Element.FX_8, 16: Element.FX_16}


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


@CONFIG
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


@CONFIG
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


@CONFIG
def test_padded_images_equal_golden(config):
    rng   = random_of(7)
    layer = mli2.Conv2d(fixed(rng, (3, 2, 120, 5), 8, 7), fixed(rng, (5,), 8, 3), Fixed(4),
                        pad=(2, 0, 1, 1))
    x     = fixed(rng, (4, 3, 120), 16, 9)

    assert isinstance(find_lowering(layer, (x,), config.ways), SaturatingLowering)
    assert_equals_golden(config, layer, x)


@CONFIG
@pytest.mark.parametrize(("zero", "weight_zero"), [
    (-32768, 3), (32767, 32767), (32641, -32768), (5, -32768), (-32641, 32767)])
@pytest.mark.parametrize("kind", [mli2.Conv2d, mli2.GroupConv2d, mli2.DepthwiseConv2d])
def test_operands_beyond_16_bits_equal_golden(config, kind, zero, weight_zero):
    channels, held = 4, {mli2.GroupConv2d: 2, mli2.DepthwiseConv2d: 1}.get(kind, 4)
    layer, x = affine_conv(kind, (2, 3, held, 4), (5, 6, channels), random_of(zero + 40000))
    largest  = 6 * held * max(abs(zero), 128) * max(abs(weight_zero), 128)
    affine   = replace(layer.weights.format, zero_point=(weight_zero,) * 4,
                       scale_frac_bits=(min(largest.bit_length(), 31) + 8,) * 4)
    layer    = replace(layer, weights=replace(layer.weights, format=affine), pad=(0,) * 4)
    for build in Build:
        run = assert_equals_golden(config, replace(layer, build=build),
                                   replace(x, format=replace(x.format, zero_point=zero)))
    assert len(np.unique(run.output.data)) > 1


def test_refused_padding():
    layer, x = affine_conv(mli2.Conv2d, (3, 3, 4, 2), (5, 5, 4), random_of(1))
    weights  = replace(layer.weights, format=replace(layer.weights.format, zero_point=(32000,) * 2))
    with pytest.raises(NoPassesError, match=r"must be between -128 and 127, not 32000$"):
        find_lowering(replace(layer, weights=weights),
                      (replace(x, format=replace(x.format, zero_point=32000)),), 4)
