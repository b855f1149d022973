# SPDX-License-Identifier: Apache-2.0
"""Convolutions and matrices of the XS3 library as passes against the golden kernels."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.lowered import assert_equals_golden
from tests.support.seed import random_of
from xymac.golden import xs3
from xymac.golden.xs3 import Integers, Window
from xymac.hdl.config import BASE, SMALL, TINY
from xymac.host.plan.plan import Plan


def layer_of(kind, seed, window, zero_point=0, bias=None, **options):
    """A layer of 8 channels, and its input of 6 rows and 5 columns."""
    rng   = random_of(seed)
    shape = (3, 2, 8) if kind is xs3.Conv2dDepthwise else (12, 3, 2, 8)
    bso   = np.zeros((1, 7, 16), np.int16)
    bso[:, 0]   = rng.integers(-2, 2, 16) if bias is None else bias
    bso[:, 1]   = rng.integers(-32768, 32767, 16)
    bso[:, 2]   = rng.integers(0, 5, 16)
    bso[:, 3:6] = rng.integers(-32768, 32767, (3, 16))
    bso[:, 6]   = rng.integers(19, 24, 16)
    weights, x  = (Integers(rng.integers(-128, 127, size, np.int8, endpoint=True))
                   for size in (shape, (6, 5, 8)))
    return kind(weights, Integers(bso), window, zero_point, **options), x


@pytest.mark.parametrize("kind", [xs3.Conv2dDeep, xs3.Conv2dDepthwise])
@pytest.mark.parametrize("window", [
    Window((4, 4)), Window((6, 5), (-1, -1)), Window((3, 4), (-2, 1), (3, 1)),
    Window((4, 5), (-7, -4), (4, 3))])
def test_layers_equal_golden(kind, window):
    """Windows inside, over the border, and beside the image."""
    for config, zero in ((BASE, 0), (SMALL, -128), (TINY, 77)):
        assert_equals_golden(config, *layer_of(kind, zero + 128, window, zero, low=-127))


@pytest.mark.parametrize("kind", [xs3.Conv2dDeep, xs3.Conv2dDepthwise])
@pytest.mark.parametrize("low", [-128, -127])
def test_outputs_that_are_rounded_twice(kind, low):
    """The second rounding takes 8 bits, so the first one leaves so many more."""
    for config in (BASE, SMALL, TINY):
        layer, x = layer_of(kind, low + 128, Window((4, 4)), 5, low=low, final_shift=True)
        bso = layer.bso.data.copy()
        bso[:, 6] -= 8
        assert_equals_golden(config, replace(layer, bso=Integers(bso)), x)
        assert len(Plan(config, [layer], x).program) > 1


@pytest.mark.parametrize("out_bits", [8, 16])
def test_matrices_equal_golden(out_bits):
    rng = random_of(out_bits)
    x, weights = (Integers(rng.integers(-128, 127, shape, np.int8, endpoint=True))
                  for shape in (64, (13, 64)))
    bias   = Integers(rng.integers(-1 << 18, 1 << 18, 13).astype(np.int32))
    shifts = Integers(rng.integers(2, 8, 16).astype(np.uint16))
    scales = Integers(rng.integers(-1 << 15, 1 << 15, 16).astype(np.int16))
    bso    = layer_of(xs3.Conv2dDeep, 0, Window((1, 1)))[0].bso
    for config in (BASE, SMALL, TINY):
        assert_equals_golden(config, xs3.FcDeepin(weights, bias, shifts, scales, out_bits), x)
        assert_equals_golden(config, xs3.FullyConnected(weights, bso, out_bits), x)


def test_other_windows_need_no_passes_of_their_own():
    layer, x = layer_of(xs3.Conv2dDeep, 0, Window((6, 5), (-1, -1)))
    other    = replace(layer, window=Window((4, 4)))

    assert [len(Plan(BASE, [one], x).program) for one in (layer, other)] == [1, 1]
