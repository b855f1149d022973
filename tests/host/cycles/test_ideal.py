# SPDX-License-Identifier: Apache-2.0
"""Useful products and ideal cycles against a count tap by tap."""

import numpy as np
import pytest

from xymac.golden import mli2, xs3
from xymac.golden.mli1 import (
    AvePool,
    Concat,
    Conv2d,
    DepthwiseConv2d,
    Eltwise,
    EltwiseOp,
    FullyConnected,
    Layout,
    LstmCell,
    MaxPool,
    Permute,
    Rectify,
    Relu,
    RnnMode,
    Tensor,
)
from xymac.golden.xs3 import Integers, Window
from xymac.hdl.config import BASE, COMPACT, SMALL
from xymac.host.cycles.ideal import ideal_cycles


def tensor(*shape):
    return Tensor(np.zeros(shape, np.int8), 7)


def count_products(image, kernel, stride, pad):
    """Products of one input channel with one kernel, counted one by one."""
    padded = np.pad(np.ones(image, int), (pad[:2], pad[2:]))
    windows = np.lib.stride_tricks.sliding_window_view(padded, kernel)
    return int(windows[::stride[0], ::stride[1]].sum())


@pytest.mark.parametrize("stride", [(1, 1), (2, 1), (3, 4)])
@pytest.mark.parametrize("pad", [(0, 0, 0, 0), (1, 2, 0, 1), (2, 0, 2, 2)])
def test_useful_products_of_a_convolution(stride, pad):
    one = count_products((7, 9), (3, 3), stride, pad)
    chw = Conv2d(tensor(5, 2, 3, 3), tensor(5), 7, stride=stride, pad=pad)
    hwc = Conv2d(tensor(5, 3, 3, 2), tensor(5), 7, stride=stride, pad=pad, layout=Layout.HWC)
    depthwise = DepthwiseConv2d(tensor(2, 1, 3, 3), tensor(2), 7, stride=stride, pad=pad)

    assert chw.work((2, 7, 9)) == one * 2 * 5
    assert hwc.work((7, 9, 2)) == one * 2 * 5
    assert depthwise.work((2, 7, 9)) == one * 2


def test_useful_products_of_a_matrix():
    assert FullyConnected(tensor(10, 12), tensor(10), 7).work((3, 2, 2)) == 120


@pytest.mark.parametrize(("mode", "steps"), [(RnnMode.ONE_TO_ONE, 1), (RnnMode.BATCH_TO_LAST, 3)])
def test_useful_products_of_a_cell(mode, steps):
    shape = (3, 2) if mode is RnnMode.BATCH_TO_LAST else (2,)
    layer = LstmCell(tensor(4, 5, 7), tensor(4, 5), tensor(5), tensor(5), 7, mode)

    assert layer.work(shape) == steps * 4 * 5 * 7
    assert ideal_cycles(layer, SMALL, shape) == steps * 4 * 5 * 7 / 16


@pytest.mark.parametrize(("config", "dense", "depthwise"), [(BASE, 64, 16), (SMALL, 16, 8)])
def test_ideal_divides_by_what_a_kernel_can_use(config, dense, depthwise):
    conv = Conv2d(tensor(16, 16, 3, 3), tensor(16), 7, pad=(1, 1, 1, 1))
    channels = DepthwiseConv2d(tensor(64, 1, 3, 3), tensor(64), 7, pad=(1, 1, 1, 1))

    assert ideal_cycles(conv, config, (16, 32, 32)) == 94 * 94 * 16 * 16 / dense
    assert ideal_cycles(channels, config, (64, 12, 12)) == 34 * 34 * 64 / depthwise


def test_ideal_of_the_compact_core():
    """Four products in five cycles; of a channel by itself one in two, and 110 for an element."""
    x_shape, weights = (16, 8, 8), (16, 1, 3, 3)
    channels = DepthwiseConv2d(tensor(*weights), tensor(16), 7)

    assert ideal_cycles(FullyConnected(tensor(10, 12), tensor(10), 7), COMPACT, (12,)) == 120 / 0.8
    assert ideal_cycles(channels, COMPACT, x_shape) == 6 * 6 * 16 * 9 * 2
    assert ideal_cycles(Rectify(Relu.GEN), COMPACT, (3, 5)) == pytest.approx(15 * 110)


@pytest.mark.parametrize("kind", [MaxPool, AvePool])
def test_pooling_reads_what_is_not_padding(kind):
    pool = kind((3, 2), (2, 1), (1, 2, 0, 1), Layout.HWC)
    read = count_products((7, 9), (3, 2), (2, 1), (1, 2, 0, 1)) * 5

    assert pool.work((7, 9, 5)) == read
    assert ideal_cycles(pool, BASE, (7, 9, 5)) == read / 16


@pytest.mark.parametrize("kind", [mli2.MaxPool, mli2.AvePool])
def test_pooling_of_mli2_reads_what_is_not_padding(kind):
    pool = kind((3, 2), (2, 1), (1, 2, 0, 1))
    read = count_products((7, 9), (3, 2), (2, 1), (1, 2, 0, 1)) * 5

    assert pool.work((7, 9, 5)) == read
    assert ideal_cycles(pool, BASE, (7, 9, 5)) == read / 16


@pytest.mark.parametrize("kind", [xs3.MaxPool2d, xs3.AvgPool2d])
def test_pooling_of_xs3_reads_its_windows(kind):
    pool = kind((3, 2), Window((2, 4), (1, 0), (2, 1)))

    assert pool.work((7, 9, 4)) == 2 * 4 * 3 * 2 * 4
    assert ideal_cycles(pool, BASE, (7, 9, 4)) == 2 * 4 * 3 * 2 * 4 / 16


def test_global_pooling_of_xs3_reads_its_input():
    pool = xs3.AvgPool2dGlobal(0, 1, 0)

    assert pool.work((7, 9, 4)) == 7 * 9 * 4
    assert ideal_cycles(pool, BASE, (7, 9, 4)) == 7 * 9 * 4 / 16


@pytest.mark.parametrize(("layer", "shapes", "elements"), [
    (Rectify(Relu.GEN), [(3, 5)], 15), (Permute((1, 0)), [(3, 5)], 15),
    (Eltwise(EltwiseOp.ADD), [(1,), (3, 5)], 15), (Concat(0), [(3, 5), (4, 5)], 35)])
def test_other_layers_are_bound_by_their_output(layer, shapes, elements):
    assert layer.work(*shapes) == elements
    assert ideal_cycles(layer, SMALL, *shapes) == elements / 2


def sa8(*shape):
    return mli2.QuantTensor(np.zeros(shape, np.int8), mli2.Element.SA_8, mli2.Affine(0, 1, 0))


@pytest.mark.parametrize(("dilation", "stride", "pad"), [
    ((1, 1), (1, 1), (1, 2, 0, 1)), ((2, 3), (1, 2), (4, 3, 5, 2))])
def test_useful_products_of_mli2(dilation, stride, pad):
    inside = np.pad(np.ones((7, 9), int), (pad[:2], pad[2:]))
    options = {"stride": stride, "pad": pad, "dilation": dilation}
    spans   = [2 * step + 1 for step in dilation]
    windows = np.lib.stride_tricks.sliding_window_view(inside, spans)[::stride[0], ::stride[1]]
    one     = int(windows[..., ::dilation[0], ::dilation[1]].sum())
    for kind, weights, products in ((mli2.Conv2d, (3, 3, 4, 5), 20),
                                    (mli2.GroupConv2d, (3, 3, 2, 6), 12),
                                    (mli2.DepthwiseConv2d, (3, 3, 1, 4), 4)):
        layer = kind(sa8(*weights), sa8(weights[3]), mli2.Affine(0, 1, 0), **options)
        assert layer.work((7, 9, 4)) == one * products


def test_useful_products_of_a_transposed_convolution():
    layer = mli2.TransposeConv2d(sa8(3, 2, 4, 5), sa8(5), mli2.Affine(0, 1, 0), stride=(2, 1),
                                 pad=(1, 0, 0, 1))
    rows, cols, _ = layer.output_shape((4, 6, 4))
    count = sum(0 <= 2 * row - 1 + i < rows and 0 <= col + j < cols
                for row in range(4) for col in range(6) for i in range(3) for j in range(2))

    assert layer.work((4, 6, 4)) == count * 20


def integers(*shape):
    return Integers(np.zeros(shape, np.int8))


def test_useful_products_of_xs3():
    window = Window((4, 3), (-2, 1), (2, 3))  # rows from -2, 0, 2, 4; columns from 1, 4, 7
    taps   = (1 + 3 + 3 + 3) * (2 + 2 + 2)
    bso    = integers()

    assert xs3.Conv2dDeep(integers(8, 3, 2, 4), bso, window).work((7, 9, 4)) == taps * 32
    assert xs3.Conv2dShallowin(integers(8, 3, 8, 4), bso, window, columns=2).work(
        (7, 9, 4)) == taps * 32
    assert xs3.Conv2dDepthwise(integers(3, 2, 4), bso, window).work((7, 9, 4)) == taps * 4
    assert xs3.Conv2d1x1(integers(8, 4), bso).work((7, 9, 4)) == 63 * 32
    assert xs3.FcDeepin(integers(8, 32), bso, bso, bso).work((32,)) == 256


def test_ideal_of_the_benchmarks_of_the_later_libraries():
    zero  = mli2.Affine(0, 1, 0)
    conv  = mli2.Conv2d(sa8(3, 3, 16, 16), sa8(16), zero, pad=(1,) * 4)
    alone = mli2.DepthwiseConv2d(sa8(3, 3, 1, 64), sa8(64), zero, pad=(1,) * 4)
    deep  = xs3.Conv2dDeep(integers(32, 3, 3, 32), integers(), Window((16, 16), (-1, -1)))

    assert ideal_cycles(conv, BASE, (32, 32, 16)) == 94 * 94 * 16 * 16 / 64
    assert ideal_cycles(alone, BASE, (12, 12, 64)) == 34 * 34 * 64 / 16
    assert ideal_cycles(deep, BASE, (16, 16, 32)) == 46 * 46 * 32 * 32 / 64
