# SPDX-License-Identifier: Apache-2.0
"""Random parts of XS3 layers, and the comparison of their results with those of plain loops."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from tests.support.seed import SEED, examples, random_of
from xymac.golden import run
from xymac.golden.xs3 import Window

TOP = 2 ** 31 - 1
SETTINGS = settings(derandomize=SEED.is_default, deadline=None, max_examples=examples(60))
#: How a tensor of biases, scales and offsets is made: anything, or so that sums that saturate show.
KINDS = ("random", "high", "low")


def make_bso(rng, channels, kind="random", scale_down=False):
    """Rows (7, 16) a group; the padding holds shifts that would be refused.

    ``high`` and ``low`` begin near a limit of 32 bits, and their outputs of 8 bits tell
    differences of 2**16 in sums near it; with ``scale_down`` before a final shift of 8 bits.
    """
    bias = rng.integers(-TOP - 1, TOP + 1, channels)
    rows = [rng.integers(0, 32, channels), *rng.integers(-1 << 15, 1 << 15, (3, channels)),
            rng.integers(0, 32, channels)]
    if kind != "random":
        sign = 1 if kind == "high" else -1
        bias = sign * (TOP - rng.integers(0, 2, channels) * rng.integers(0, 1 << 18, channels))
        unit, shift = (256, 0) if scale_down else (1, 0)
        # 32640 * unit would pass 16 bits, so it is the product of scale and offset.
        rows = [np.full(channels, value)
                for value in (16, unit, -unit, sign * 32640, shift)]
    columns = np.stack([bias >> 16, bias & 0xFFFF, *rows])
    groups  = -(-channels // 16)
    bso     = np.full((7, groups * 16), 0xFFFF)
    bso[:, :channels] = columns & 0xFFFF
    return bso.reshape(7, groups, 16).transpose(1, 0, 2).astype(np.uint16)


def make_int8(rng, shape, loud):
    """Any values, or only those that make the largest products."""
    values = rng.choice([-128, -127, 127], shape) if loud else rng.integers(-128, 128, shape)
    return values.astype(np.int8)


@st.composite
def seeds(draw):
    """Generator, kind of the output tensor, whether values are loud, options of the output."""
    kind = draw(st.sampled_from(KINDS))
    options = {"low": draw(st.sampled_from([-128, -127])), "final_shift": draw(st.booleans())}
    rng = random_of(draw(st.integers(0, 2 ** 32 - 1)))
    return rng, kind, draw(st.booleans()), options


def windows(draw, kernel, sizes, inside=False):
    """A Window for a kernel on an image of ``sizes``, reaching out of it unless ``inside``."""
    stride = draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    if inside:
        start = tuple(draw(st.integers(0, size - k)) for size, k in zip(sizes, kernel, strict=True))
        out = tuple(draw(st.integers(1, (size - first - k) // step + 1)) for size, first, k, step
                    in zip(sizes, start, kernel, stride, strict=True))
        return Window(out, start, stride)
    start = tuple(draw(st.integers(-k - 1, size)) for size, k in zip(sizes, kernel, strict=True))
    return Window(draw(st.tuples(st.integers(1, 3), st.integers(1, 3))), start, stride)


def assert_equal(result, expected, dtype=np.int8):
    np.testing.assert_array_equal(result.output.data, expected)
    assert result.output.data.dtype == dtype
    assert result.overflow is False


def assert_same_shape(layer, *inputs):
    assert layer.output_shape(*(x.shape for x in inputs)) == run(layer, *inputs).output.shape
