"""Conversions of MLI 2.0 as passes against the golden kernels."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import golden
from golden.mli2 import Affine, Build, ConvertTensor, Element, Fixed, QuantTensor
from hdl.config import BASE, TINY
from hdl.limits import PASSES_MAX
from host.lower.refuse import NoPassesError
from host.plan.plan import Plan
from tests.host.lower.activation.test_mli1 import SETTINGS
from tests.host.lower.activation.test_mli2 import every
from tests.support.lowered import (
    assert_equals_golden,
    assert_equals_golden_unless_refused,
    shapes,
    sizes,
)
from tests.support.seed import random_of
from tests.support.tensors import builds, elements, formats, quantised

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
    shape = draw(some_shapes)
    if draw(st.booleans()):
        x     = draw(quantised(shape, Element.SA_32, wide))
        large = x.data >> draw(st.integers(0, 31))
        return ConvertTensor(element, narrow, draw(builds)), QuantTensor(large, Element.SA_32,
                                                                         wide)
    return (ConvertTensor(Element.SA_32, wide, draw(builds)),
            draw(quantised(shape, element, narrow)))


@settings(max_examples=100, **SETTINGS)
@given(sizes, conversions())
def test_equals_golden(config, call):
    assert_equals_golden_unless_refused(config, *call)


@settings(max_examples=60, **SETTINGS)
@given(sizes, wide_conversions())
def test_32_bits_equal_golden(config, call):
    assert_equals_golden_unless_refused(replace(config, passes=PASSES_MAX), *call)


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("places", [*range(-2, 16, 3), 22, 23, 24, 30, 31, 45])
def test_scales_of_every_size(build, places):
    """To an output whose scale is smaller by ``places`` bits, or larger if negative."""
    out = Affine(-9, 29999, 14 + 6 - places)
    for x in (every(Element.SA_8, Affine(37, 30001, 14)), every(Element.FX_16, Fixed(0))):
        assert_equals_golden(BASE, ConvertTensor(Element.SA_8, out, build), x)


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("shift", [*range(19), 29, 30, 31, 32, 50])
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


@pytest.mark.parametrize(("x", "layer", "message"), [
    (Affine(0, 1, 0), ConvertTensor(Element.FP_32, None),
     "There are no passes to convert SA_8 to FP_32"),
    (Affine(0, 1, 0), ConvertTensor(Element.SA_8, Affine(32641, 1, 0)),
     "Zero point of the output must be between -32640 and 32640, not 32641"),
    (Affine(0, 20000, 9),
     ConvertTensor(Element.SA_8, Affine((1, 2), (3, 20000), (0, 9), 0), Build.CONVERGENT_FULL),
     "Zero points that differ must be even where halves are rounded to even, not 1"),
    (Affine(0, 1, 14), ConvertTensor(Element.SA_8, Affine((10000, 20000), (1, 2), (0, 0), 0)),
     "Zero points that differ must have 32 bits with the 28 bits that are dropped, not be 10000"),
    (Affine(0, 1, -20), ConvertTensor(Element.SA_32, Affine(0, 1, 0)),
     ("The scale of the input must be less than 32768 times that of the output, for a right shift "
      "of at least 0 bits, not -6")),
    (Affine(32700, 1, 0), ConvertTensor(Element.SA_32, Affine(0, 1, 0)),
     "Zero point of the input must be between -32640 and 32640, not 32700"),
    (Affine((0, 0), (1, 2), (0, 0), 0), ConvertTensor(Element.SA_32, Affine(0, 1, 0)),
     "Elements of 32 bits must have one scale to have passes, not 2")])
def test_refusals(x, layer, message):
    x = QuantTensor(np.zeros((2, 3), np.int8), Element.SA_8, x)
    with pytest.raises(NoPassesError, match=f"^{message}$"):
        Plan(TINY, [layer], x)


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


def test_refuses_halves_to_even_with_several_scales():
    x     = QuantTensor(np.zeros((3, 2), np.int32), Element.SA_32,
                        Affine((0, 0), (20481, 20479), (15, 15), 1))
    layer = ConvertTensor(Element.FX_16, Fixed(0), Build.CONVERGENT_FULL)
    with pytest.raises(NoPassesError, match=r"^Where halves are rounded to even, a multiplier of "
                                            r"elements of 32 bits must have 2 zeros at its end for "
                                            r"a right shift by 15, not be 20481$"):
        Plan(BASE, [layer], x)



@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("element", [Element.FX_8, Element.FX_16, Element.SA_8])
def test_shifts_beyond_a_product_leave_nothing(element, build):
    """Of 32 bits by a scale, up to the lowest binary point: once it came out of another field."""
    ends = np.array([-1 << 31, (1 << 31) - 1, -1572811698, 1572811698, 1, -1, 0], np.int32)
    x    = QuantTensor(ends, Element.SA_32, Affine(0, 1, 0))
    for point in range(-70, 1):
        out = Affine(0, 1, point) if element is Element.SA_8 else Fixed(point)
        assert_equals_golden_unless_refused(TINY, ConvertTensor(element, out, build=build), x)
