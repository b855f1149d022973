# SPDX-License-Identifier: Apache-2.0
"""Pooling kernels against plain loops over Python ints."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.naive.mli1 import divide, random_tensor, wrap40
from tests.support.seed import SEED, examples, random_of
from xymac.golden import run
from xymac.golden.mli1 import AvePool, Layout, MaxPool, Tensor, ave_pool, max_pool
from xymac.golden.parameters.mean import reciprocal
from xymac.hdl.isa import ROUNDINGS, RoundMode


def naive_mean(values, bits, rounding):
    """Mean of a window as the library computes it, and whether its accumulator overflowed."""
    count, shift = len(values), 0
    multiplier   = 1
    if count in (1, 2, 4, 8, 16):
        shift = (1, 2, 4, 8, 16).index(count)
    else:
        multiplier, shift = 2 ** 31 // count, 31
        while multiplier >= 2 ** 15:
            multiplier, shift = multiplier // 2, shift - 1
    acc = sum(values) * multiplier
    acc_bits = 40 if bits == 16 else 32
    overflow = not -2 ** (acc_bits - 1) <= acc < 2 ** (acc_bits - 1)
    return divide(wrap40(acc), shift, rounding, bits), overflow


def naive_pool(layer, x):
    """Five plain loops; returns outputs in the layout of ``layer`` and the overflow flag."""
    image = np.moveaxis(x.data, 2, 0) if layer.layout is Layout.HWC else x.data
    (channels, height, width), (kh, kw) = image.shape, layer.kernel
    top, bottom, left, right = layer.pad
    rows = -(-(height + top + bottom - kh + 1) // layer.stride[0])
    cols = -(-(width + left + right - kw + 1) // layer.stride[1])
    out, overflow = np.zeros((channels, rows, cols), x.data.dtype), False
    for c, row, col in np.ndindex(out.shape):
        first  = (row * layer.stride[0] - top, col * layer.stride[1] - left)
        values = [int(image[c, i, j]) for i in range(first[0], first[0] + kh)
                  for j in range(first[1], first[1] + kw) if 0 <= i < height and 0 <= j < width]
        if isinstance(layer, AvePool):
            out[c, row, col], left_range = naive_mean(values, x.bits, layer.rounding)
            overflow |= left_range
        else:
            out[c, row, col] = max(values)
    return (np.moveaxis(out, 0, 2) if layer.layout is Layout.HWC else out), overflow


def assert_matches_loops(layer, x):
    result = run(layer, x)

    expected, overflow = naive_pool(layer, x)
    np.testing.assert_array_equal(result.output.data, expected)
    assert result.output.data.dtype == x.data.dtype
    assert result.output.frac_bits == x.frac_bits
    assert result.output.shape == layer.output_shape(x.shape)
    assert result.overflow is overflow


@st.composite
def calls(draw):
    """A legal layer and its input: any shape, stride, padding and type."""
    kernel = draw(st.tuples(st.integers(1, 7), st.integers(1, 7)))
    pad    = tuple(draw(st.integers(0, size - 1)) for size in kernel for _ in range(2))
    shape  = [draw(st.integers(max(1, size - sum(pad[2 * axis:2 * axis + 2])), 9))
              for axis, size in enumerate(kernel)]
    layout = draw(st.sampled_from(Layout))
    shape.insert(0 if layout is Layout.CHW else 2, draw(st.integers(1, 3)))
    rng = random_of(draw(st.integers(0, 2 ** 32 - 1)))
    x   = random_tensor(rng, shape, draw(st.sampled_from([np.int8, np.int16])),
                        draw(st.integers(0, 255)), draw(st.sampled_from([2, 20, 1 << 15])))
    options = {"stride": draw(st.tuples(*[st.integers(1, 3)] * 2)), "pad": pad, "layout": layout}
    if draw(st.booleans()):
        return MaxPool(kernel, **options), x
    return AvePool(kernel, **options, rounding=draw(st.sampled_from(ROUNDINGS))), x


@settings(derandomize=SEED.is_default, deadline=None, max_examples=examples(300))
@given(calls())
def test_pools_match_loops(call):
    assert_matches_loops(*call)


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
@pytest.mark.parametrize("size", [(1, 31), (1, 32), (1, 33), (7, 9), (8, 8), (32, 32)])
def test_large_windows(size, dtype):
    rng = random_of(size[1])
    for top in (1, 50, 1 << 15):
        x = random_tensor(rng, (2, *size), dtype, 4, top)
        for rounding in ROUNDINGS:
            assert_matches_loops(AvePool(size, (1, 1), rounding=rounding), x)


@pytest.mark.parametrize(("dtype", "low"), [(np.int8, -128), (np.int16, -32768)])
@pytest.mark.parametrize(("columns", "overflow"), [(1024, False), (1025, True)])
def test_overflow_starts_beyond_1024_elements(dtype, low, columns, overflow):
    x     = Tensor(np.full((1, 1, columns), low, dtype), 0)
    layer = AvePool((1, columns), (1, 1))

    assert run(layer, x).overflow is overflow
    assert_matches_loops(layer, x)


@pytest.mark.parametrize(("count", "expected"), [
    (1, (1, 0)), (3, (0x5555, 16)), (7, (0x4924, 17)), (16, (1, 4)), (32, (0x4000, 19)),
    (33, (0x7C1F, 20))])
def test_reciprocal(count, expected):
    assert reciprocal(count) == expected


def test_ties_and_the_cut_reciprocal():
    halves = Tensor(np.array([[[1, 2]], [[3, 4]], [[-1, -2]]], np.int8), 0)
    assert ave_pool(halves, (1, 2), (1, 1)).output.data.ravel().tolist() == [2, 4, -2]
    assert ave_pool(halves, (1, 2), (1, 1),
                    rounding=RoundMode.UP).output.data.ravel().tolist() == [2, 4, -1]
    sevenths = Tensor(np.full((1, 1, 7), 32767, np.int16), 0)
    assert ave_pool(sevenths, (1, 7), (1, 1)).output.data.item() == 32766


def test_padding_never_wins():
    x = Tensor(np.full((1, 2, 2), -128, np.int8), 3)
    assert (max_pool(x, (2, 2), (1, 1), (1, 1, 1, 1)).output.data == -128).all()
    assert (ave_pool(x, (2, 2), (1, 1), (1, 1, 1, 1)).output.data == -128).all()


def test_functions_equal_layers():
    x = random_tensor(random_of(1), (5, 6, 3), np.int16, 7)
    arguments, options = ((3, 2), (2, 1), (1, 0, 0, 1)), {"layout": Layout.HWC}

    assert max_pool(x, *arguments, **options) == run(MaxPool(*arguments, **options), x)
    options["rounding"] = RoundMode.UP
    assert ave_pool(x, *arguments, **options) == run(AvePool(*arguments, **options), x)


MAX = MaxPool((3, 3), (1, 1))
AVE = AvePool((3, 3), (1, 1))
X   = Tensor(np.ones((3, 5, 5), np.int8), 4)


@pytest.mark.parametrize(("layer", "x", "message"), [
    (MAX, Tensor(np.ones((5, 5), np.int8), 4), r"^Input must have 3 dimensions, not 2$"),
    (AVE, Tensor(np.ones((3, 0, 5), np.int8), 4), r"^Input must not be empty, but has shape "),
    (replace(MAX, kernel=(0, 1)), X, r"^Kernel must have at least 1 of rows, not 0$"),
    (replace(AVE, kernel=(1, -1)), X, r"^Kernel must have at least 1 of columns, not -1$"),
    (replace(AVE, stride=(1, 0)), X, r"^Stride along columns must be at least 1, not 0$"),
    (replace(MAX, pad=(3, 0, 0, 0)), X,
     r"^Padding of rows must be between 0 and 2, less than the kernel, not 3$"),
    (replace(MAX, kernel=(6, 1)), X, r"^Kernel has 6 rows, the padded input only 5$"),
])
def test_refusals(layer, x, message):
    with pytest.raises(ValueError, match=message):
        run(layer, x)


@pytest.mark.parametrize(("layer", "inputs", "message"), [
    (MAX, (X.data,), r"^Input must be a Tensor, not ndarray$"),
    (replace(MAX, kernel=3), (X,), r"^kernel must be a tuple of 2 ints, not 3$"),
    (replace(MAX, stride=(1, 1.0)), (X,), r"^stride must be a tuple of 2 ints, not \(1, 1.0\)$"),
    (replace(AVE, pad=None), (X,), r"^pad must be a tuple of 4 ints, not None$"),
    (replace(AVE, layout="chw"), (X,), r"^layout must be a Layout, not str$"),
    (replace(AVE, rounding=1), (X,), r"^rounding must be a RoundMode, not int$"),
    (MAX, (X, X), r"^Inputs of MaxPool must be 1, not 2$"),
])
def test_type_refusals(layer, inputs, message):
    with pytest.raises(TypeError, match=message):
        run(layer, *inputs)
