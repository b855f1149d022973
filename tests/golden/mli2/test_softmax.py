# SPDX-License-Identifier: Apache-2.0
"""Kernels of MLI 2.0 that divide by a sum, against single Python ints, as the formulas say."""

from math import sqrt

import numpy as np
import pytest

from tests.support.naive.lut import argument, entry, naive_table
from tests.support.naive.mli2 import norm, rounded, saturated
from tests.support.seed import random_of
from tests.support.tensors import tensor_of
from xymac.golden import run
from xymac.golden.mli2 import Affine, Build, Element, L2Normalize, QuantTensor, Softmax


def naive_softmax(values, x, build):
    """Outputs of one slice, zero points taken off."""
    top = max(values)
    if x.is_affine:
        powers = [naive_table("exp", *argument("exp", v - top, x.format, build), build)
                  for v in values]
    else:
        powers = [naive_table("exp", v - top, x.format.frac_bits, build) for v in values]
    places   = norm(sum(powers), 32)
    mantissa = saturated(rounded(sum(powers), 16 - places, 32, build), 16)
    inverse  = min(2 ** 29 // mantissa, 32767)
    shift    = min(45 - places - (8 if x.is_affine else 15), 31)
    return [saturated(rounded(v * inverse, shift, 32, build) - 128 * x.is_affine, x.bits)
            for v in powers]


def naive_l2(values, x, build):
    squares = sum(v * v for v in values)
    shift   = squares.bit_length() - 15
    shift  += shift % 2
    short   = saturated(rounded(squares, shift, 64, build), 16)
    index   = max(0, min((short >> 8) - 32, 95))
    left    = entry(lambda v: 1 / sqrt(v), index, -32, 0, 17)
    fall    = left - entry(lambda v: 1 / sqrt(v), index + 1, -32, 0, 17)
    inverse = left - rounded(fall * (short % 256), 8, 32, build)
    shift   = 17 + (shift + 8) // 2 - (7 if x.is_affine else 15)
    return [saturated(rounded(inverse * v, shift, 32, build), x.bits) for v in values]


@pytest.mark.parametrize("build", Build)
@pytest.mark.parametrize("axis", [-1, 0, 1, 2])
@pytest.mark.parametrize(("kind", "naive"), [(Softmax, naive_softmax), (L2Normalize, naive_l2)])
def test_divided(kind, naive, axis, build):
    rng = random_of(axis + 7)
    for element in (Element.FX_16, Element.SA_8):
        x = tensor_of(rng, element, (2, 3, 4), 11)

        output = run(kind(axis, build), x).output.data

        data     = x.centred
        slices   = [data.reshape(-1)] if axis < 0 else np.moveaxis(data, axis, -1).reshape(
            -1, data.shape[axis])
        expected = np.array([naive(part.tolist(), x, build) for part in slices])
        output   = output.reshape(1, -1) if axis < 0 else np.moveaxis(output, axis, -1).reshape(
            -1, data.shape[axis])
        np.testing.assert_array_equal(output, expected)


@pytest.mark.parametrize(("layer", "zero", "frac"), [
    (Softmax(-1), -128, 8), (L2Normalize(-1), 0, 7)])
def test_bytes_have_the_format_of_the_library(layer, zero, frac):
    x = QuantTensor(np.array([3, -9, 100], np.int8), Element.SA_8, Affine(5, 3, 4))

    output = run(layer, x).output

    assert (output.element, output.format) == (Element.SA_8, Affine(zero, 1, frac))
