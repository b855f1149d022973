"""Useful products and floors against a count tap by tap."""

import numpy as np
import pytest

from golden import (
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
from hdl.config import BASE, SMALL
from host.floor import floor_cycles, layer_type, useful_work


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

    assert useful_work(chw, (2, 7, 9)) == one * 2 * 5
    assert useful_work(hwc, (7, 9, 2)) == one * 2 * 5
    assert useful_work(depthwise, (2, 7, 9)) == one * 2


def test_useful_products_of_a_matrix():
    assert useful_work(FullyConnected(tensor(10, 12), tensor(10), 7), (3, 2, 2)) == 120


@pytest.mark.parametrize(("mode", "steps"), [(RnnMode.ONE_TO_ONE, 1), (RnnMode.BATCH_TO_LAST, 3)])
def test_useful_products_of_a_cell(mode, steps):
    shape = (3, 2) if mode is RnnMode.BATCH_TO_LAST else (2,)
    layer = LstmCell(tensor(4, 5, 7), tensor(4, 5), tensor(5), tensor(5), 7, mode)

    assert useful_work(layer, shape) == steps * 4 * 5 * 7
    assert floor_cycles(layer, SMALL, shape) == steps * 4 * 5 * 7 / 16


@pytest.mark.parametrize(("config", "dense", "depthwise"), [(BASE, 64, 16), (SMALL, 16, 8)])
def test_floor_divides_by_what_a_kernel_can_use(config, dense, depthwise):
    conv = Conv2d(tensor(16, 16, 3, 3), tensor(16), 7, pad=(1, 1, 1, 1))
    channels = DepthwiseConv2d(tensor(64, 1, 3, 3), tensor(64), 7, pad=(1, 1, 1, 1))

    assert floor_cycles(conv, config, (16, 32, 32)) == 94 * 94 * 16 * 16 / dense
    assert floor_cycles(channels, config, (64, 12, 12)) == 34 * 34 * 64 / depthwise


@pytest.mark.parametrize("kind", [MaxPool, AvePool])
def test_pooling_reads_what_is_not_padding(kind):
    pool = kind((3, 2), (2, 1), (1, 2, 0, 1), Layout.HWC)
    read = count_products((7, 9), (3, 2), (2, 1), (1, 2, 0, 1)) * 5

    assert useful_work(pool, (7, 9, 5)) == read
    assert floor_cycles(pool, BASE, (7, 9, 5)) == read / 16


@pytest.mark.parametrize(("layer", "shapes", "elements"), [
    (Rectify(Relu.GEN), [(3, 5)], 15), (Permute((1, 0)), [(3, 5)], 15),
    (Eltwise(EltwiseOp.ADD), [(1,), (3, 5)], 15), (Concat(0), [(3, 5), (4, 5)], 35)])
def test_other_layers_are_bound_by_their_output(layer, shapes, elements):
    assert useful_work(layer, *shapes) == elements
    assert floor_cycles(layer, SMALL, *shapes) == elements / 2


@pytest.mark.parametrize(("x_bits", "dtype", "name"), [
    (8, np.int8, "fx8"), (16, np.int16, "fx16"), (16, np.int8, "fx8w16d")])
def test_layer_type(x_bits, dtype, name):
    layer = FullyConnected(Tensor(np.zeros((2, 2), dtype), 0), Tensor(np.zeros(2, dtype), 0), 0)

    assert layer_type(layer, x_bits) == name


@pytest.mark.parametrize(("bits", "name"), [(8, "fx8"), (16, "fx16")])
def test_type_of_a_layer_without_weights(bits, name):
    assert layer_type(Rectify(Relu.GEN), bits) == name
