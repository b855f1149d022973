# SPDX-License-Identifier: Apache-2.0
"""Conversions of MLI 2.0 tensors against single Python ints, as the formulas say."""

import numpy as np
import pytest

from tests.support.naive.mli2 import norm, rescaled, rounded, saturated
from tests.support.seed import random_of
from tests.support.tensors import format_of, tensor_of
from xymac.golden import run
from xymac.golden.mli2 import Affine, Build, ConvertTensor, Element, Fixed, QuantTensor

ELEMENTS = (Element.FX_8, Element.FX_16, Element.SA_8, Element.SA_32)


def naive_convert(value, kind, out, wide, bits, build):
    zero, scale, frac = ((kind.zero_point, kind.scale, kind.scale_frac_bits)
                         if isinstance(kind, Affine) else (0, 1, kind.frac_bits))
    out_zero, out_scale, out_frac = ((out.zero_point, out.scale, out.scale_frac_bits)
                                     if isinstance(out, Affine) else (0, 1, out.frac_bits))
    k, p = rescaled(scale, out_scale, norm(scale, 32) - norm(out_scale, 16), build)
    p   += frac - out_frac
    if not wide:
        scaled = rounded(saturated(value - zero, 16) * k, min(p, 31), 32, build)
    else:
        value  = saturated(value - zero, 32)
        places = norm(value, 32), norm(k, 32)
        high   = value * 2 ** places[0] * k * 2 ** places[1] >> 32
        scaled = rounded(high, p + sum(places) - 32, 32, build)
    return saturated(saturated(scaled + out_zero, 32), bits)


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("target", ELEMENTS)
@pytest.mark.parametrize("source", ELEMENTS)
def test_convert(source, target, build):
    rng = random_of(6)
    x, out = tensor_of(rng, source, (40,)), format_of(rng, target)

    output = run(ConvertTensor(target, out, build), x).output

    wide = Element.SA_32 in (source, target)
    assert output.data.tolist() == [naive_convert(v, x.format, out, wide, target.bits, build)
                                    for v in x.data.tolist()]
    assert (output.element, output.format) == (target, out)


def test_convert_along_a_dimension():
    data = np.array([[-128, 5], [9, 127], [3, -3]], np.int8)
    x    = QuantTensor(data, Element.SA_8, Affine((3, -7), (1000, 32767), (9, 15), 1))
    out  = Fixed(4)

    output = run(ConvertTensor(Element.FX_16, out, Build.UP_FULL), x).output

    for column in (0, 1):
        kind = Affine(x.format.zero_point[column], x.format.scale[column],
                      x.format.scale_frac_bits[column])
        assert output.data[:, column].tolist() == [
            naive_convert(v, kind, out, False, 16, Build.UP_FULL) for v in data[:, column].tolist()]


def test_convert_from_and_to_floating_point():
    floats = QuantTensor(np.array([0.5, -0.5, 0.49, 1e9, -1e9, 31.75], np.float32), Element.FP_32)

    fixed  = run(ConvertTensor(Element.FX_8, Fixed(0)), floats).output
    affine = run(ConvertTensor(Element.SA_8, Affine(-10, 1, 2)), floats).output
    back   = run(ConvertTensor(Element.FP_32, None), affine).output

    assert fixed.data.tolist() == [1, -1, 0, 127, -128, 32]
    assert affine.data.tolist() == [-8, -12, -8, 127, -128, 117]
    assert back.data.tolist() == [0.5, -0.5, 0.5, 34.25, -29.5, 31.75]
