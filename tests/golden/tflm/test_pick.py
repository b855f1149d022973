# SPDX-License-Identifier: Apache-2.0
"""Picked elements of TensorFlow Lite, index by index, and what these operators refuse."""

import numpy as np
import pytest

from tests.support.seed import random_of
from xymac.golden import run
from xymac.golden.tflm import (
    BatchToSpaceNd,
    BroadcastArgs,
    BroadcastTo,
    Cast,
    DepthToSpace,
    DynamicUpdateSlice,
    EmbeddingLookup,
    Fill,
    Gather,
    GatherNd,
    MirrorPad,
    Pack,
    PickAmong,
    Quantisation,
    ReverseV2,
    SelectV2,
    SpaceToBatchNd,
    SpaceToDepth,
    Tensor,
    ZerosLike,
)

KIND, OTHER = Quantisation((0.5,), (3,)), Quantisation((0.25,), (-7,))


def tensor(*shape, dtype=np.int8):
    ends = np.iinfo(dtype)
    return Tensor(random_of(1).integers(ends.min, ends.max, shape, dtype, endpoint=True), KIND)


def numbers(*values):
    return Tensor(np.array(values, np.int32))


def test_depth_to_space_and_back():
    x = tensor(2, 3, 2, 12)

    y = run(DepthToSpace(2, OTHER), x).output

    assert y.quantisation == OTHER
    for n, h, w, c in np.ndindex(2, 6, 4, 3):
        assert y.data[n, h, w, c] == x.data[n, h // 2, w // 2, (h % 2 * 2 + w % 2) * 3 + c]
    assert run(SpaceToDepth(2, KIND), y).output == x


def test_around_batches_are_zeros_whatever_the_zero_point():
    x = tensor(2, 3, 4, 2)

    y = run(SpaceToBatchNd((2, 3), ((1, 0), (0, 2)), OTHER), x).output

    assert y.shape == (12, 2, 2, 2)
    for n, h, w, c in np.ndindex(*y.shape):
        place, image = divmod(n, 2)
        row, column  = 2 * h + place // 3 - 1, 3 * w + place % 3
        wanted = x.data[image, row, column, c] if 0 <= row < 3 and 0 <= column < 4 else 0
        assert y.data[n, h, w, c] == wanted
    assert run(BatchToSpaceNd((2, 3), ((1, 0), (0, 2)), KIND), y).output == x


def test_fewer_images_than_blocks_make():
    """As files have them whose batch is open."""
    x = tensor(1, 4, 6, 2)

    y = run(SpaceToBatchNd((2, 2), ((0, 0), (0, 0)), images=1), x).output
    z = run(BatchToSpaceNd((2, 2), ((0, 0), (0, 0)), images=1), y).output

    assert np.array_equal(y.data, x.data[:, ::2, ::2])
    assert np.array_equal(z.data[:, ::2, ::2], y.data)
    assert not z.data[:, 1::2].any()
    assert not z.data[:, :, 1::2].any()


def test_elements_of_several_tensors():
    layer = PickAmong(np.array([[0, 1], [-1, 1]]), np.array([[3, 0], [0, 2]]), OTHER)
    x, y  = tensor(2, 2), tensor(5)

    assert run(layer, x, y).output == Tensor(np.array(
        [[x.data[1, 1], y.data[0]], [0, y.data[2]]], np.int8), OTHER)


def test_mirrored_elements():
    x = tensor(3, 4)
    for symmetric in (False, True):
        y = run(MirrorPad(((2, 1), (0, 3)), symmetric), x).output
        for row, column in np.ndindex(*y.shape):
            places = []
            for index, before, size in ((row, 2, 3), (column, 0, 4)):
                at = index - before
                at = -at - symmetric if at < 0 else at
                places.append(at if at < size else 2 * size - 2 + symmetric - at)
            assert y.data[row, column] == x.data[tuple(places)]


def test_slices_at_indices():
    x = tensor(2, 3, 4)
    y = run(Gather(numbers([2, 0], [1, 1]), -2, 1), x).output
    z = run(Gather(numbers([2, 0], [1, 1]), 2), x).output
    for a, b, c in np.ndindex(2, 2, 4):
        assert y.data[a, b, c] == x.data[a, [[2, 0], [1, 1]][a][b], c]
    for a, b, c, d in np.ndindex(2, 3, 2, 2):
        assert z.data[a, b, c, d] == x.data[a, b, [[2, 0], [1, 1]][c][d]]
    assert run(Gather(Tensor(np.array(1, np.int32)), 0), x).output.shape == (3, 4)
    assert np.array_equal(run(GatherNd(numbers([1, 2], [0, 0])), x).output.data,
                          [x.data[1, 2], x.data[0, 0]])
    assert np.array_equal(run(EmbeddingLookup(numbers(1, 1)), x).output.data, x.data[[1, 1]])


def test_repeated_and_reversed_elements():
    x = tensor(3, 1, dtype=np.int16)

    assert np.array_equal(run(BroadcastTo((2, 3, 4)), x).output.data,
                          np.broadcast_to(x.data, (2, 3, 4)))
    assert np.array_equal(run(ReverseV2((0, -1)), x).output.data, x.data[::-1])
    assert run(Fill((2, 3)), tensor()).output.data.tolist() == [[int(tensor().data)] * 3] * 2


def test_a_box_takes_the_place_of_elements_where_it_fits():
    x, update = tensor(3, 5), tensor(2, 3)

    y = run(DynamicUpdateSlice((-7, 9), OTHER), x, update).output

    assert y.quantisation == OTHER
    for row, column in np.ndindex(3, 5):
        inside = row < 2 <= column
        assert y.data[row, column] == (update.data[row, column - 2] if inside
                                       else x.data[row, column])


def test_selected_elements():
    condition = Tensor(np.array([[True], [False], [True]]))
    x, y = tensor(3, 4), Tensor(np.arange(4, dtype=np.int8), OTHER)

    z = run(SelectV2(), condition, x, y).output

    assert z.quantisation == KIND
    for row, column in np.ndindex(3, 4):
        assert z.data[row, column] == (y.data[column] if row == 1 else x.data[row, column])


FLOATS  = [1.9, -1.9, 128.0, -129.7, 40000.0, 3e9, -np.inf, np.nan, 0.0, -0.0]
NUMBERS = [0, 127, 128, 255, -129, 32767, 70000, -1 << 31]
CASTS = [  # as tflite-micro gives them
    (FLOATS, np.float32, np.int8, [1, -1, 127, -128, 127, 127, -128, 0, 0, 0]),
    (FLOATS, np.float32, np.int16, [1, -1, 128, -129, 32767, 32767, -32768, 0, 0, 0]),
    (FLOATS, np.float32, np.int32,
     [1, -1, 128, -129, 40000, (1 << 31) - 1, -1 << 31, 0, 0, 0]),
    (FLOATS, np.float32, np.bool_, [True] * 8 + [False] * 2),
    (NUMBERS, np.int32, np.int8, [0, 127, -128, -1, 127, -1, 112, 0]),
    (NUMBERS, np.int32, np.int16, [0, 127, 128, 255, -129, 32767, 4464, 0]),
    (NUMBERS, np.int32, np.bool_, [False] + [True] * 7)]


@pytest.mark.parametrize(("values", "kind", "to", "wanted"), CASTS)
def test_casts(values, kind, to, wanted):
    y = run(Cast(np.dtype(to)), Tensor(np.array(values, kind))).output

    assert (y.data.dtype, y.data.tolist()) == (np.dtype(to), wanted)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "float32"])
def test_packed_tensors(dtype):
    x = [Tensor(np.array([[1, 2, 3]], dtype) * number) for number in range(3)]

    y = run(Pack(-2), *x).output

    assert (y.data.dtype, y.shape) == (dtype, (1, 3, 3))
    assert all(np.array_equal(y.data[:, number], each.data) for number, each in enumerate(x))


def test_zeros_and_shapes():
    assert not run(ZerosLike(OTHER), tensor(2, 3)).output.data.any()
    assert run(BroadcastArgs(), numbers(3, 1), numbers(2, 1, 4)).output == numbers(2, 3, 4)


IMAGE, CUBE, WORDS = tensor(1, 4, 6, 8), tensor(2, 3, 4), tensor(4, 4, dtype=np.int16)
REFUSED = [
    (DepthToSpace(2), WORDS, r"^Input must be INT8 or FLOAT32, not INT16$"),
    (DepthToSpace(2), CUBE, r"^Input must have 4 dimensions, not 3$"),
    (DepthToSpace(0), IMAGE, r"^block must be at least 1, not 0$"),
    (DepthToSpace(3), IMAGE,
     r"^Channels of the input must be a multiple of the 9 elements of a block, not 8$"),
    (SpaceToDepth(3), IMAGE,
     r"^Dimension 1 must be a multiple of the 3 elements of a block, not 4$"),
    (SpaceToBatchNd((2,), ((0, 0),), images=1), WORDS,
     r"^Images of INT16 must all be computed, not 1 of them: the file must have a fixed batch$"),
    (SpaceToBatchNd((2,), ((0, 0),)), tensor(4, 4), r"^Input must have 3 or 4 dimensions, not 2$"),
    (SpaceToBatchNd((2,), ((0, 0),)), CUBE,
     r"^Dimension 1 with its pads must be a multiple of the 2 elements of a block, not 3$"),
    (SpaceToBatchNd((3,), ((-1, 1),)), CUBE, r"^pads must not be negative, not -1$"),
    (SpaceToBatchNd((3,), ()), CUBE, r"^pads must be a tuple of 1 pairs, not \(\)$"),
    (BatchToSpaceNd((3,), ((0, 0),)), CUBE,
     r"^Images must be a multiple of the 3 of a block, not 2$"),
    (BatchToSpaceNd((2,), ((3, 3),)), CUBE,
     r"^crops of dimension 1 must leave one of the 6 elements, not take 6$"),
    (MirrorPad(((1, 0),)), CUBE, r"^pads must have 3 entries, not 1$"),
    (MirrorPad(((0, 0), (3, 0), (0, 0))), CUBE,
     r"^pads must be between 0 and 2, the elements that there are to repeat, not \(3, 0\)$"),
    (BroadcastTo((2, 3, 5)), CUBE,
     r"^shape must be one that \(2, 3, 4\) can be repeated to, not \(2, 3, 5\)$"),
    (BroadcastTo((1, 1, 1, 2, 3, 4)), CUBE, r"^shape must have at most 5 dimensions, not 6$"),
    (BroadcastTo((0, 2, 3, 4)), CUBE, r"^shape must hold sizes of at least 1, not \(0, 2, 3, 4\)$"),
    (Fill((2,)), CUBE, r"^Input must have 0 dimensions, not 3$"),
    (ReverseV2((0, 2)), CUBE, r"^axes must be dimensions next to one another, not \(0, 2\)$"),
    (ReverseV2(()), CUBE, r"^axes must be dimensions next to one another, not \(\)$"),
    (ReverseV2((3,)), CUBE, r"^axis must be between -3 and 2, not 3$"),
    (Gather(numbers(3), 1), CUBE, r"^indices of dimension 1 must be between 0 and 2, not 3$"),
    (Gather(numbers(-1), 1), CUBE, r"^indices of dimension 1 must be between 0 and 2, not -1$"),
    (Gather(numbers(1), 0, 1), CUBE, r"^batch_dims must be between 0 and 0, not 1$"),
    (Gather(numbers([1]), 1, 1), CUBE,
     r"^Input and indices must have the same first 1 dimensions, not \(2,\) and \(1,\)$"),
    (Gather(tensor(2), 1), CUBE, r"^indices must be INT32, not INT8$"),
    (GatherNd(numbers([0, 0, 0, 0])), CUBE,
     r"^The last dimension of indices must be between 1 and 3, not 4$"),
    (GatherNd(numbers([0, 3])), CUBE, r"^indices of dimension 1 must be between 0 and 2, not 3$"),
    (EmbeddingLookup(numbers([0])), CUBE, r"^indices must have 1 dimension, not 2$"),
    (EmbeddingLookup(numbers(0)), tensor(3), r"^Input must have 2 dimensions at least, not 1$"),
    (ZerosLike(), WORDS, r"^Input must be INT8 or INT32 or INT64 or FLOAT32, not INT16$"),
    (Cast(np.dtype(np.uint8)), WORDS,
     r"^Output must be INT8, INT16, INT32, FLOAT32 or BOOL, not UINT8$"),
]


@pytest.mark.parametrize(("layer", "x", "message"), REFUSED, ids=str)
def test_refusals(layer, x, message):
    with pytest.raises((TypeError, ValueError), match=message):
        run(layer, x)


PAIRS = [
    (DynamicUpdateSlice((0, 0, 0)), [CUBE, tensor(2, 4, 4)],
     r"^Update must fit into the input of shape \(2, 3, 4\), not have shape \(2, 4, 4\)$"),
    (DynamicUpdateSlice((0, 0)), [CUBE, CUBE], r"^start must be a tuple of 3 ints, not \(0, 0\)$"),
    (DynamicUpdateSlice((0, 0)), [WORDS, tensor(4, 4)],
     r"^First input is INT16, second input is INT8$"),
    (SelectV2(), [CUBE, CUBE, CUBE], r"^Condition must be BOOL, not INT8$"),
    (SelectV2(), [Tensor(np.array(True)), WORDS, CUBE],
     r"^First input is INT16, second input is INT8$"),
    (SelectV2(), [Tensor(np.array(True)), tensor(2, 3), CUBE],
     r"^Inputs must have shapes that can be repeated to one, not \(\), \(2, 3\) and \(2, 3, 4\)$"),
    (BroadcastArgs(), [numbers(3), numbers(2)],
     r"^Shapes must have the same sizes or 1, not 3 and 2$"),
    (Pack(0), [CUBE, WORDS], r"^Input 0 is INT8, input 1 INT16$"),
    (Pack(0), [CUBE, IMAGE], r"^Input 0 has shape \(2, 3, 4\), input 1 \(1, 4, 6, 8\)$"),
    (Pack(4), [CUBE], r"^axis must be between -4 and 3, not 4$"),
    (PickAmong(np.array([1]), np.array([0])), [CUBE],
     r"^sources must be between -1 and 0, not 1$"),
    (PickAmong(np.array([0]), np.array([24])), [CUBE],
     r"^numbers of input 0 must be between 0 and 23, not 24 to 24$"),
    (SpaceToBatchNd((3,), ((0, 0),), images=7), [CUBE], r"^images must be between 1 and 6, not 7$"),
    (BroadcastArgs(), [numbers([3]), numbers(2)],
     r"^First input must have 1 dimension, not 2$"),
]


@pytest.mark.parametrize(("layer", "inputs", "message"), PAIRS, ids=str)
def test_refusals_of_several_inputs(layer, inputs, message):
    with pytest.raises((TypeError, ValueError), match=message):
        run(layer, *inputs)
