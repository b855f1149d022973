# SPDX-License-Identifier: Apache-2.0
"""Dilated convolutions of images smaller than the dilation: windows may have no tap there."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.host.lower.activation.test_mli1 import SETTINGS
from tests.support.lowered import assert_equals_golden
from tests.support.seed import examples, random_of
from tests.support.sizes import each_size
from xymac import golden
from xymac.golden import mli2
from xymac.golden.mli2 import Affine, Build, Element, Fixed, QuantTensor
from xymac.hdl.config import SIZES

KINDS = [mli2.Conv2d, mli2.DepthwiseConv2d, mli2.GroupConv2d]
#: Elements and formats of weights, biases, inputs and outputs.
TYPES = {
    "sa8": (Element.SA_8, Affine(7, 20000, 18), Element.SA_32, Affine(0, 1, 0),
            Element.SA_8, Affine(37, 1 << 14, 14), Affine(-9, 1 << 14, 9)),
    "fx16": (Element.FX_16, Fixed(14), Element.FX_16, Fixed(11), Element.FX_16, Fixed(12),
             Fixed(10)),
    "fx16_fx8_fx8": (Element.FX_8, Fixed(6), Element.FX_8, Fixed(5), Element.FX_16, Fixed(12),
                     Fixed(10))}


def tensor(rng, shape, element, kind):
    top = 1 << min(element.bits, 16) - 1
    return QuantTensor(rng.integers(-top, top, shape, f"int{element.bits}"), element, kind)


def layer_of(kind, types, rng, kernel, channels, **options):
    """A layer whose groups have two channels each, and its bias filled."""
    held, count = {mli2.Conv2d: (channels, 5), mli2.DepthwiseConv2d: (1, channels),
                   mli2.GroupConv2d: (2, channels // 2 * 3)}[kind]
    weights, in_weights, bias, in_bias, *_, out = TYPES[types]
    return kind(tensor(rng, (*kernel, held, count), weights, in_weights),
                tensor(rng, (count,), bias, in_bias), out, **options)


def input_of(types, rng, shape):
    return tensor(rng, shape, *TYPES[types][4:6])


def pairs(least, most):
    return st.tuples(st.integers(least, most), st.integers(least, most))


@settings(max_examples=examples(80), **SETTINGS)
@given(st.sampled_from([*SIZES.values()]), st.sampled_from(KINDS), st.sampled_from([*TYPES]),
       st.sampled_from(Build), pairs(1, 5), pairs(1, 3), pairs(1, 8), pairs(1, 3),
       st.tuples(pairs(0, 16), pairs(0, 16)), st.integers(0, 999))
def test_small_images_equal_golden(config, kind, types, build, size, kernel, dilation, stride, pad,
                                   seed):
    rng   = random_of(seed)
    spans = [(count - 1) * step + 1 for count, step in zip(kernel, dilation, strict=True)]
    pad   = tuple(side % span for sides, span in zip(pad, spans, strict=True) for side in sides)
    layer = layer_of(kind, types, rng, kernel, 4, dilation=dilation, stride=stride, build=build,
                     pad=pad)
    assume(all(have + sum(pad[2 * axis:][:2]) >= span
               for axis, (have, span) in enumerate(zip(size, spans, strict=True))))
    assert_equals_golden(config, layer, input_of(types, rng, (*size, 4)))


@each_size
@pytest.mark.parametrize("types", TYPES)
@pytest.mark.parametrize("kind", KINDS)
def test_sums_without_a_tap_are_the_bias(config, kind, types):
    """Taps are 4 apart, and rows 0 and 1 the image: those at -2 and 2, and at -1 and 3, are not."""
    rng      = random_of(3)
    layer    = layer_of(kind, types, rng, (2, 3), 4, dilation=(4, 4), pad=(4, 4, 4, 4))
    x, other = (input_of(types, rng, (2, 3, 4)) for _ in range(2))

    output  = assert_equals_golden(config, layer, x).output.data
    changed = (output != golden.run(layer, other).output.data).any((1, 2))

    assert changed.tolist() == [True, True, False, False, True, True]
