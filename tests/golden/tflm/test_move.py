# SPDX-License-Identifier: Apache-2.0
"""Moved elements of TensorFlow Lite, index by index, and what operators without products refuse"""

from fractions import Fraction
from itertools import product
from math import ceil, floor

import numpy as np
import pytest

from tests.support.naive.tflm import away
from tests.support.seed import random_of
from xymac.golden import run
from xymac.golden.tflm import (
    Concatenation,
    HardSwish,
    LeakyRelu,
    Logistic,
    Pad,
    PadV2,
    Prelu,
    Quantisation,
    Quantize,
    Relu,
    Relu6,
    Reshape,
    ResizeBilinear,
    ResizeNearestNeighbor,
    Slice,
    Softmax,
    Split,
    StridedSlice,
    Tanh,
    Tensor,
    Transpose,
)

KIND, OTHER = Quantisation((0.5,), (3,)), Quantisation((0.25,), (-7,))
OUT16       = Quantisation((2.0 ** -15,), (0,))
EACH        = pytest.mark.parametrize("dtype", [np.int8, np.int16])


def cube(dtype, shape=(2, 3, 4)):
    ends = np.iinfo(dtype)
    return Tensor(random_of(1).integers(ends.min, ends.max, shape, dtype, endpoint=True), KIND)


@EACH
def test_transpose(dtype):
    x = cube(dtype)

    output = run(Transpose((2, 0, 1), OTHER), x).output

    assert (output.shape, output.quantisation) == ((4, 2, 3), OTHER)
    for a, b, c in np.ndindex(2, 3, 4):
        assert output.data[c, a, b] == x.data[a, b, c]


@EACH
def test_reshape_keeps_the_order(dtype):
    x = cube(dtype)
    for shape in ((24,), (4, -1), (1, 2, 3, 2, 2)):
        output = run(Reshape(shape), x).output

        assert output.data.reshape(-1).tolist() == x.data.reshape(-1).tolist()
        assert output.quantisation == KIND
    assert run(Reshape((4, -1)), x).output.shape == (4, 6)


@EACH
@pytest.mark.parametrize("axis", [2, -1])
def test_parts_joined_are_the_whole(dtype, axis):
    x = cube(dtype)
    x = Tensor(x.data, None) if dtype is np.int16 else x

    parts = [run(Split(axis, 2, index), x).output for index in range(2)]

    assert [part.shape for part in parts] == [(2, 3, 2)] * 2
    assert parts[1].data[0, 0].tolist() == x.data[0, 0, 2:].tolist()
    assert run(Concatenation(axis), *parts).output == x


@EACH
def test_slice(dtype):
    x = cube(dtype)

    output = run(Slice((1, 0, 2), (-1, 2, 1)), x).output

    assert output.data.tolist() == [[[x.data[1, b, 2]] for b in range(2)]]


@EACH
def test_strided_slice_takes_what_python_takes(dtype):
    x = cube(dtype, (5, 2))
    for begin, end, stride in product((None, -6, -2, 0, 3), (None, -4, 2, 9), (-2, -1, 1, 3)):
        places = list(range(5))[begin:end:stride]
        layer  = StridedSlice((begin, None), (end, None), (stride, 1))
        if places:
            assert run(layer, x).output.data.tolist() == x.data[places].tolist()
        else:
            with pytest.raises(ValueError, match=r"^Slice of dimension 0 must have an element"):
                run(layer, x)


def test_a_shrunk_dimension_is_its_first_element():
    x = cube(np.int8)

    output = run(StridedSlice((0, -1, None), (9, 0, None), (1, 1, 2), (1,)), x).output

    assert output.data.tolist() == x.data[:, 2, ::2].tolist()


@pytest.mark.parametrize(("dtype", "layer", "fill"), [
    (np.int8, Pad(((1, 0), (2, 3)), OTHER), -7), (np.int16, Pad(((1, 0), (2, 3)), OTHER), 0),
    (np.int8, PadV2(((1, 0), (2, 3)), OTHER, 99), 99),
    (np.int16, PadV2(((1, 0), (2, 3)), OTHER, -32768), -32768)])
def test_pad(dtype, layer, fill):
    x = cube(dtype, (2, 3))

    output = run(layer, x).output

    assert (output.shape, output.quantisation) == ((3, 8), OTHER)
    for row, column in np.ndindex(3, 8):
        inside = row >= 1 and 2 <= column < 5
        assert output.data[row, column] == (x.data[row - 1, column - 2] if inside else fill)


@EACH
@pytest.mark.parametrize(("options", "rows", "columns"), [
    ({}, [0, 0, 1], [0, 0, 0, 1, 1, 2, 2]),
    ({"align_corners": True}, [0, 1, 1], [0, 0, 1, 1, 1, 2, 2]),
    ({"half_pixel_centers": True}, [0, 1, 1], [0, 0, 1, 1, 1, 2, 2])])
def test_resize(dtype, options, rows, columns):
    x = cube(dtype, (2, 2, 3, 2))

    output = run(ResizeNearestNeighbor((3, 7), **options), x).output

    for n, row, column, c in np.ndindex(2, 3, 7, 2):
        assert output.data[n, row, column, c] == x.data[n, rows[row], columns[column], c]


@pytest.mark.parametrize(("options", "size"), [
    ((False, False), (4, 6)), ((False, True), (4, 6)), ((True, False), (5, 2)),
    ((False, True), (1, 7)), ((False, False), (3, 1))])
def test_interpolation_is_of_four_neighbours(options, size):
    x = cube(np.int8, (2, 2, 3, 2))

    output = run(ResizeBilinear(size, *options, OTHER), x).output

    assert output.quantisation == OTHER
    for n, row, column, c in np.ndindex(output.shape):
        weights = [weigh(place, whole, count, *options) for place, whole, count
                   in zip((row, column), (2, 3), size, strict=True)]
        exact   = sum(down * across * int(x.data[n, i, j, c])
                      for (i, down), (j, across) in product(*(each.items() for each in weights)))
        assert output.data[n, row, column, c] == away(exact), (n, row, column, c)


def weigh(place, size, out_size, align, half):
    """Fractions of the neighbours of an output, by their indices, in steps of 2**-10."""
    counts = (size - 1, out_size - 1) if align and out_size > 1 else (size, out_size)
    step   = (1024 * counts[0] + counts[1] // 2) // counts[1]
    exact  = Fraction(place * step + half * (step // 2 - 512), 1024)
    first  = max(floor(exact), 0)
    second = min(max(ceil(exact), 0), size - 1)
    weights = {first: 1 - (exact - first)}
    weights[second] = weights.get(second, 0) + exact - first
    return weights


SQUARE, WORDS = cube(np.int8, (2, 4)), cube(np.int16, (2, 4))
AXES = Tensor(SQUARE.data, Quantisation((0.5, 0.5), (0, 0), 0))
TINY = Tensor(SQUARE.data, Quantisation((2.0 ** -30,), (0,)))
WIDE = Tensor(WORDS.data, Quantisation((3.0,), (0,)))
PLAIN = Tensor(SQUARE.data)


@pytest.mark.parametrize(("layer", "inputs", "message"), [
    (Reshape((3, -1)), [SQUARE], r"^shape must be one of 8 elements, not \(3, -1\)$"),
    (Reshape((-1, -1)), [SQUARE], r"^shape must hold sizes from 1 on, and -1 once at most, "),
    (Reshape((8,)), [AXES], r"^Input must have one scale, not one along dimension 0$"),
    (Transpose((0, 0)), [SQUARE], r"^order must hold every dimension from 0 to 1 once, "),
    (Split(2, 2, 0), [SQUARE], r"^axis must be between -2 and 1, not 2$"),
    (Split(1, 3, 0), [SQUARE], r"^count must divide the 4 elements of dimension 1, not be 3$"),
    (Split(1, 2, 2), [SQUARE], r"^index must be between 0 and 1, not 2$"),
    (Slice((0, 3), (1, 2)), [SQUARE], r"^Slice must lie within the 4 elements of dimension 1, b"),
    (StridedSlice((0, 0), (1, 1), (1, 0)), [SQUARE], r"^strides must not be 0, not \(1, 0\)$"),
    (StridedSlice((0, 0), (1, 1), (1, 1), (2,)), [SQUARE], r"^shrink must hold dimensions from 0 "),
    (StridedSlice((0,), (1, 1), (1, 1)), [SQUARE], r"^begin must have 2 entries, not 1$"),
    (Concatenation(0), [SQUARE] * 11, r"^Concatenation takes 1 to 10 tensors, not 11$"),
    (Concatenation(0), [SQUARE, WORDS], r"^Input 0 is INT8, input 1 INT16$"),
    (Concatenation(0, OTHER), [SQUARE], r"^Input 0 must have the scale and zero point of the out"),
    (Concatenation(0), [WORDS], r"^Input 0 and the output must have zero point 0, not 3 and 3$"),
    (Pad(((0, -1), (0, 0)), KIND), [SQUARE], r"^pads must not be negative, not -1$"),
    (Pad(((0, 1),), KIND), [SQUARE], r"^pads must have 2 entries, not 1$"),
    (PadV2(((0, 1),) * 2, KIND, 128), [SQUARE], r"^value must be between -128 and 127, not 128$"),
    (ResizeNearestNeighbor((0, 1)), [cube(np.int8, (1, 2, 2, 1))], r"^size must be at least 1, "),
    (ResizeBilinear((3, 3), True, True, KIND), [cube(np.int8, (1, 2, 2, 1))],
     r"^align_corners must be False with half_pixel_centers, not True$"),
    (ResizeBilinear((3000, 3), False, False, KIND), [cube(np.int8, (1, 5, 2, 1))],
     r"^Every output must begin at one of the 5 elements of its axis, not at 5$"),
    (Softmax(OTHER), [SQUARE], r"^out must have scale 2\*\*-8 and zero point -128, not 0.25 "),
    (Softmax(OUT16, dtype=np.dtype(np.int8)), [WORDS], r"^Input and output must be INT8/INT8, "),
    (Softmax(Quantisation((2.0 ** -8,), (-128,))), [TINY], r"^beta times the scale of an INT8 "),
    (Logistic(KIND), [SQUARE], r"^out must have zero point -128, not 3$"),
    *((kind(Quantisation((0.25,), (-128,))), [Tensor(SQUARE.data, Quantisation((scale,), (0,)))],
       r"^Scale of an INT8 input must be at least 2\*\*-28 and less than 2\*\*35, not .*$")
      for scale in (2.0 ** -30, 2.0 ** 35, 2.0 ** 127) for kind in (Logistic, Tanh)),
    (Tanh(OUT16), [WIDE], r"^Scale of an INT16 input must be at least 3.79e-14 and .*, not 3$"),
    *((kind(OUT16), [Tensor(WIDE.data, Quantisation((2.0 ** -45,), (0,)))],
       r"^Scale of an INT16 input must be at least 3.79e-14 and less than 8/3, not 2.84217e-14$")
      for kind in (Logistic, Tanh)),
    (Tanh(Quantisation((0.5,), (0,))), [WIDE], r"^Scale of out must be 2\*\*-15 for INT16, not"),
    (Relu(KIND), [PLAIN], r"^Input must have a scale, but has none$"),
    (Relu(OUT16), [WORDS], r"^Input must have zero point 0, not 3$"),
    (Relu6(KIND), [Tensor(SQUARE.data, Quantisation((0.0,), (0,)))], r"^Scale of the input must"),
    (LeakyRelu(KIND, float("inf")), [SQUARE], r"^alpha must be finite, not inf$"),
    (Prelu(KIND, SQUARE), [cube(np.int8, (4,))], r"^alpha must have 1 or all of each of the "),
    (HardSwish(Quantisation((2.0 ** -9,), (0,))), [SQUARE], r"^Scale of the input must be less "),
    (Quantize(KIND, np.dtype(np.int32)), [Tensor(np.zeros(1, np.int32), KIND)],
     r"^Output of INT32 must be INT8 or INT16, not INT32$"),
    (Quantize(KIND, np.dtype(np.int8)), [Tensor(np.array([1e9, 2e9], np.float32))],
     r"^Every element must be less than 2\*\*31 steps of the output's scale, not 4e\+09$")])
def test_refusals(layer, inputs, message):
    with pytest.raises(ValueError, match=message):
        run(layer, *inputs)
