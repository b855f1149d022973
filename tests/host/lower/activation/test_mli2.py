# SPDX-License-Identifier: Apache-2.0
"""Activations of MLI 2.0 as passes against the golden kernels."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.lowered import (
    assert_equals_golden,
    shapes,
    sizes,
)
from tests.support.seed import examples, random_of
from tests.support.sizes import each_size
from tests.support.tensors import builds, elements, formats, quantised
from xymac.golden.mli2 import (
    Affine,
    Build,
    Conv2d,
    Element,
    Fixed,
    LeakyRelu,
    Prelu,
    QuantTensor,
    Rectify,
    Relu,
)
from xymac.hdl.config import BASE, TINY
from xymac.hdl.isa import Op
from xymac.host.device.device import MachineDevice
from xymac.host.errors import accept
from xymac.host.lower.registry import find_lowering
from xymac.host.memory.layout import TensorLayout
from xymac.host.plan.plan import Plan

from .test_mli1 import SETTINGS

some_shapes = shapes.filter(len)


@st.composite
def leaky(draw):
    """A layer with a slope, and its input."""
    element, shape = draw(elements), draw(some_shapes)
    x    = draw(quantised(shape, element, draw(formats(element))))
    out  = draw(formats(element)) if element is Element.SA_8 else None
    axis = draw(st.integers(-1, len(shape) - 1))
    if draw(st.booleans()):
        slope = draw(quantised((1,), element, draw(formats(element))))
        return LeakyRelu(slope, out, draw(builds)), x
    sides = tuple(size if other == axis else 1 for other, size in enumerate(shape))
    slope = draw(quantised(sides, element, draw(formats(element))))
    return Prelu(slope, out, draw(builds), axis), x


@settings(max_examples=examples(200), **SETTINGS)
@given(sizes, leaky())
def test_leaky_equals_golden(config, call):
    assert_equals_golden(config, *call)


@settings(max_examples=examples(60), **SETTINGS)
@given(sizes, elements.flatmap(lambda element: st.tuples(st.sampled_from(Relu), some_shapes.flatmap(
    lambda shape: formats(element).flatmap(lambda kind: quantised(shape, element, kind))))))
def test_rectify_equals_golden(config, call):
    relu, x = call
    if relu is not Relu.NONE and x.is_affine and abs(x.format.zero_point) > 127:
        x = replace(x, format=replace(x.format, zero_point=77))
    assert_equals_golden(config, Rectify(relu), x)


def every(element, kind):
    """Every element of 8 bits, and of 16 bits every thirteenth."""
    limits = np.iinfo(element.dtype)
    step   = 1 if element.bits == 8 else 13
    return QuantTensor(np.arange(limits.min, limits.max + 1, step).astype(element.dtype), element,
                       kind)


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("frac_bits", [-20, 0, 7, 14, 15, 16, 30, 31, 127])
@pytest.mark.parametrize("element", [Element.FX_8, Element.FX_16])
def test_slopes_of_every_format(build, frac_bits, element):
    limits = np.iinfo(element.dtype)
    for value in (limits.min, -1, 0, 1, 99, limits.max):
        slope = QuantTensor(np.array([value], element.dtype), element, Fixed(frac_bits))
        assert_equals_golden(BASE, LeakyRelu(slope, build=build), every(element, Fixed(3)))


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("places", [*range(-2, 16, 3), 22, 23, 24, 30, 31, 45])
def test_scales_of_every_size(build, places):
    """To an output whose scale is smaller by ``places`` bits, or larger if negative."""
    x, out = Affine(37, 30001, 14), Affine(-9, 29999, 14 + 6 - places)
    slope = QuantTensor(np.array([101], np.int8), Element.SA_8, Affine(3, 20000, 20))
    assert_equals_golden(BASE, LeakyRelu(slope, out, build), every(Element.SA_8, x))


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("zero", [32767, 32641, -32641, -32768])
def test_far_zero_points(zero, build):
    """What leaves 16 bits may come back to 8 by the zero point of the output."""
    for kind, out in ((Affine(0, 30001, 6), Affine(zero, 29999, 14)),
                      (Affine(zero, 30001, 14), Affine(zero // 2, 30003, 14))):
        for value in (-128, 100):
            slope = QuantTensor(np.array([value], np.int8), Element.SA_8, Affine(3, 20000, 20))
            assert_equals_golden(BASE, LeakyRelu(slope, out, build), every(Element.SA_8, kind))


@each_size
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_slopes_along_any_dimension_of_what_a_convolution_made(config, axis):
    """Its output lies pixel by pixel; slopes are above and below 1 and 0."""
    rng    = random_of(4)
    x      = QuantTensor(rng.integers(-99, 99, (4, 5, 3), np.int16), Element.FX_16, Fixed(5))
    first  = Conv2d(QuantTensor(rng.integers(-99, 99, (1, 1, 3, 37), np.int16), Element.FX_16,
                                Fixed(5)),
                    QuantTensor(np.zeros(37, np.int16), Element.FX_16, Fixed(5)), Fixed(5),
                    stride=(1, 1))
    sides  = [1, 1, 1]
    sides[axis] = (4, 5, 37)[axis]
    slopes = QuantTensor(rng.integers(-9000, 9000, sides, np.int16), Element.FX_16, Fixed(12))
    between = assert_equals_golden(config, first, x).output
    expected = assert_equals_golden(config, Prelu(slopes, axis=axis), between).output

    with MachineDevice(config) as device:
        plan = Plan(config, [first, Prelu(slopes, axis=axis)], x)
        plan.load(device)
        assert plan.run(device, x).output == expected


@pytest.mark.parametrize(("slopes", "ops"), [
    ((9, -9), [Op.MAX]), ((90, 70), [Op.MIN]), ((90, 9), [Op.MAX])])
def test_passes_of_a_slope_for_every_channel(slopes, ops):
    x     = every(Element.FX_8, Fixed(3))
    x     = replace(x, data=x.data.reshape(128, 2))
    slope = QuantTensor(np.array([slopes], np.int8), Element.FX_8, Fixed(6))

    passes = assert_equals_golden(TINY, Prelu(slope, axis=1), x).plan.program

    assert [pass_.accumulate.op for pass_ in passes[1:]] == ops


def test_refuses_slopes_across_the_runs_of_an_input():
    x     = every(Element.FX_8, Fixed(3))
    x     = replace(x, data=x.data.reshape(64, 4))
    layer = Prelu(QuantTensor(np.ones((1, 4), np.int8), Element.FX_8, Fixed(3)), axis=1)
    with pytest.raises(ValueError, match=r"^Parameters differ along dimension 1, which "
                                         r"does not lie apart from others in an input of shape "
                                         r"\(64, 4\) in "):
        accept(find_lowering(layer, (x,), 4).find_target((TensorLayout.flat(x, 4),)))
