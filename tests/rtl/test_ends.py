# SPDX-License-Identifier: Apache-2.0
"""Slopes and factors at both ends of their types, every library: golden, golden machine and RTL."""

import numpy as np
import pytest

from tests.rtl.test_lowered import assert_three_ways
from xymac.golden import mli1, mli2, tflm, xs3
from xymac.golden.kinds import EltwiseOp
from xymac.golden.mli2 import Affine, Build, Element, Fixed, QuantTensor
from xymac.golden.tflm import Quantisation

ENDS  = {np.int8: (-128, 127), np.int16: (-32768, 32767)}
TYPES = pytest.mark.parametrize("dtype", ENDS)


def values(dtype):
    """Both ends, and the smallest elements."""
    low, high = ENDS[dtype]
    return np.array([low, low + 1, -2, -1, 0, 1, 2, high - 1, high], dtype)


def pairs(dtype):
    """All pairs of ``values``."""
    return [grid.reshape(-1) for grid in np.meshgrid(values(dtype), values(dtype))]


@TYPES
@pytest.mark.parametrize("frac_bits", [0, 15, 30])
def test_slopes_of_mli1(dtype, frac_bits, rtl):
    for slope in (*ENDS[dtype], -1, 1):
        layer = mli1.LeakyRelu(mli1.Tensor(np.array([slope], dtype), frac_bits))
        assert_three_ways(rtl("tiny"), layer, mli1.Tensor(values(dtype), 4))


@TYPES
@pytest.mark.parametrize("build", [Build.UP_FULL, Build.CONVERGENT_FULL])
def test_slopes_of_mli2(dtype, build, rtl):
    element = Element.FX_8 if dtype is np.int8 else Element.FX_16
    x = QuantTensor(values(dtype)[:, None].repeat(2, 1), element, Fixed(5))
    for slope, frac_bits in ((-1, 16), (-64, 22), (ENDS[dtype][0], 30), (ENDS[dtype][1], 0)):
        alone = QuantTensor(np.array([slope], dtype), element, Fixed(frac_bits))
        every = QuantTensor(np.array([[slope, -slope - 1]], dtype), element, Fixed(frac_bits))
        assert_three_ways(rtl("tiny"), mli2.LeakyRelu(alone, build=build), x)
        assert_three_ways(rtl("tiny"), mli2.Prelu(every, build=build, axis=1), x)


@pytest.mark.parametrize("scale", [1, 3, 32767])
def test_scales_of_mli2(scale, rtl):
    kind = Affine(-128, scale, 8)
    a, b = (QuantTensor(data, Element.SA_8, kind) for data in pairs(np.int8))
    for op in EltwiseOp:
        for out in (Affine(-128, 20000, 22), Affine(127, 1, 8), Affine(0, 32767, 9)):
            assert_three_ways(rtl("tiny"), mli2.Eltwise(op, out), a, b)
    for value in (-128, 127):
        slope = QuantTensor(np.array([value], np.int8), Element.SA_8, Affine(-128, scale, 9))
        assert_three_ways(rtl("tiny"), mli2.LeakyRelu(slope, Affine(5, 20000, 22)), a)


@TYPES
def test_products_of_mli(dtype, rtl):
    a, b = (mli1.Tensor(data, 7) for data in pairs(dtype))
    for out_frac in (0, 14, 30):
        assert_three_ways(rtl("tiny"), mli1.Eltwise(EltwiseOp.MUL, out_frac), a, b)


@pytest.mark.parametrize("low", [-128, -127])
def test_factors_of_lib_nn(low, rtl):
    a, b = (xs3.Integers(data) for data in pairs(np.int8))
    for scales in ((-32768, 32767), (32767, 32767), (-32768, -32768), (1, 0)):
        assert_three_ways(rtl("tiny"), xs3.AddElementwise((0, 0), scales, 0, 15, low), a, b)


@pytest.mark.parametrize("size", ["tiny", "compact"])
def test_products_of_lib_nn(size, rtl):
    a, b = (xs3.Integers(data) for data in pairs(np.int8))
    for zeros, scale, bias, shift in (((-128, 127), -32768, 32767, -8), ((127, 127), 32767, 0, 2),
                                      ((0, 1), 9000, -700, -2), ((-1, -1), 1, -32768, -31)):
        assert_three_ways(rtl(size), xs3.MulElementwise(zeros, scale, bias, shift), a, b)


@pytest.mark.parametrize("size", ["tiny", "base"])
def test_words_of_lib_nn(size, rtl):
    a, b = (xs3.Integers(data) for data in pairs(np.int16))
    for scale in (-32768, -3, 32767):
        assert_three_ways(rtl(size), xs3.AddInt16((scale, -32768)), a, b)
        assert_three_ways(rtl(size), xs3.RequantizeInt16(scale), a)
        for shift in (1, 17, 32):
            assert_three_ways(rtl(size), xs3.MultiplyInt16(scale, shift), a, b)


def test_slopes_of_tensorflow_lite(rtl):
    kind = Quantisation((0.25,), (127,))
    x    = tflm.Tensor(values(np.int8)[:, None].repeat(2, 1), Quantisation((0.125,), (-128,)))
    for alpha in (-2.0 ** 20, -1.0, -1e-9, 0.0, 1e-9, 0.999, 2.0 ** 20):
        assert_three_ways(rtl("tiny"), tflm.LeakyRelu(kind, alpha), x)
    for data in ([-128, 127], [0, -1]):
        alpha = tflm.Tensor(np.array([data], np.int8), Quantisation((0.5,), (127,)))
        assert_three_ways(rtl("tiny"), tflm.Prelu(kind, alpha), x)
