"""Useful products and floors against a count tap by tap."""

import numpy as np
import pytest

from golden import Conv2d, DepthwiseConv2d, FullyConnected, Layout, Tensor
from hdl.config import BASE, SMALL
from host.floor import floor_cycles, layer_type, useful_products


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

    assert useful_products(chw, (2, 7, 9)) == one * 2 * 5
    assert useful_products(hwc, (7, 9, 2)) == one * 2 * 5
    assert useful_products(depthwise, (2, 7, 9)) == one * 2


def test_useful_products_of_a_matrix():
    assert useful_products(FullyConnected(tensor(10, 12), tensor(10), 7), (3, 2, 2)) == 120


@pytest.mark.parametrize(("config", "dense", "depthwise"), [(BASE, 64, 16), (SMALL, 16, 8)])
def test_floor_divides_by_what_a_kernel_can_use(config, dense, depthwise):
    conv = Conv2d(tensor(16, 16, 3, 3), tensor(16), 7, pad=(1, 1, 1, 1))
    channels = DepthwiseConv2d(tensor(64, 1, 3, 3), tensor(64), 7, pad=(1, 1, 1, 1))

    assert floor_cycles(conv, (16, 32, 32), config) == 94 * 94 * 16 * 16 / dense
    assert floor_cycles(channels, (64, 12, 12), config) == 34 * 34 * 64 / depthwise


@pytest.mark.parametrize(("x_bits", "dtype", "name"), [
    (8, np.int8, "fx8"), (16, np.int16, "fx16"), (16, np.int8, "fx8w16d")])
def test_layer_type(x_bits, dtype, name):
    layer = FullyConnected(Tensor(np.zeros((2, 2), dtype), 0), Tensor(np.zeros(2, dtype), 0), 0)

    assert layer_type(layer, x_bits) == name
