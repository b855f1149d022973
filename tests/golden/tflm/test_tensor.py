# SPDX-License-Identifier: Apache-2.0
"""Tensors of TensorFlow Lite: what they are made of, parts of them, and what is refused."""

import numpy as np
import pytest

from xymac.golden.tflm import Quantisation, Tensor

BYTES = np.arange(-3, 3, dtype=np.int8).reshape(2, 3)
ONE   = Quantisation((0.5,), (3,))
AXIS  = Quantisation((0.5, 0.25, 2.0), (1, 0, -1), 1)


@pytest.mark.parametrize(("dtype", "name"), [
    (np.int8, "INT8"), (np.int16, "INT16"), (np.int32, "INT32"), (np.int64, "INT64"),
    (np.float32, "FLOAT32")])
def test_types_are_spelled_as_in_the_schema(dtype, name):
    assert Tensor(BYTES.astype(dtype)).type_name == name
    assert Tensor.zeros((2, 3), dtype) == Tensor(np.zeros((2, 3), dtype))


@pytest.mark.parametrize("shape", [(), (6,), (1, 6), (1, 2, 3), (1, 1, 2, 3), (1, 1, 2, 3, 1)])
def test_up_to_five_dimensions(shape):
    tensor = Tensor.zeros(shape, np.int16, ONE)

    assert tensor.shape == shape
    assert (tensor.centred == -3).all()


def test_elements_less_their_zero_points():
    assert Tensor(BYTES).centred.tolist() == BYTES.tolist()
    assert Tensor(BYTES, ONE).centred.tolist() == [[-6, -5, -4], [-3, -2, -1]]
    assert Tensor(BYTES, AXIS).centred.tolist() == [[-4, -2, 0], [-1, 1, 3]]
    assert Tensor(np.full((2,), -128, np.int8), Quantisation((1.0,), (127,))).centred.tolist() == [
        -255, -255]


@pytest.mark.parametrize(("kind", "slices", "scales", "zeros"), [
    (AXIS, (slice(0, 1), slice(1, 3)), (0.25, 2.0), (0, -1)),
    (AXIS, (slice(0, 1),), (0.5, 0.25, 2.0), (1, 0, -1)),
    (ONE, (slice(0, 1), slice(1, 3)), (0.5,), (3,))])
def test_parts_have_their_own_scales(kind, slices, scales, zeros):
    part = Tensor(BYTES, kind).take(slices)

    assert part == Tensor(BYTES[slices], Quantisation(scales, zeros, kind.axis))


def test_parts_of_plain_integers():
    assert Tensor(BYTES).take((slice(1, 2),)) == Tensor(BYTES[1:])


def test_numbers_of_numpy_are_plain():
    kind = Quantisation((np.float32(0.1), np.float64(2), 1), (np.int64(1), 2, 3), np.int32(0))

    assert kind == Quantisation((float(np.float32(0.1)), 2.0, 1.0), (1, 2, 3), 0)
    assert [type(value) for value in (*kind.scales, *kind.zero_points, kind.axis)] == (
        [float] * 3 + [int] * 4)
    assert (kind.scale, kind.zero_point) == (float(np.float32(0.1)), 1)


@pytest.mark.parametrize(("scales", "zeros", "axis", "message"), [
    ([0.5], (0,), -1, r"^scales must be a tuple, not list$"),
    ((0.5,), 0, -1, r"^zero_points must be a tuple, not int$"),
    (("1",), (0,), -1, r"^Scales must be numbers, not str$"),
    ((True,), (0,), -1, r"^Scales must be numbers, not bool$"),
    ((0.5,), (0.0,), -1, r"^zero_points and axis must be ints, not float$"),
    ((0.5,), (False,), -1, r"^zero_points and axis must be ints, not bool$"),
    ((0.5,), (0,), None, r"^zero_points and axis must be ints, not NoneType$"),
    ((0.1,), (0,), -1, r"^Scales must be float32, not 0\.1$"),
    ((1e300,), (0,), -1, r"^Scales must be float32, not 1e\+300$"),
    ((-1.0,), (0,), -1, r"^Scales must be finite and at least 0, not -1\.0$"),
    ((float("nan"),), (0,), -1, r"^Scales must be finite and at least 0, not nan$"),
    ((float("inf"),), (0,), -1, r"^Scales must be finite and at least 0, not inf$"),
    ((0.5,), (0, 0), -1, r"^There are 1 scales, but 2 zero points$"),
    ((0.5, 0.5), (0, 0), -1, r"^There must be 1 scale for a whole tensor, not 2$"),
    ((), (), 0, r"^There must be 1 scale for a whole tensor, not 0$"),
    ((0.5,), (0,), 8, r"^axis must be between -1 and 7, not 8$"),
    ((0.5,), (0,), -2, r"^axis must be between -1 and 7, not -2$")])
def test_what_is_no_quantisation(scales, zeros, axis, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Quantisation(scales, zeros, axis)


@pytest.mark.parametrize(("data", "kind", "message"), [
    ([1, 2], None, r"^Data must be a numpy array of int8, .*, bool, not list$"),
    (BYTES.astype(np.uint16), None, r"^Data must be a numpy array of .*, not uint16$"),
    (BYTES.astype(np.float64), None, r"^Data must be a numpy array of .*, not float64$"),
    (BYTES[:0], None, r"^A tensor must not be empty, but has shape \(0, 3\)$"),
    (BYTES.reshape(1, 1, 1, 1, 1, 1, 1, 2, 3), None,
     r"^A tensor has at most 8 dimensions, not 9$"),
    (BYTES, 0.5, r"^quantisation must be a Quantisation or None, not float$"),
    (BYTES.astype(np.float32), ONE, r"^Data of FLOAT32 have no scale, but there is 0\.5$"),
    (BYTES[0], AXIS, r"^axis must be less than the 1 dimensions, not 1$"),
    (BYTES[:, :2], AXIS, r"^Dimension 1 has 2 elements, but there are 3 scales$"),
    (BYTES, Quantisation((0.5,), (128,)),
     r"^Zero points of INT8 must be between -128 and 127, not 128$")])
def test_what_is_no_tensor(data, kind, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Tensor(data, kind)


def test_reals_have_no_zero_points():
    with pytest.raises(TypeError, match=r"^Zero points are of integers, not of FLOAT32$"):
        _ = Tensor(BYTES.astype(np.float32)).centred
