# SPDX-License-Identifier: Apache-2.0
"""Kernels of MLI 2.0 between far formats three ways: golden kernels, golden machine and RTL."""

import numpy as np
import pytest

from tests.rtl.test_lowered import assert_three_ways
from tests.support.mli2.far_cells import cancelling_dense, far_cell, with_shift
from tests.support.mli2.far_convs import far_conv
from tests.support.seed import random_of
from xymac.golden.kinds import EltwiseOp
from xymac.golden.mli2 import (
    Affine,
    Build,
    ConvertTensor,
    Element,
    Eltwise,
    Fixed,
    GruCell,
    LstmCell,
    QuantTensor,
    TransposeConv2d,
)

BUILDS = pytest.mark.parametrize("build", [Build.UP_FULL, Build.CONVERGENT_FULL])


def words(shape, scales):
    """Elements of 32 bits of every size."""
    rng  = random_of(8)
    data = rng.integers(-1 << 31, 1 << 31, shape) >> rng.integers(0, 32, shape)
    return QuantTensor(data.astype(np.int32), Element.SA_32, scales)


@BUILDS
@pytest.mark.parametrize("shift", [-1, 4, 16, 33])
def test_conversions_of_32_bits(shift, build, rtl):
    x = words((21,), Affine(-32768, 20481, shift + 14))
    assert_three_ways(rtl("tiny"), ConvertTensor(Element.SA_32, Affine(77, 1, 14), build), x)


@BUILDS
def test_conversions_with_several_scales(build, rtl):
    scales = Affine((3, -20000), (20481, 32767), (17, 24), 1)
    x      = words((3, 2, 5), scales)
    for element, out in ((Element.FX_16, Fixed(0)), (Element.SA_32, scales),
                         (Element.SA_8, Affine((7, 32767), (3, 5), (1, 2), 1))):
        assert_three_ways(rtl("base"), ConvertTensor(element, out, build), x)


@BUILDS
@pytest.mark.parametrize("op", [EltwiseOp.ADD, EltwiseOp.SUB])
def test_sums_of_binary_points_far_apart(op, build, rtl):
    ends = np.array([-1 << 15, -16385, -16384, -5, 0, 3, 16383, 16384, (1 << 15) - 1], np.int16)
    near, far = (QuantTensor(fold(ends, 9), Element.FX_16, Fixed(frac_bits))
                 for fold, frac_bits in ((np.repeat, 20), (np.tile, 3)))
    for out in (20, 4, 0):
        assert_three_ways(rtl("tiny"), Eltwise(op, Fixed(out), build), near, far)


@BUILDS
@pytest.mark.parametrize(("op", "kinds"), [
    (EltwiseOp.SUB, (Affine(5, 20003, 4), Affine(-700, 20001, 4))),
    (EltwiseOp.MUL, (Affine(32767, 3, 14), Affine(-32768, 20003, 14))),
    (EltwiseOp.MAX, (Affine(-32700, 3, 14),) * 2)])
def test_wide_operands_and_far_zero_points(op, kinds, build, rtl):
    ends = np.array([-128, -127, -3, 0, 1, 99, 127], np.int8)
    a, b = (QuantTensor(fold(ends, 7), Element.SA_8, kind)
            for fold, kind in zip((np.repeat, np.tile), kinds, strict=True))
    assert_three_ways(rtl("tiny"), Eltwise(op, Affine(3, 20000, 14), build), a, b)


@BUILDS
@pytest.mark.parametrize("shift", [-3, 16, 35, 50])
def test_scaled_sums_of_32_bits(shift, build, rtl):
    layer, *xs = cancelling_dense(4, build)
    assert len(xs) > 1
    assert_three_ways(rtl("tiny"), with_shift(layer, xs[0], shift), *xs)


@pytest.mark.parametrize(("cell", "seed"), [(LstmCell, 20), (GruCell, 19)])
def test_cells(cell, seed, rtl):
    assert_three_ways(rtl("base"), *far_cell(seed, "sa8", cell, 5, 32000))


@pytest.mark.parametrize(("zero", "weight_zero"), [(-32768, 32767), (7, 32767)])
def test_transposed_convolutions(zero, weight_zero, rtl):
    assert_three_ways(rtl("base"), *far_conv(TransposeConv2d, zero, weight_zero, pad=(1, 1, 0, 2),
                                              stride=(2, 3)))
