# SPDX-License-Identifier: Apache-2.0
"""Ends of ranges of TensorFlow Lite's operators: scales, sums of 32 bits, and what is overflow."""

from dataclasses import replace
from math import ceil, floor

import numpy as np
import pytest

from tests.support.naive.tflm import clamped, multiplied, quantised, wrapped
from tests.support.seed import random_of
from xymac.golden import run
from xymac.golden.tflm import (
    HardSwish,
    Logistic,
    LogSoftmax,
    PlainResize,
    Prelu,
    Quantisation,
    Relu,
    Rsqrt,
    Softmax,
    Tanh,
    Tensor,
    UnidirectionalSequenceLstm,
)
from xymac.golden.tflm.curves.root import inverse_root

ONE  = Quantisation((1.0,), (0,))
OUTS = {"8": Quantisation((2.0 ** -8,), (-128,)), "16": Quantisation((2.0 ** -15,), (0,)),
        "log": Quantisation((2.0 ** -4,), (127,))}


def near(value, steps=0):
    """A float32 value, some steps from a given one."""
    value = np.float32(value)
    for _ in range(abs(steps)):
        value = np.nextafter(value, np.float32(np.inf if steps > 0 else 0))
    return float(value)


def whole(scale, zero=0):
    return Quantisation((near(scale),), (zero,))


def tensor(data, scale=1.0, zero=0, dtype=np.int8):
    return Tensor(np.array(data, dtype), whole(scale, zero))


def lstm(scale, **fields):
    """A cell with a single output, whose cell state has a scale."""
    matrix = tuple(tensor([[1]]) for _ in range(4))
    layer  = UnidirectionalSequenceLstm(
        matrix, matrix, tuple(Tensor(np.zeros(1, np.int32)) for _ in range(4)),
        tensor([[0]], 2.0 ** -7), tensor([[0]], scale, dtype=np.int16))
    return replace(layer, **fields)


#: (layer and input of a scale, lowest legal scale, highest legal scale); None without an end.
SCALES = {
    "softmax": (lambda scale: (Softmax(OUTS["8"]), tensor([1, 2], scale)), near(2.0 ** -26, 1),
                None),
    "softmax with beta": (lambda scale: (Softmax(OUTS["8"], 0.5), tensor([1, 2], scale)),
                          near(2.0 ** -25, 1), None),
    "log softmax": (lambda scale: (LogSoftmax(OUTS["log"]), tensor([1, 2], scale)),
                    near(2.0 ** -26, 1), None),
    "sigmoid": (lambda scale: (Logistic(OUTS["8"]), tensor([1, 2], scale)), 2.0 ** -28,
                near(2.0 ** 35, -1)),
    "tanh": (lambda scale: (Tanh(ONE), tensor([1, 2], scale)), 2.0 ** -28, near(2.0 ** 35, -1)),
    "sigmoid of words": (
        lambda scale: (Logistic(OUTS["16"]), tensor([1], scale, dtype=np.int16)), None,
        near(8 / 3, -1)),
    "tanh of words": (lambda scale: (Tanh(OUTS["16"]), tensor([1], scale, dtype=np.int16)), None,
                      near(8 / 3, -1)),
    "inverse root": (lambda scale: (Rsqrt(whole(2.0 ** -25)), tensor([1, 2], scale)),
                     near(2.0 ** -50, 1), None),
    "inverse root, little": (lambda scale: (Rsqrt(whole(1.0)), tensor([1, 2], scale)), None,
                             2.0 ** 24),
    "factor": (lambda scale: (Relu(ONE), tensor([1, 2], scale)), None, near(2.0 ** 30, -1)),
    "hard swish": (lambda scale: (HardSwish(ONE), tensor([1, 2], scale)), None,
                   near(128, -1)),
}


@pytest.mark.parametrize("name", SCALES)
def test_scales_up_to_both_ends(name):
    make, low, high = SCALES[name]
    for end, beyond in ((low, -1), (high, 1)):
        if end is not None:
            layer, x = make(end)
            run(layer, x)
            layer, x = make(near(end, beyond))
            with pytest.raises(ValueError, match=r"[Ss]cale"):
                run(layer, x)


@pytest.mark.parametrize(("scale", "is_legal"), [
    (2.0 ** 3.49, True), (2.0 ** 3.51, False), (2.0 ** -43.49, True), (2.0 ** -43.51, False)])
def test_scales_of_a_cell(scale, is_legal):
    """The tangent's table takes a scale as the nearest power of two."""
    if is_legal:
        run(lstm(near(scale)), tensor([[[1]]]))
        return
    with pytest.raises(ValueError, match="Scale of the cell must be between"):
        run(lstm(near(scale)), tensor([[[1]]]))


def test_sums_with_the_zero_point_wrap():
    """Sums of about -2**31, which a zero point of -128 makes large."""
    scale, slope = 1 + 2.0 ** -13, 1 - 2.0 ** -13
    out   = whole(2.0 ** -29, -128)
    x     = tensor([-4, -12, -64, 2], scale)
    alpha = tensor([1], slope)
    below = quantised(x.quantisation.scale * alpha.quantisation.scale / out.scale)
    sums  = [multiplied(value, *below) - 128 for value in (-4, -12, -64)]

    actual = run(Prelu(out, alpha), x).output.data.tolist()

    assert sums[0] < -2 ** 31
    assert actual[:3] == [clamped(wrapped(value), -128, 127) for value in sums]


def test_roots_with_the_zero_point_wrap():
    scale = near(1 + 2.0 ** -12)
    found = 0
    for step in range(1, 2 ** 12):
        out    = Quantisation((float(np.float32((1 - 2.0 ** -24 * step) * 2.0 ** -49)),), (-128,))
        factor = quantised(1 / (np.sqrt(scale) * out.scale))
        if factor[0] <= 2 ** 31 - 128:
            continue
        x      = tensor(np.arange(-128, 128), scale, -128)
        values = np.maximum(np.arange(256), 1)
        roots  = [multiplied(1, int(root), int(places) + 20)
                  for root, places in zip(*inverse_root(values), strict=True)]
        sums   = [multiplied(root, factor[0], factor[1] - 20) - 128 for root in roots]
        found += any(value < -2 ** 31 for value in sums)

        actual = run(Rsqrt(out), x).output.data.tolist()

        assert actual[1:] == [clamped(wrapped(value), -128, 127) for value in sums[1:]]
        if found:
            return
    raise AssertionError("No sum leaves 32 bits")


@pytest.mark.parametrize("gate", range(4))
@pytest.mark.parametrize("step", range(2))
def test_a_sum_of_any_gate_that_leaves_32_bits_is_overflow(gate, step):
    biases = tuple(Tensor(np.full(1, (2 ** 31 - 1) * (index == gate), np.int32))
                   for index in range(4))
    data   = np.zeros((1, 2, 1))
    for value in (0, 1):
        data[0, step] = value
        result = run(lstm(2.0 ** -12, biases=biases), tensor(data))
        assert result.overflow == (value == 1)


def by_hand(x, size, align, half):
    """Bilinear resize of a plane, sum of four products in the order of the library, float32."""
    one, rows = np.float32(1), []
    places = []
    for held, wanted in zip(x.shape, size, strict=True):
        scale = np.float32(held) / np.float32(wanted)
        if align and wanted > 1:
            scale = np.float32(held - 1) / np.float32(wanted - 1)
        axis = []
        for index in range(wanted):
            place = np.float32(index) * scale
            if half:
                place = (np.float32(index) + np.float32(0.5)) * scale - np.float32(0.5)
            first = max(floor(place), 0)
            axis.append((min(first, held - 1), min(ceil(place), held - 1),
                         place - np.float32(first)))
        places.append(axis)
    for top, bottom, down in places[0]:
        rows.append([x[top, left] * (one - down) * (one - across)
                     + x[bottom, left] * down * (one - across)
                     + x[top, right] * (one - down) * across
                     + x[bottom, right] * down * across for left, right, across in places[1]])
    return np.array(rows, np.float32)


@pytest.mark.parametrize(("align", "half"), [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("size", [(1, 1), (1, 5), (3, 4), (7, 2), (9, 13)])
def test_a_resize_of_floats(size, align, half):
    x = random_of(3).normal(size=(1, 3, 4, 1)).astype(np.float32)

    output = run(PlainResize(size, align, half), Tensor(x)).output.data

    np.testing.assert_array_equal(output[0, :, :, 0], by_hand(x[0, :, :, 0], size, align, half))
