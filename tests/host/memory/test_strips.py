# SPDX-License-Identifier: Apache-2.0
"""Images in strips: every element where plain loops put it, and read back."""

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac.golden.tflm import Quantisation, Tensor
from xymac.hdl.isa import BANKS
from xymac.host.memory.layout import TensorLayout
from xymac.host.memory.strips import StripLayout
from xymac.host.memory.windows import AxisWindows

FILL = -77


def image(shape):
    rng = random_of(sum(shape))
    return Tensor(rng.integers(-50, 50, shape, np.int8), Quantisation((1.0,), (0,)))


def plain_loops(layout, x):
    """Elements of the layout in order, ``FILL`` where there is none."""
    _, height, width, channels = x.shape
    rows, cols, chunks, count, held = layout.shape[1:]
    made = np.full(layout.shape[1:], FILL)
    for row, col, strip in np.ndindex(rows, cols, count):
        unit = layout.strip.start + strip * layout.strip.stride + row
        run  = []
        for i, j, channel in np.ndindex(layout.down.taps, layout.across.taps, channels):
            at = (unit * layout.down.stride + layout.down.start + i * layout.down.dilation,
                  col * layout.across.stride + layout.across.start + j * layout.across.dilation)
            inside = 0 <= at[0] < height and 0 <= at[1] < width
            run.append(x.data[0, *at, channel] if inside else FILL)
        run += [FILL] * (chunks * held - len(run))
        made[row, col, :, strip] = np.reshape(run, (chunks, held))
    return made


@pytest.mark.parametrize(("channels", "held", "strips", "down", "across", "strip"), [
    (4, 4, BANKS, AxisWindows(9), AxisWindows(5), AxisWindows(BANKS, 5, 3, 1, -1)),
    (6, 4, BANKS, AxisWindows(9), AxisWindows(5), AxisWindows(BANKS, 3, 3)),
    (1, 1, 16, AxisWindows(9), AxisWindows(5), AxisWindows(16, 3, 1, 1, -1)),
    (3, 3, 5, AxisWindows(9), AxisWindows(5), AxisWindows(5, 2, 2)),
    (1, 4, BANKS, AxisWindows(5, 3, 2, 2, -1), AxisWindows(3, 3, 2, 1, -1),
     AxisWindows(BANKS, 2, 2)),
    (2, 4, BANKS, AxisWindows(9), AxisWindows(4, 3, 1, 1, 0), AxisWindows(BANKS, 4, 2, 1, -1))])
def test_elements_lie_as_plain_loops_put_them(channels, held, strips, down, across, strip):
    x      = image((1, 9, 5, channels))
    layout = StripLayout.of_strips(x, (0, 1, 2, 3), 4, down=down, across=across, strip=strip,
                                   held=held, fill=FILL)
    wanted = plain_loops(layout, x)

    cells = layout.cells(x.data)

    plain = TensorLayout(layout.shape, 8, 4, layout.order, 3, layout.parts)
    np.testing.assert_array_equal(plain.data(cells)[0], wanted)
    assert strips == layout.strip.count
    places = layout.places()[layout.spread(np.ones(layout.parts, int)).astype(bool).nonzero()[0]]
    first  = wanted[0, 0].ravel()
    np.testing.assert_array_equal(np.where(places < 0, FILL, x.data.ravel()[places]), first)
    held_elements = np.unique(layout.taken[layout.taken >= 0])
    np.testing.assert_array_equal(layout.data(cells).ravel()[held_elements],
                                  x.data.ravel()[held_elements])


def test_strips_are_of_one_image():
    x = image((1, 8, 3, 4))
    layout = StripLayout.of_strips(x, (0, 1, 2, 3), 4, down=AxisWindows(8), across=AxisWindows(3),
                                   held=4,
                                   strip=AxisWindows(BANKS, 2, 2))

    assert layout.like(x) == layout
    assert layout.in_banks
    with pytest.raises(ValueError, match=r"^Strips of \(1, 8, 3, 4\) cannot hold \(1, 8, 4, 4\)$"):
        layout.like(image((1, 8, 4, 4)))
