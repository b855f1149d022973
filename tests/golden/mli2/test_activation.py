# SPDX-License-Identifier: Apache-2.0
"""Activations of MLI 2.0 against single Python ints, as the formulas say."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.naive.lut import argument, naive_table
from tests.support.naive.mli2 import limits, requantised, rounded, saturated, scaled_to_16
from tests.support.seed import random_of
from tests.support.tensors import format_of, tensor_of
from xymac.golden import run
from xymac.golden.mli2 import (
    Affine,
    Build,
    Element,
    Fixed,
    LeakyRelu,
    Prelu,
    QuantTensor,
    Rectify,
    Relu,
    Sigmoid,
    Tanh,
)


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize(("name", "kind", "zero", "frac"), [
    ("sigm", Sigmoid, -128, 8), ("tanh", Tanh, 0, 7)])
def test_tables(name, kind, zero, frac, build):
    rng = random_of(5)
    for element in (Element.FX_8, Element.FX_16, Element.SA_8):
        for frac_bits in (-1, 3, 4, 5, 7, 12, 22, 40):
            x = tensor_of(rng, element, (13,), frac_bits)

            output = run(kind(build), x).output

            if element is Element.SA_8:
                values = [naive_table(name, *argument(name, v, x.format, build), build)
                          for v in x.centred.tolist()]
                values = [saturated(rounded(v, 15 - frac, 32, build) + zero, 8) for v in values]
                assert output.format == Affine(zero, 1, frac)
            else:
                values = [saturated(rounded(naive_table(name, v, frac_bits, build), 16 - x.bits, 16,
                                            build), x.bits) for v in x.centred.tolist()]
                assert output.format == Fixed(x.bits - 1)
            assert output.data.tolist() == values


def normalised(value):
    """An integer of 16 bits doubled as often as it fits them, and how often."""
    places = 0
    while places < 15 and -(1 << 15) <= value << places + 1 < 1 << 15:
        places += 1
    return value << places, places


def naive_leaky(value, slope, x, layer, build):
    """One output; ``value`` and ``slope`` less their zero points.

    One slope of 16 bits is normalised before the product; slopes along a dimension are not.
    """
    kind = layer.slope.format
    if not x.is_affine:
        alone = getattr(layer, "axis", -1) < 0 and x.bits == 16
        slope, places = normalised(slope) if alone else (slope, 0)
        below = rounded(min(value, 0) * slope, kind.frac_bits + places, 32, build)
        return saturated(max(value, 0) + saturated(below, x.bits), x.bits)
    scale, shift = requantised(x.format, layer.out, build)
    scale, shift = saturated(scale * 2 ** max(-shift, 0), 16), max(shift, 0)
    if value < 0:
        slope, lost = scaled_to_16(slope * kind.scale, build)
        scale, more = scaled_to_16(scale * slope, build)
        shift += kind.scale_frac_bits - lost - more
    return saturated(saturated(rounded(value * scale, shift, 32, build) + layer.out.zero_point, 32),
                     8)


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("element", [Element.FX_8, Element.FX_16, Element.SA_8])
def test_leaky_relus(element, build):
    rng = random_of(3)
    x   = tensor_of(rng, element, (3, 4, 5))
    out = format_of(rng, element) if x.is_affine else None
    for axis in (None, -1, 0, 1, 2):
        shape = [x.shape[k] if k == axis else 1 for k in range(3)] if axis is not None else (1,)
        slope = tensor_of(rng, element, shape, 12)
        layer = (LeakyRelu(slope, out, build) if axis is None
                 else Prelu(slope, out, build, axis=axis))

        output = run(layer, x).output

        slopes = np.broadcast_to(slope.centred, x.shape).reshape(-1).tolist()
        assert output.data.reshape(-1).tolist() == [
            naive_leaky(value, one, x, layer, build)
            for value, one in zip(x.centred.reshape(-1).tolist(), slopes, strict=True)]


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("element", [Element.FX_8, Element.FX_16])
def test_slopes_and_elements_at_both_ends(element, build):
    """Every power of two and every shift, so that products are halves of a step, too."""
    ends = np.iinfo(element.dtype)
    powers = [sign << place for place in range(element.bits - 1) for sign in (1, -1)]
    values = [ends.min, ends.min + 1, -ends.max // 2, -3, -2, -1, 0, 1, ends.max]
    x      = QuantTensor(np.array(values, element.dtype), element, Fixed(5))
    for frac_bits in (-128, -17, -1, *range(34), 40, 127):
        for value in (*powers, ends.min, ends.max):
            slope  = QuantTensor(np.array([value], element.dtype), element, Fixed(frac_bits))
            for layer in (LeakyRelu(slope, build=build), Prelu(slope, build=build, axis=-1)):
                assert run(layer, x).output.data.tolist() == [
                    naive_leaky(each, value, x, layer, build) for each in values]


@pytest.mark.parametrize(("value", "frac_bits"), [
    (-1, 16), (-2, 17), (-8, 19), (-64, 22), (-16384, 30), (-32768, 31)])
def test_a_normalised_slope_leaves_no_room_for_a_half(value, frac_bits):
    """Half of a step: the library's 0 where one slope is normalised first, 1 where it is not."""
    x     = QuantTensor(np.array([[-32768]], np.int16), Element.FX_16, Fixed(5))
    slope = QuantTensor(np.array([[value]], np.int16), Element.FX_16, Fixed(frac_bits))
    alone = replace(slope, data=slope.data[0])
    for build in (Build.UP_FULL, Build.UP_REDUCED, Build.CONVERGENT_FULL):
        half = 1 if build is not Build.CONVERGENT_FULL and value > -32768 else 0

        assert run(LeakyRelu(alone, build=build), x).output.data.item() == 0
        assert run(Prelu(slope, build=build), x).output.data.item() == 0
        assert run(Prelu(slope, build=build, axis=1), x).output.data.item() == half


@pytest.mark.parametrize("relu", Relu)
@pytest.mark.parametrize("element", [Element.FX_8, Element.FX_16, Element.SA_8])
def test_relu(element, relu):
    rng = random_of(4)
    for frac_bits in (-4, -2, -1, 0, 4, 27, 28, 29, 30, 40):
        x = tensor_of(rng, element, (20,), frac_bits)
        if x.is_affine:
            x = replace(x, format=replace(x.format, scale_frac_bits=frac_bits))
        high, low = limits(relu, x.format, x.bits)
        assert run(Rectify(relu), x).output.data.tolist() == [
            max(min(value, high), low) for value in x.data.tolist()]
