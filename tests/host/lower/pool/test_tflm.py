# SPDX-License-Identifier: Apache-2.0
"""Pools and means of TensorFlow Lite as passes against the golden operators."""

import numpy as np
import pytest

from tests.host.tflite.test_round_trip import random_inputs
from tests.support.lowered import assert_equals_golden, assert_plan
from tests.support.seed import random_of
from tests.support.sizes import each_size
from tests.support.tflite.cases import CASES
from tests.support.tflite.lowered import assert_model
from tests.support.tflite.moves import MOVES
from xymac.golden.tflm import (
    Activation,
    AveragePool2d,
    MaxPool2d,
    Mean,
    Padding,
    Quantisation,
    Tensor,
)
from xymac.golden.tflm.arithmetic import divide_rounded
from xymac.hdl.config import BASE, TINY
from xymac.host.errors import Refusal
from xymac.host.frontend.tflm.pool import find_mean
from xymac.host.plan.graph import Node
from xymac.host.plan.tiling.tiled import TiledPlan, make_plan

KIND  = Quantisation((0.5,), (3,))
WHOLE = Quantisation((0.25,), (0,))


def noise(key, shape, dtype=np.int8, kind=KIND):
    limits = np.iinfo(dtype)
    data   = random_of(key).integers(limits.min, limits.max, shape, dtype, endpoint=True)
    return Tensor(data, kind if dtype == np.int8 else WHOLE)


@pytest.mark.parametrize("name", ["AVERAGE_POOL_2D", "MAX_POOL_2D", "MEAN"])
@each_size
def test_random_operators(config, name):
    for key in range(12):
        model = (CASES | MOVES)[name](random_of((key, config.ways, *name.encode())))
        assert_model(config, model, *random_inputs(model, key))


@pytest.mark.parametrize("count", [1, 2, 3, 6, 9, 48, 49, 90, 100, 127])
def test_every_sum_of_bytes_has_its_mean(count):
    sums   = np.arange(-128 * count, 128 * count)
    shift  = next(shift for shift in range(64) if find_mean(count, 8, shift))
    factor = find_mean(count, 8, shift)

    means = (sums * factor + (1 << shift >> 1)) >> shift

    np.testing.assert_array_equal(means, divide_rounded(sums, count))


@each_size
@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize("padding", Padding)
def test_batches(config, dtype, padding):
    x   = noise(1, (3, 5, 6, 9), dtype)
    out = x.quantisation
    for kind in (AveragePool2d, MaxPool2d):
        assert_equals_golden(config, kind((3, 2), out, (2, 1), padding, Activation.RELU6), x)


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize("value", [None, 0, 1, -1])
def test_windows_of_every_size(dtype, value):
    """Windows of 9 to 25 elements; ends of the container, and sums next to 0 and to halves."""
    x = noise(2, (1, 9, 9, 3), dtype)
    if value is not None:
        limits = np.iinfo(dtype)
        x.data[..., 0] = limits.max if value else 0
        x.data[..., 1] = limits.min if value < 1 else 1
        x.data[..., 2] = value
    assert_equals_golden(BASE, AveragePool2d((5, 5), x.quantisation, padding=Padding.SAME), x)
    assert_equals_golden(BASE, AveragePool2d((2, 9), x.quantisation), x)


def test_more_rows_of_windows_than_a_loop_goes_back():
    x     = noise(3, (2, 40, 40, 2), np.int16)
    layer = AveragePool2d((11, 11), x.quantisation, padding=Padding.SAME)

    assert assert_plan(BASE, [layer], x).program[-1].control.repeat == 0


def test_a_window_that_is_too_large():
    x = noise(4, (1, 129, 128, 1), np.int16)

    with pytest.raises(Refusal, match=r"at most 16384 elements of 16 bits, not 16512"):
        make_plan(BASE, [Node(AveragePool2d((129, 128), x.quantisation), (0,))], x)


@pytest.mark.parametrize("layer", [
    AveragePool2d((3, 3), KIND, (3, 2)), AveragePool2d((3, 3), KIND, (2, 2), Padding.SAME),
    MaxPool2d((80, 80), KIND), Mean((1, 2), KIND), Mean((1,), KIND, keep_dims=True)])
@pytest.mark.parametrize("batch", [1, 2])
def test_tiles(layer, batch):
    plan = assert_plan(TINY, [layer], noise(5, (batch, 80, 80, 8)))

    assert isinstance(plan, TiledPlan)


@pytest.mark.parametrize("axes", [(), (0,), (1,), (-1,), (0, 2), (1, 3), (0, 4), (1, 2, 3), (2, 4),
                                  (0, 1, 2, 3, 4), (0, 2, 4)])
@pytest.mark.parametrize("keep", [False, True])
@each_size
def test_means_along_all_dimensions(config, axes, keep):
    for dtype in (np.int8, np.int16):
        x = noise(6, (2, 3, 4, 2, 7), dtype)
        assert_equals_golden(config, Mean(axes, KIND, keep), x)


@pytest.mark.parametrize(("shape", "axes"), [
    ((), ()), ((1,), (0,)), ((5,), (0,)), ((5,), ()), ((1, 100), (1,)), ((100, 1), (0,)),
    ((3, 1, 64), (-1, -1)), ((1, 1, 5, 1), (0, 3)), ((7, 7, 64), (0, 1)), ((6, 1001), (1,))])
def test_means_of_every_rank(shape, axes):
    for keep in (False, True):
        assert_equals_golden(BASE, Mean(axes, KIND, keep), noise(7, shape))


@pytest.mark.parametrize("ratio", [2.0**-30, 2.0**-9, 0.3, 1.0, 1.7, 2.0**8, 2.0**20])
@pytest.mark.parametrize("zero", [-128, 127])
def test_scales_of_means(ratio, zero):
    """Halves both ways, and outputs far beyond the container."""
    kind = Quantisation((float(np.float32(ratio)),), (zero,))
    x    = noise(8, (1, 2, 8, 20), kind=kind)
    x.data[..., :8] = zero
    x.data[:, 1, 1, :8] = np.clip(zero + np.arange(-4, 4), -128, 127)
    for axes in ((1, 2), (1,), (1, 2, 3)):
        assert_equals_golden(BASE, Mean(axes, Quantisation((1.0,), (-zero - 1,))), x)


def test_a_mean_whose_sums_are_too_large():
    x = noise(9, (4, 4), kind=Quantisation((2.0**24,), (0,)))

    with pytest.raises(Refusal, match="Sums must stay within 2147450879"):
        make_plan(BASE, [Node(Mean((0,), Quantisation((1.0,), (0,))), (0,))], x)
