# SPDX-License-Identifier: Apache-2.0
"""Quantised tensors of MLI 2.0: what they hold, and what they refuse."""

import numpy as np
import pytest

from xymac.golden.mli2 import Affine, Element, Fixed, QuantTensor

BYTES = np.zeros((2, 3), np.int8)


def test_elements_are_those_of_the_library():
    assert {element.name: (hex(element.value), element.bits, element.dtype.name)
            for element in Element} == {
        "FX_4": ("0x4", 4, "int8"), "FX_8": ("0x8", 8, "int8"), "FX_16": ("0x10", 16, "int16"),
        "SA_8": ("0x108", 8, "int8"), "SA_32": ("0x120", 32, "int32"),
        "FP_16": ("0x210", 16, "float16"), "FP_32": ("0x220", 32, "float32")}


def test_zero_points_are_taken_off_along_their_dimension():
    data   = np.array([[1, 2, 3], [4, 5, -128]], np.int8)
    kind   = Affine((1, -2, 127), (1, 1, 1), (0, 0, 0), 1)
    tensor = QuantTensor(data, Element.SA_8, kind)

    assert tensor.centred.tolist() == [[0, 4, -124], [3, 7, -255]]
    assert tensor.part(1) == QuantTensor(data[1], Element.SA_8,
                                         Affine((1, -2, 127), (1, 1, 1), (0, 0, 0), 0))
    rows = QuantTensor(data, Element.SA_8, Affine((7, 8), (3, 4), (5, 6), 0))
    assert rows.part(1).format == Affine(8, 4, 6)
    assert tensor != rows
    assert tensor != 3


def test_numpy_integers_are_taken_as_ints():
    kind = Affine(np.int16(3), np.int16(32767), np.int8(5))
    assert (type(kind.zero_point), type(kind.scale), type(kind.dim)) == (int, int, int)
    assert type(Fixed(np.int8(-3)).frac_bits) is int


@pytest.mark.parametrize(("values", "error", "message"), [
    ((0, 0, 0), ValueError, r"^scale must be between 1 and 32767, not 0$"),
    ((0, -5, 0), ValueError, r"^scale must be between 1 and 32767, not -5$"),
    ((0, 1 << 15, 0), ValueError, r"^scale must be between 1 and 32767, not 32768$"),
    ((1 << 15, 1, 0), ValueError, r"^zero_point must be between -32768 and 32767, not 32768$"),
    ((0, 1, 128), ValueError, r"^scale_frac_bits must be between -128 and 127, not 128$"),
    ((0, 1.5, 0), TypeError, r"^scale must be an int, not float$"),
    ((0, 1, True), TypeError, r"^scale_frac_bits must be an int, not bool$"),
    ((0, 1, 0, 4), ValueError, r"^dim must be between -1 and 3, not 4$"),
    ((0, (1, 2), 0), TypeError, r"^scale of a whole tensor must be an int, not a tuple$"),
    ((0, (1, 2), (0, 0), 0), TypeError, r"^zero_point along dimension 0 must be a tuple, not int$"),
    (((0,), (1, 2), (0, 0), 0), ValueError, r"^scale has 2 values, zero_point has 1$"),
    (((0, 0), (1, 0), (0, 0), 0), ValueError, r"^scale must be between 1 and 32767, not 0$")])
def test_affine_refuses(values, error, message):
    with pytest.raises(error, match=message):
        Affine(*values)


@pytest.mark.parametrize(("frac_bits", "error", "message"), [
    (128, ValueError, r"^frac_bits must be between -128 and 127, not 128$"),
    ("3", TypeError, r"^frac_bits must be an int, not str$")])
def test_fixed_refuses(frac_bits, error, message):
    with pytest.raises(error, match=message):
        Fixed(frac_bits)


@pytest.mark.parametrize(("arguments", "error", "message"), [
    ((BYTES, 8, Fixed(0)), TypeError, r"^element must be an Element, not int$"),
    ((BYTES, Element.FX_16, Fixed(0)), TypeError,
     r"^Data of FX_16 must be a numpy array of int16, not int8$"),
    (([0], Element.FX_8, Fixed(0)), TypeError, r"must be a numpy array of int8, not list$"),
    ((BYTES, Element.FX_8, None), TypeError, r"^Format of FX_8 must be Fixed, not NoneType$"),
    ((BYTES, Element.SA_8, Fixed(0)), TypeError, r"^Format of SA_8 must be Affine, not Fixed$"),
    ((BYTES.astype(np.float32), Element.FP_32, Fixed(0)), TypeError,
     r"^Format of FP_32 must be NoneType, not Fixed$"),
    ((BYTES.reshape(1, 1, 2, 1, 3), Element.FX_8, Fixed(0)), ValueError,
     r"^A tensor has at most 4 dimensions, not 5$"),
    ((BYTES[:0], Element.FX_8, Fixed(0)), ValueError,
     r"^A tensor must not be empty, but has shape \(0, 3\)$"),
    ((BYTES + np.int8(8), Element.FX_4, Fixed(0)), ValueError,
     r"^Data of FX_4 must be between -8 and 7, not 8 to 8$"),
    ((BYTES, Element.SA_8, Affine((0,), (1,), (0,), 2)), ValueError,
     r"^dim must be less than the 2 dimensions, not 2$"),
    ((BYTES, Element.SA_8, Affine((0,) * 4, (1,) * 4, (0,) * 4, 1)), ValueError,
     r"^Dimension 1 has 3 elements, the format 4 scales$")])
def test_tensor_refuses(arguments, error, message):
    with pytest.raises(error, match=message):
        QuantTensor(*arguments)
