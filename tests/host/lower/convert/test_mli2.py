# SPDX-License-Identifier: Apache-2.0
"""Conversions of MLI 2.0 as passes against the golden kernels."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.host.lower.activation.test_mli1 import SETTINGS
from tests.host.lower.activation.test_mli2 import every
from tests.support.lowered import (
    assert_equals_golden,
    shapes,
    sizes,
)
from tests.support.seed import examples, random_of
from tests.support.sizes import rarely
from tests.support.tensors import builds, elements, formats, quantised
from xymac import golden
from xymac.golden.mli2 import Affine, Build, ConvertTensor, Element, Fixed, QuantTensor
from xymac.hdl.config import BASE, TINY
from xymac.hdl.limits import PASSES_MAX
from xymac.host.errors import Refusal
from xymac.host.plan.plan import Plan

some_shapes = shapes.filter(len)
UP = [Build.UP_FULL, Build.UP_REDUCED]


@st.composite
def conversions(draw):
    """A ConvertTensor and its input, often with scales along a dimension."""
    shape, dim = draw(some_shapes), draw(st.integers(-1, 3))
    kinds = []
    for element in (draw(elements), draw(elements)):
        kind = draw(formats(element))
        if element is Element.SA_8 and 0 <= dim < len(shape) and draw(st.booleans()):
            parts = [draw(formats(element)) for _ in range(shape[dim])]
            same  = draw(st.booleans())
            kind  = Affine(*(tuple(getattr(kind if same and name == "zero_point" else part, name)
                                   for part in parts)
                             for name in ("zero_point", "scale", "scale_frac_bits")), dim)
        kinds.append((element, kind))
    (element, kind), (out_element, out) = kinds
    return ConvertTensor(out_element, out, draw(builds)), draw(quantised(shape, element, kind))


@st.composite
def wide_conversions(draw):
    """A ConvertTensor from or to 32 bits, and its input."""
    element = draw(elements)
    narrow, wide = draw(formats(element)), draw(formats(Element.SA_32))
    shape = draw(some_shapes.filter(lambda shape: len(shape) < 4))
    if draw(st.booleans()):
        x     = draw(quantised(shape, Element.SA_32, wide))
        large = x.data >> draw(st.integers(0, 31))
        return ConvertTensor(element, narrow, draw(builds)), QuantTensor(large, Element.SA_32,
                                                                         wide)
    return (ConvertTensor(Element.SA_32, wide, draw(builds)),
            draw(quantised(shape, element, narrow)))


@settings(max_examples=examples(100), **SETTINGS)
@given(sizes, conversions())
def test_equals_golden(config, call):
    assert_equals_golden(config, *call)


@settings(max_examples=examples(60), **SETTINGS)
@given(sizes, wide_conversions())
def test_32_bits_equal_golden(config, call):
    assert_equals_golden(replace(config, passes=PASSES_MAX), *call)


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("places", [*range(-2, 16, 3), 22, 23, 24, 30, 31, 45])
def test_scales_of_every_size(build, places):
    """To an output whose scale is smaller by ``places`` bits, or larger if negative."""
    out = Affine(-9, 29999, 14 + 6 - places)
    for x in (every(Element.SA_8, Affine(37, 30001, 14)), every(Element.FX_16, Fixed(0))):
        assert_equals_golden(BASE, ConvertTensor(Element.SA_8, out, build), x)


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("shift", [0, 1, 2, 14, 15, 16, 17, 18, 31, 32, 50,
                                   *rarely(*range(3, 14), 29, 30)])
def test_every_right_shift_to_32_bits(build, shift):
    """Multipliers of one bit, whose halves are exact, and of 15 bits."""
    for scale, frac_bits in ((1, shift), (32767, shift), (24576, shift)):
        for x in (every(Element.FX_16, Fixed(frac_bits)),
                  every(Element.SA_8, Affine(-77, 1, frac_bits))):
            out = Affine(-1234, scale, 14 if scale > 1 else 0)
            assert_equals_golden(BASE, ConvertTensor(Element.SA_32, out, build), x)


@pytest.mark.parametrize("build", UP)
@pytest.mark.parametrize("shift", [-5, 0, 1, 9, 16, 24, 31, 40, 47, 60, 80])
def test_every_right_shift_from_32_bits(build, shift):
    rng  = random_of(3)
    data = np.concatenate([sign * (1 << np.arange(31)) + near for sign in (-1, 1)
                           for near in (-1, 0, 1)] + [[-1 << 31, (1 << 31) - 1]])
    data = np.concatenate([data, rng.integers(-1 << 31, 1 << 31, 999)]).astype(np.int32)
    for zero, scale in ((0, 16384), (9000, 32767)):
        x = QuantTensor(data, Element.SA_32, Affine(zero, scale, shift))
        assert_equals_golden(BASE, ConvertTensor(Element.FX_16, Fixed(0), build), x)
        assert_equals_golden(BASE, ConvertTensor(Element.SA_8, Affine(5, 1, 0), build), x)


def test_refuses_floating_point():
    x = QuantTensor(np.zeros((2, 3), np.int8), Element.SA_8, Affine(0, 1, 0))
    with pytest.raises(Refusal, match=r"^There are no passes to convert SA_8 to FP_32$"):
        Plan(TINY, [ConvertTensor(Element.FP_32, None)], x)


@pytest.mark.parametrize(("element", "scale", "shift"), [
    (Element.FX_8, 32767, 21), (Element.FX_8, 28673, 20), (Element.FX_16, 32767, 13),
    (Element.FX_8, 24576, 34), (Element.FX_16, 20480, 25)])
def test_what_looks_like_a_half_from_32_bits(element, scale, shift):
    """Elements around every half, of as many bits as passes take; multipliers of that scale."""
    halves = np.arange(-(1 << element.bits - 1) - 4, (1 << element.bits - 1) + 5) + 0.5
    center = np.floor(halves * 2.0**shift / scale).astype(np.int64)
    data   = (center[:, None] + np.arange(-3, 5)).reshape(-1)
    data   = data[np.abs(data) < 1 << 31][::max(1, len(data) // 4000) | 1]
    x      = QuantTensor(data.astype(np.int32), Element.SA_32, Affine(0, scale, shift))
    for build in Build:
        assert_equals_golden(BASE, ConvertTensor(element, Fixed(0), build), x)


def just_above_halves(scale, shift, reach):
    """Elements whose products are up to 500 above an odd multiple of ``2**shift / 2``, and some."""
    most  = (reach << shift) // scale
    x     = np.arange(-most, most)
    above = (x * scale - (1 << shift - 1)) % (1 << shift)
    return np.concatenate([x[above <= 500][-4000:], x[::len(x) // 2000]])


@pytest.mark.parametrize(("element", "out", "scale", "shift"), [
    (Element.FX_16, Fixed(0), 20481, 17), (Element.FX_16, Fixed(0), 29343, 20),
    (Element.FX_8, Fixed(0), 23879, 30), (Element.SA_8, Affine(-100, 1, 0), 28675, 29)])
def test_drops_bits_before_it_rounds_halves_to_even(element, out, scale, shift):
    """Products that the library takes for halves, of every size that loses bits."""
    limit = 1 << element.bits - 1
    zero  = getattr(out, "zero_point", 0)
    x     = just_above_halves(scale, shift, limit - zero)
    exact = np.clip(np.rint(x * scale / 2.0**shift) + zero, -limit, limit - 1)
    x     = QuantTensor(x.astype(np.int32), Element.SA_32, Affine(0, scale, shift))
    layer = ConvertTensor(element, out, Build.CONVERGENT_FULL)
    assert np.any(golden.run(layer, x).output.data != exact)

    assert_equals_golden(BASE, layer, x)


def words(scale, shift, zero, rng):
    """Elements of 32 bits of every size, many of whose products are near a half."""
    data = rng.integers(-1 << 31, 1 << 31, 9000) >> rng.integers(0, 17, 9000)
    if 0 < shift < 60:
        rest = (data * scale - (1 << shift - 1)) % (1 << shift)
        data = data[np.argsort(np.minimum(rest, (1 << shift) - rest))]
    ends = [sign * (1 << np.arange(31)) + near for sign in (-1, 1) for near in (-2, -1, 0, 1)]
    data = np.concatenate([data[:300], *ends, [-1 << 31, (1 << 31) - 1]])
    return np.clip(data + zero, -1 << 31, (1 << 31) - 1).astype(np.int32)


@pytest.mark.parametrize("build", [Build.UP_FULL, Build.CONVERGENT_FULL])
@pytest.mark.parametrize("shift", [-1, 0, 15, 16, *(
    pytest.param(shift, marks=pytest.mark.long)
    for shift in (-17, -16, -2, 1, 2, 7, 14, 17, 18, 23, 30, 31, 32, 45, 48, 70))])
def test_every_shift_between_elements_of_32_bits(build, shift):
    """Products that the library drops bits of, shows them or not, and saturates at both ends."""
    rng = random_of(5)
    for scale, zero, out_zero in ((20481, 0, 0), (32767, -32768, 32767), (16384, 9, -32768)):
        places = 15 if scale == 16384 else 14
        x   = QuantTensor(words(scale, shift, zero, rng), Element.SA_32,
                          Affine(zero, scale, shift + places))
        out = Affine(out_zero, 1, places)
        assert_equals_golden(BASE, ConvertTensor(Element.SA_32, out, build), x)


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("shift", [*rarely(-20, 0), -1, 16])
@pytest.mark.parametrize("zero", [32767, -32768])
def test_far_zero_points_and_larger_scales_to_32_bits(build, shift, zero):
    out = Affine(-zero // 3, 1, 0)
    for scale in (32767, 16385):
        x = every(Element.SA_8, Affine(zero, scale, shift))
        assert_equals_golden(BASE, ConvertTensor(Element.SA_32, out, build), x)
    x = every(Element.FX_16, Fixed(shift))
    x = replace(x, data=x.data[::3].copy())
    assert_equals_golden(BASE, ConvertTensor(Element.SA_32, out, build), x)


@pytest.mark.parametrize("build", [Build.UP_FULL, Build.CONVERGENT_FULL])
@pytest.mark.parametrize("far", [0, 32639, 32640, 32641, 32767, -32640, -32767, -32768])
def test_odd_zero_points_along_a_dimension(build, far):
    """Halves, which zero points added before them would send the other way."""
    rng = random_of(6)
    out = Affine((3, far, far, -7), (2, 1, 1, 3), (0, 0, 0, 1), 1)
    x   = QuantTensor(rng.integers(-128, 128, (9, 4, 40)).astype(np.int8), Element.SA_8,
                      Affine((1, min(-far, 32767), far, 0), (1, 25000, 25000, 3), (0, 12, 12, 2),
                             1))
    y   = QuantTensor(rng.integers(-1 << 15, 1 << 15, (9, 4, 40)).astype(np.int16), Element.FX_16,
                      Fixed(1))
    assert_equals_golden(TINY, ConvertTensor(Element.SA_8, out, build), x)
    assert_equals_golden(TINY, ConvertTensor(Element.SA_8, out, build), y)


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("dim", range(3))
def test_scales_along_every_dimension_of_32_bits(build, dim):
    rng    = random_of(dim)
    shape  = (3, 2, 5)
    scales = Affine(*(tuple(rng.integers(low, high, shape[dim]).tolist()) for low, high in (
        (-99, 99), (1, 32768), (8, 30))), dim)
    data   = words(20481, 12, 0, rng)
    x      = QuantTensor(rng.choice(data, shape), Element.SA_32, scales)
    small  = QuantTensor(rng.integers(-128, 128, shape).astype(np.int8), Element.SA_8, scales)
    for element, out in ((Element.FX_16, Fixed(0)), (Element.SA_8, Affine(5, 1, 0)),
                         (Element.SA_8, scales), (Element.SA_32, Affine(5, 3, 9)),
                         (Element.SA_32, scales)):
        for given_x in (x, small):
            assert_equals_golden(BASE, ConvertTensor(element, out, build), given_x)


def test_half_to_even_of_32_bits_with_several_scales():
    data = np.stack([just_above_halves(scale, 17, 1 << 15)[:1500] for scale in (20481, 29343)])
    x    = QuantTensor(data.astype(np.int32), Element.SA_32,
                       Affine((0, 0), (20481, 29343), (17, 17), 0))
    assert_equals_golden(BASE, ConvertTensor(Element.FX_16, Fixed(0), Build.CONVERGENT_FULL), x)


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("element", [*rarely(Element.FX_8), Element.FX_16, Element.SA_8])
def test_shifts_beyond_a_product_leave_nothing(element, build):
    """Of 32 bits by a scale, up to the lowest binary point: once it came out of another field."""
    ends = np.array([-1 << 31, (1 << 31) - 1, -1572811698, 1572811698, 1, -1, 0], np.int32)
    x    = QuantTensor(ends, Element.SA_32, Affine(0, 1, 0))
    for point in range(-70, 1):
        out = Affine(0, 1, point) if element is Element.SA_8 else Fixed(point)
        assert_equals_golden(TINY, ConvertTensor(element, out, build=build), x)
