# SPDX-License-Identifier: Apache-2.0
"""Devices with other windows: the report names stride, dilation, kernel or padding."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from .devices import cases_of, convolve, pool, where


def _turned(name):
    return lambda given: {name: given[name][::-1]}


def _second(name):
    return lambda given: {name: (given[name][1],) * 2}


def _pads(order):
    return lambda given: {"pad": tuple(given["pad"][place] for place in order)}


def _kernel(change):
    """Other weights where the kernel is not square."""
    def other(given):
        weights = given["weights"]
        return {"weights": weights if weights.shape[1] == weights.shape[2] else change(weights)}
    return other


@pytest.mark.parametrize("operation", ["conv2d", "average_pool", "max_pool"])
def test_the_plain_device_is_right(operation):
    device = convolve if operation == "conv2d" else pool

    assert all(np.array_equal(device(case), case.expected()) for case in cases_of(operation))


@pytest.mark.parametrize(("operation", "change", "sentence"), [
    ("conv2d", lambda given: {"stride": (1, 1)}, "the stride is ignored and counts as 1"),
    ("conv2d", _second("stride"), "the stride width counts for both directions"),
    ("conv2d", lambda given: {"dilation": (1, 1)}, "the dilation is ignored and counts as 1"),
    ("conv2d", _second("dilation"), "the dilation width counts for both directions"),
    ("conv2d", _turned("dilation"), "the dilation height and width are exchanged"),
    ("conv2d", lambda given: {"dilation": (given["dilation"][0], 1)},
     "the dilation width counts as 1"),
    ("conv2d", _pads((2, 3, 0, 1)), "the top and the left padding are exchanged"),
    ("conv2d", _kernel(lambda weights: np.swapaxes(weights, 1, 2).reshape(weights.shape)),
     "rows and columns of kernels that are not square are exchanged"),
    ("conv2d", _kernel(lambda weights: np.swapaxes(weights.reshape(
        len(weights), weights.shape[2], weights.shape[1], -1), 1, 2)),
     "rows and columns of kernels that are not square are exchanged in memory"),
    ("average_pool", lambda given: {"stride": (1, 1)}, "the stride is ignored and counts as 1"),
    ("average_pool", _second("stride"), "the stride width counts for both directions"),
    ("average_pool", _turned("kernel"), "the kernel height and width are exchanged"),
    ("average_pool", _pads((1, 0, 3, 2)),
     "top and bottom, left and right padding are exchanged"),
    ("max_pool", _turned("stride"), "the stride height and width are exchanged"),
    ("max_pool", _turned("kernel"), "the kernel height and width are exchanged"),
    ("max_pool", lambda given: {"kernel": (max(given["kernel"][0] - 1, 1), given["kernel"][1])},
     "the last row of every window is missing"),
    ("max_pool", lambda given: {"pad": (0, 0, 0, 0)},
     "padding is left out, windows start at the first element")])
def test_other_windows_are_named(operation, change, sentence):
    device = convolve if operation == "conv2d" else pool

    assert where(partial(device, change=change), operation).endswith(f"cases {sentence}")


def _dense(case):
    """The output with a stride of 1, without the windows beyond the right number."""
    layer = replace(case.layer, stride=(1, 1))
    whole = replace(case, layer=layer).expected()
    return whole[tuple(slice(size) for size in case.shape)]


@pytest.mark.parametrize("kind", [
    ("depthwise_conv2d", "mli-1", "fx8"), ("conv2d", "mli-2", "sa8"), ("max_pool", "mli-1", "fx8"),
    ("average_pool", "mli-2", "sa8")], ids=" ".join)
def test_strides_of_other_libraries(kind):
    assert where(_dense, *kind).endswith("the stride is ignored and counts as 1")


def test_single_elements_of_a_pool_are_named():
    def device(case, place):
        output = case.expected()
        output.flat[place(output.size)] ^= 1
        return output

    for place, words in ((lambda size: min(3, size - 1), "element 3 of a result"),
                         (lambda size: size // 2, "the middle element of a result"),
                         (lambda size: max(size - 2, 0), "the last but one element of a result")):
        assert words in where(partial(device, place=place), "max_pool")


def test_a_single_point_of_the_image_is_named():
    def device(case):
        output = case.expected()
        output[:, 1:2, 2:3, :1] ^= 1
        return output

    assert where(device, "average_pool").startswith(
        "all wrong outputs lie in row 1, column 2, channel 0; there bit 0 of the output is ")


def test_every_row_is_the_first_one():
    assert where(lambda case: np.repeat(case.expected()[:1], case.shape[0], axis=0), "add"
                 ).endswith("every row is the first one")
