# SPDX-License-Identifier: Apache-2.0
"""Elementwise operations of MLI 2.0 as passes against the golden kernels."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.host.lower.activation.test_mli1 import SETTINGS
from tests.support.lowered import (
    assert_equals_golden,
    shapes,
    sizes,
)
from tests.support.seed import examples, random_of
from tests.support.sizes import each_size, rarely
from tests.support.tensors import builds, elements, formats, quantised
from xymac.golden.kinds import EltwiseOp
from xymac.golden.mli2 import Affine, Build, Element, Eltwise, Fixed, QuantTensor
from xymac.hdl.config import BASE, SMALL, TINY
from xymac.hdl.isa import Memory
from xymac.host.plan.plan import Plan

SUMS = EltwiseOp.ADD, EltwiseOp.SUB


@st.composite
def eltwises(draw):
    """A layer and both inputs, either of which may be a single element."""
    op, element = draw(st.sampled_from(EltwiseOp)), draw(elements)
    shape = draw(shapes.filter(lambda shape: len(shape) < 4))
    kinds = [draw(formats(element)) for _ in range(2)]
    if op in (EltwiseOp.MAX, EltwiseOp.MIN) or draw(st.booleans()):
        kinds[1] = kinds[0]
    other = draw(st.sampled_from([shape, shape, (1,), (1, 1), ()]))
    a, b  = (draw(quantised(sides, element, kind))
             for sides, kind in zip((shape, other), kinds, strict=True))
    if draw(st.booleans()):
        a, b = b, a
    return Eltwise(op, draw(st.one_of(st.just(kinds[0]), formats(element))), draw(builds)), a, b


@settings(max_examples=examples(200), **SETTINGS)
@given(sizes, eltwises())
def test_equals_golden(config, call):
    assert_equals_golden(config, *call)


#: What is combined with all elements of 8 bits: an odd distance, and both ends.
SOME = np.array([*range(-127, 127, 9), -128, 0, 127])


def pairs(kinds, some=SOME):
    """SA_8 tensors that hold every element together with every one of ``some``."""
    grid = np.meshgrid(np.arange(-128, 128), some, indexing="ij")
    return tuple(QuantTensor(data.astype(np.int8), Element.SA_8, kind)
                 for data, kind in zip(grid, kinds, strict=True))


#: Formats of both inputs and of the output, and the passes of their sum and of their difference.
SCALES = {
    "equal":      (Affine(5, 20000, 14), Affine(-7, 20000, 14), Affine(3, 20000, 14), 1, 1),
    "doubled":    (Affine(5, 20000, 14), Affine(-7, 20000, 15), Affine(3, 20000, 15), 1, 1),
    "one whole":  (Affine(-128, 20000, 14), Affine(-7, 23457, 15), Affine(3, 20000, 14), 1, 1),
    "large":      (Affine(-128, 20000, 14), Affine(-7, 23457, 17), Affine(3, 20000, 14), 1, 1),
    "neither":    (Affine(5, 20003, 14), Affine(-7, 23457, 15), Affine(3, 24001, 14), 1, 1),
    "uneven":     (Affine(5, 20003, 13), Affine(-7, 23457, 18), Affine(3, 24001, 14), 2, 2),
    "both large": (Affine(5, 20003, 13), Affine(-7, 23457, 13), Affine(3, 24001, 15), 1, 1),
    "halves":     (Affine(5, 24000, 15), Affine(-7, 24000, 15), Affine(3, 16000, 14), 1, 1),
    "halves, up": (Affine(5, 24000, 14), Affine(-7, 24000, 15), Affine(3, 24000, 14), 1, 1),
    "tiny":       (Affine(5, 1, 30), Affine(-7, 23457, 15), Affine(3, 30000, 14), 1, 1),
    "far":        (Affine(20000, 20003, 14), Affine(-20000, 20003, 14), Affine(3, 23001, 14), 1, 1),
    "one wide":   (Affine(5, 20003, 4), Affine(-7, 23457, 15), Affine(3, 24001, 14), 3, 3),
}


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("name", SCALES)
def test_every_sum_of_two_elements(name, build):
    *kinds, out, _, _ = SCALES[name]
    for op in SUMS:
        assert_equals_golden(BASE, Eltwise(op, out, build), *pairs(kinds))
        b, a = pairs(kinds[::-1])
        assert_equals_golden(BASE, Eltwise(op, out, build), a, b)


@pytest.mark.parametrize("name", SCALES)
def test_passes_of_a_sum(name):
    *kinds, out, added, subtracted = SCALES[name]
    a, b = pairs(kinds, np.arange(4))
    for op, count in zip(SUMS, (added, subtracted), strict=True):
        assert len(Plan(SMALL, [Eltwise(op, out, Build.UP_FULL)], a, b).program) == count


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("op", [EltwiseOp.MUL, EltwiseOp.MIN, EltwiseOp.MAX])
@pytest.mark.parametrize("zero", [0, 9])
def test_every_product_and_extreme_of_two_elements(op, build, zero):
    kind = Affine(zero, 20003, 12)
    a, b = pairs((kind, kind if op is not EltwiseOp.MUL else Affine(-99, 30001, 17)))
    for places in (-9, 9, 14, 24):
        assert_equals_golden(BASE, Eltwise(op, Affine(-7, 28001, places), build), a, b)


@pytest.mark.parametrize("op", EltwiseOp)
@pytest.mark.parametrize("scale", [1, 2, 3, 32767])
def test_scales_at_both_ends(scale, op):
    kind = Affine(-128, scale, 8)
    a, b = pairs((kind, kind if op in (EltwiseOp.MIN, EltwiseOp.MAX) else Affine(7, 3, 9)),
                 np.array([-128, -3, 127]))
    for out_scale, places in ((1, 8), (20000, 22), (32767, 9), (3, 40), (2, -30)):
        assert_equals_golden(BASE, Eltwise(op, Affine(-128, out_scale, places),
                                           Build.UP_REDUCED), a, b)


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("element", [Element.FX_8, Element.FX_16])
@pytest.mark.parametrize("op", EltwiseOp)
def test_fractional_bits(element, op, build):
    """Both ends of the container, and sums that saturate at 32 bits before they are rounded."""
    limits = np.iinfo(element.dtype)
    edges  = np.array([limits.min, limits.min + 1, -3, -1, 0, 1, 3, limits.max], element.dtype)
    for a_frac, b_frac, out_frac in ((3, 3, 3), (0, 15, 0), (16, 0, 0), (16, 0, -15), (0, 9, 9),
                                     (7, 7, -24), (-128, -128, 127), (127, 127, -128)):
        if op in (EltwiseOp.MAX, EltwiseOp.MIN):
            b_frac = a_frac
        a = QuantTensor(np.repeat(edges, 8), element, Fixed(a_frac))
        b = QuantTensor(np.tile(edges, 8), element, Fixed(b_frac))
        assert_equals_golden(SMALL, Eltwise(op, Fixed(out_frac), build), a, b)


@pytest.mark.parametrize("build", [*rarely(Build.UP_FULL), Build.CONVERGENT_FULL])
@pytest.mark.parametrize("element", [*rarely(Element.FX_8), Element.FX_16])
@pytest.mark.parametrize("op", SUMS)
def test_sums_of_binary_points_far_apart(element, op, build):
    """All elements that do not saturate 32 bits, and the first that do."""
    limits = np.iinfo(element.dtype)
    others = np.array([limits.min, limits.min + 1, -1, 0, 1, limits.max], element.dtype)
    for distance in (16, 17, 18, 24, 30, 31, 32, 90):
        power = 1 << max(31 - distance, 0)
        ends  = {limits.min, limits.max, *(sign * (power + near) for sign in (-1, 1)
                                           for near in (-2, -1, 0, 1)), -1, 0, 1}
        some  = np.array([end for end in ends if limits.min <= end <= limits.max], element.dtype)
        for shift in (-9, 0, 8, 15, 16, 17, 30, 31, 40):
            far  = QuantTensor(np.repeat(some, 6), element, Fixed(3))
            near = QuantTensor(np.tile(others, len(some)), element, Fixed(3 + distance))
            for pair in ((far, near), (near, far)):
                assert_equals_golden(SMALL, Eltwise(op, Fixed(3 + distance - shift), build), *pair)


@pytest.mark.parametrize("distance", [17, 31])
def test_a_single_element_far_away(distance):
    limits = np.iinfo(np.int16)
    edges  = np.array([limits.min, -9, -1, 0, 1, 3, limits.max], np.int16)
    for kinds in ((Fixed(3), Fixed(3 + distance)), (Fixed(3 + distance), Fixed(3))):
        for one in edges:
            a, b = (QuantTensor(data, Element.FX_16, kind)
                    for data, kind in zip((edges, np.array([one])), kinds, strict=True))
            for pair in ((a, b), (b, a)):
                assert_equals_golden(TINY, Eltwise(EltwiseOp.SUB, Fixed(3 + distance - 18)), *pair)


@each_size
@pytest.mark.parametrize("op", EltwiseOp)
def test_thousands_of_elements(config, op):
    rng  = random_of(4)
    kind = Affine(9, 20003, 14)
    a, b = (QuantTensor(rng.integers(-128, 128, (5, 403), np.int16).astype(np.int8), Element.SA_8,
                        kind) for _ in range(2))
    one  = replace(b, data=np.array([-99], np.int8))
    layer = Eltwise(op, Affine(-3, 28001, 14))
    for pair in ((a, b), (a, one), (one, a)):
        assert_equals_golden(config, layer, *pair)


@pytest.mark.parametrize(("zeros", "memories", "count"), [
    ((0, 0), (Memory.X, Memory.Y), 1), ((5, 0), (Memory.X, Memory.Y), 1),
    ((0, 5), (Memory.Y, Memory.X), 1), ((5, 5), (Memory.X, Memory.X), 2)])
def test_a_factor_without_a_zero_point_is_uploaded_to_y(zeros, memories, count):
    a, b = pairs([Affine(zero, 20003, 14) for zero in zeros], np.arange(4))

    plan = assert_equals_golden(SMALL, Eltwise(EltwiseOp.MUL, Affine(1, 20003, 14)), a, b).plan

    assert tuple(image.memory for image in plan.sources) == memories
    assert len(plan.program) == count


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("op", EltwiseOp)
@pytest.mark.parametrize("zeros", [(32767, -32768), *rarely((-32700, 32641), (0, 32699)),
                                   (-32768, 9)])
def test_far_zero_points(zeros, op, build):
    """Of either input and of the output; also of a single element."""
    kinds = [Affine(zero, scale, 14) for zero, scale in zip(zeros, (3, 20003), strict=True)]
    if op in (EltwiseOp.MIN, EltwiseOp.MAX):
        kinds[1] = kinds[0]
    a, b = pairs(kinds, np.array([-128, 0, 127]))
    for out in (Affine(5, 1, 0), Affine(zeros[0], 9, 12), Affine(-zeros[1] // 2, 30001, 25)):
        layer = Eltwise(op, out, build)
        assert_equals_golden(BASE, layer, a, b)
        assert_equals_golden(TINY, layer, replace(a, data=a.data[:3, :1].copy()),
                             replace(b, data=b.data[:1, 1].copy()))


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("op", SUMS)
@pytest.mark.parametrize("places", [(4, 5), *rarely((4, 4), (-9, 4), (-12, -12)), (3, -30)])
def test_sums_of_operands_that_are_both_wide(places, op, build):
    """What they have in common leaves 8 bits, of 17 or of 32 that saturate."""
    kinds = Affine(5, 20003, places[0]), Affine(-700, 20001, places[1])
    for out in (Affine(3, 20000, 14), Affine(-32768, 1, 3)):
        assert_equals_golden(BASE, Eltwise(op, out, build), *pairs(kinds))


def test_what_saturates_is_beyond_the_output_also_with_the_farthest_zero_point():
    """A difference of -32767 for one that is lower, where an output of -127 begins."""
    a, b = pairs((Affine(102, 3, 10), Affine(-32768, 9220, -13)), np.array([-128, 0, 127]))
    assert_equals_golden(BASE, Eltwise(EltwiseOp.SUB, Affine(32640, 3, -9), Build.UP_FULL), a, b)
