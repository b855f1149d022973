# SPDX-License-Identifier: Apache-2.0
"""Windows of an image in a memory: against plain loops, and back."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac.golden.tflm import Quantisation, Tensor
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.quads import QuadLayout
from xymac.host.memory.windows import AxisWindows, WindowLayout

FILL = -77


def image(seed, shape, dtype=np.int8):
    return Tensor(random_of(seed).integers(-128, 128, shape).astype(dtype),
                  Quantisation((1.0,), (0,)))


def windows_of(data, down, across):
    """Windows of (images, rows, columns, channels), one element after the other."""
    count, height, width, _ = data.shape
    result = []
    for number, row, col in product(range(count), range(down.count), range(across.count)):
        for i, j in product(range(down.taps), range(across.taps)):
            y = down.start + row * down.stride + i * down.dilation
            x = across.start + col * across.stride + j * across.dilation
            inside = 0 <= y < height and 0 <= x < width
            result.append(data[number, y, x] if inside else np.full(data.shape[3], FILL))
    return np.concatenate(result).reshape(count, down.count, across.count, -1)


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize(("down", "across"), [
    (AxisWindows(5), AxisWindows(3, 4, 2, 1, -1)), (AxisWindows(3, 3, 2, 1, -1), AxisWindows(6)),
    (AxisWindows(3, 2, 2, 3, -2), AxisWindows(4, 3, 1, 2, -1))])
def test_windows_lie_one_after_the_other(down, across, dtype):
    x      = image(1, (2, 5, 6, 3), dtype)
    layout = WindowLayout.of_windows(x, (0, 1, 2, 3), 4, down, across, fill=FILL)
    runs   = windows_of(x.data, down, across).astype(dtype)

    plain  = TensorLayout.of(Tensor(runs, x.quantisation), (0, 1, 2, 3), 4)

    np.testing.assert_array_equal(layout.cells(x.data), plain.cells(runs))
    assert (layout.groups, layout.rows, layout.dims) == (plain.groups, plain.rows, plain.dims)
    assert layout.arrangement != plain.arrangement
    elements = np.where(layout.places() < 0, FILL, x.data.ravel()[layout.places()])
    held     = plain.places() >= 0
    np.testing.assert_array_equal(elements[held], runs.ravel()[plain.places()[held]])


@pytest.mark.parametrize("across", [AxisWindows(6, 3, 1, 1, -1), AxisWindows(3, 2, 2)])
def test_quads_lie_vector_by_vector(across):
    """The windows of four pixels, filled up to vectors, their vectors in turns."""
    x, down = image(4, (2, 5, 6, 3)), AxisWindows(3, 3, 2, 1, -1)
    layout  = QuadLayout.of_windows(x, (0, 1, 2, 3), 4, down, across, fill=FILL)
    count   = -(-across.count // 4) * 4
    runs    = windows_of(x.data, down, replace(across, count=count))
    size    = -(-runs.shape[-1] // 4)
    padded  = np.pad(runs, [(0, 0)] * 3 + [(0, 4 * size - runs.shape[-1])], constant_values=FILL)
    turns   = padded.reshape(2, 3, count // 4, 4, size, 4).swapaxes(3, 4)
    quads   = turns.reshape(2, 3, count // 4, -1).astype(np.int8)

    plain = TensorLayout.of(Tensor(quads, x.quantisation), (0, 1, 2, 3), 4)

    np.testing.assert_array_equal(layout.cells(x.data), plain.cells(quads))
    assert (layout.groups, layout.dims, layout.spacing) == (plain.groups, plain.dims, 4)
    data = layout.data(layout.cells(x.data))
    held = np.unique(layout.taken[layout.taken >= 0])
    np.testing.assert_array_equal(data.ravel()[held], x.data.ravel()[held])


def test_channels_may_lie_outside():
    x      = image(2, (3, 5, 6))
    layout = WindowLayout.of_windows(x, (1, 2, 0), 2, AxisWindows(5), AxisWindows(6, 3, 1, 1, -1))
    moved  = x.data.transpose(1, 2, 0)[None]
    other  = WindowLayout.of_windows(image(2, moved.shape), (0, 1, 2, 3), 2, layout.down,
                                     layout.across)

    np.testing.assert_array_equal(layout.cells(x.data), other.cells(moved))


def test_what_windows_hold_comes_back():
    x      = image(3, (1, 5, 6, 2))
    layout = WindowLayout.of_windows(x, (0, 1, 2, 3), 4, AxisWindows(5), AxisWindows(3, 3, 2))
    short  = WindowLayout.of_windows(x, (0, 1, 2, 3), 4, AxisWindows(4), AxisWindows(3, 2, 2))

    assert not short.is_complete
    assert layout.is_complete
    np.testing.assert_array_equal(layout.data(layout.cells(x.data)), x.data)
    np.testing.assert_array_equal(short.data(short.cells(x.data))[:, :4], x.data[:, :4])
