# SPDX-License-Identifier: Apache-2.0
"""Helpers of MLI 2.0: numbers, parts of tensors, tables, conversion with every type."""

import numpy as np
import pytest

from tests.support.calls.mli2 import CHECKED, OK, fx, sa
from tests.support.seed import random_of
from xymac.golden import run
from xymac.golden.api.mli2 import functions as mli
from xymac.golden.api.mli2.configs import (
    mli_lut,
    mli_point_to_subtsr_cfg,
    mli_status,
    mli_sub_tensor_cfg,
)
from xymac.golden.api.mli2.memory import read, write
from xymac.golden.api.mli2.types import (
    format_of,
    mli_data_container,
    mli_element_type,
    mli_tensor,
    params_of,
)
from xymac.golden.mli2 import Affine, Build, ConvertTensor, Element, QuantTensor
from xymac.golden.mli2.lut import EXP, ROOT, SIGMOID, TANH

LIBRARY = CHECKED[Build.UP_FULL]
TYPES   = {element.name: mli_element_type[f"MLI_EL_{element.name}"] for element in Element}
AXES    = Affine((0, 1, 2), (3, 4, 5), (6, 7, 8), 1)


def test_numbers():
    x = mli_tensor(np.zeros((4, 3, 2), np.int8), el_params=params_of(AXES))

    assert [mli.mli_hlp_count_elem_num(x, dim) for dim in range(-1, 5)] == [0, 24, 6, 2, 1, 0]
    sizes = {name: mli.mli_hlp_tensor_element_size(mli_tensor(el_type=kind))
             for name, kind in TYPES.items()}
    assert sizes == {"FX_4": 0, "FX_8": 1, "FX_16": 2, "SA_8": 1, "SA_32": 4, "FP_16": 0,
                     "FP_32": 4}
    parameters = [(mli.mli_hlp_tensor_scale(x, index), mli.mli_hlp_tensor_scale_shift(x, index),
                   mli.mli_hlp_tensor_zero_offset(x, index)) for index in range(-1, 4)]
    assert parameters == [(0, 0, 0), (3, 6, 0), (4, 7, 1), (5, 8, 2), (0, 0, 0)]


@pytest.mark.parametrize(("params", "dtype", "expected"), [
    (fx(-3), np.int16, (1, -3, 0)), (sa(-7, 9, 11), np.int32, (9, 11, -7)),
    (fx(0), np.float32, (1, 0, 0)), (fx(0), np.float16, (0, 0, 0))])
def test_numbers_of_a_whole_tensor(params, dtype, expected):
    x = mli_tensor(np.zeros(3, dtype), el_params=params)
    assert (mli.mli_hlp_tensor_scale(x, 5), mli.mli_hlp_tensor_scale_shift(x, 5),
            mli.mli_hlp_tensor_zero_offset(x, 5)) == expected


def test_numbers_of_no_tensor_are_0():
    assert [mli.mli_hlp_tensor_element_size(None), mli.mli_hlp_count_elem_num(None, 0),
            mli.mli_hlp_tensor_scale(None, 0), mli.mli_hlp_tensor_scale_shift(None, 0),
            mli.mli_hlp_tensor_zero_offset(None, 0)] == [0] * 5


def test_pointers_are_compared():
    array = np.zeros((4, 4), np.int8)
    whole, part, other = (mli_tensor(data) for data in (array, array[:2, :2], array[1:]))

    assert mli.mli_hlp_tensor_data_ptr_cmp(whole, part) is True
    assert mli.mli_hlp_tensor_data_ptr_cmp(whole, other) is False
    assert mli.mli_hlp_tensor_data_ptr_cmp(mli_tensor(1), mli_tensor(1)) is False
    assert mli.mli_hlp_tensor_data_ptr_cmp(whole, None) is False
    other = mli_tensor(whole.data.mem.pi8, el_params=sa())
    assert mli.mli_hlp_tensor_data_ptr_cmp(other, other) is True
    assert mli.mli_hlp_tensor_data_ptr_cmp(whole, other) is False


@pytest.mark.parametrize(("cfg", "part"), [
    (((1, 1), 2, 2), np.s_[1, 1:3]), (((3,), 1, 2), np.s_[3:5]), (((1, 2, 3), 3, 2),
                                                                  np.s_[1, 2, 3:5])])
def test_a_point_to_a_part_shares_its_memory(cfg, part):
    array = np.arange(5 * 6 * 7, dtype=np.int16).reshape(5, 6, 7)
    x, out = mli_tensor(array, el_params=fx(4)), mli_tensor(shape=(9, 9, 9, 9), rank=0)

    assert LIBRARY.mli_hlp_point_to_subtensor(x, mli_point_to_subtsr_cfg(*cfg), out) is OK

    wanted = array[part]
    np.testing.assert_array_equal(read(out), wanted)
    assert np.shares_memory(read(out), array)
    assert (out.shape, out.data.capacity) == (
        wanted.shape + (9,) * (4 - wanted.ndim), wanted.nbytes)
    assert (out.rank, out.el_type, out.el_params.fx.frac_bits, out.mem_stride) == (
        wanted.ndim, TYPES["FX_16"], 4, (0, 0, 0, 0))


@pytest.mark.parametrize(("tensor", "stride"), [
    (mli_tensor(np.zeros((5, 6, 7), np.int16)[:, ::2]), (0,) * 4),
    (mli_tensor(np.zeros((5, 6, 7), np.int16)), (7, 1, 0, 0)),
    (mli_tensor(np.zeros((5, 6, 7), np.int16)), (1, 0, 0, 0))])
def test_a_point_to_a_part_needs_memory_without_gaps(tensor, stride):
    out = mli_tensor(mem_stride=stride)
    assert LIBRARY.mli_hlp_point_to_subtensor(tensor, mli_point_to_subtsr_cfg((1, 1), 2, 2), out) \
        is mli_status.MLI_STATUS_INCOMPATEBLE_TENSORS
    assert out.rank == 0


@pytest.mark.parametrize(("count", "status"), [
    (3, OK), (2, mli_status.MLI_STATUS_INCOMPATEBLE_TENSORS)])
def test_a_stride_of_1_is_that_of_a_single_dimension(count, status):
    x, out = mli_tensor(np.zeros((5, 6, 7), np.int16)), mli_tensor(mem_stride=(1, 0, 0, 0))
    cfg    = mli_point_to_subtsr_cfg((1, 1, 1), count, 2)
    assert LIBRARY.mli_hlp_point_to_subtensor(x, cfg, out) is status


@pytest.mark.parametrize(("offset", "size", "rank", "part"), [
    ((1, 2, 3), (3, 2, 4), 3, np.s_[1:4, 2:4, 3:7]),
    ((1, 2, 3), (1, 2, 1), 3, np.s_[1:2, 2:4, 3:4]),
    ((1, 2, 3), (1, 2, 1), 2, np.s_[1, 2:4, 3:4]), ((1, 2, 3), (1, 2, 1), 1, np.s_[1, 2:4, 3]),
    ((4, 5, 6), (1, 1, 1), 1, np.s_[4, 5, 6:])])
def test_a_part_has_the_strides_of_the_whole(offset, size, rank, part):
    array = np.arange(5 * 6 * 7, dtype=np.int16).reshape(5, 6, 7)
    x, out = mli_tensor(array), mli_tensor()

    assert LIBRARY.mli_hlp_create_subtensor(x, mli_sub_tensor_cfg(offset, size, rank), out) is OK

    np.testing.assert_array_equal(read(out), array[part])
    assert out.data.capacity == 2 * array.size - 2 * np.ravel_multi_index(offset, array.shape)
    write(out, np.full(out.shape, -1, np.int16))
    assert (array == -1).sum() == np.prod(size)


@pytest.mark.parametrize(("offset", "size", "rank", "kind"), [
    ((1, 1, 0), (2, 2, 2), 3, Affine((1, 2), (4, 5), (7, 8), 1)),
    ((1, 1, 0), (1, 2, 2), 2, Affine((1, 2), (4, 5), (7, 8), 0)),
    ((0, 2, 0), (4, 1, 2), 2, Affine(2, 5, 8))])
def test_a_part_has_the_scales_of_its_indices(offset, size, rank, kind):
    x, out = mli_tensor(np.zeros((4, 3, 2), np.int8), el_params=params_of(AXES)), mli_tensor()

    assert LIBRARY.mli_hlp_create_subtensor(x, mli_sub_tensor_cfg(offset, size, rank), out) is OK
    assert format_of(out) == kind


def test_a_part_keeps_fields_that_the_library_does_not_set():
    """Entries behind its rank; of scales along a dimension the memory and its capacity."""
    kind   = params_of(AXES)
    x, out = mli_tensor(np.zeros((4, 3, 2), np.int8), el_params=kind), mli_tensor(
        shape=(9, 9, 9, 9), mem_stride=(8, 8, 8, 8))
    cfg    = mli_sub_tensor_cfg((1, 1, 0), (1, 2, 2), 2)

    assert LIBRARY.mli_hlp_create_subtensor(x, cfg, out) is OK

    assert (out.shape, out.mem_stride) == ((2, 2, 9, 9), (2, 1, 8, 8))
    scales = out.el_params.sa.scale
    assert np.shares_memory(scales.mem.memory, kind.sa.scale.mem.memory)
    assert (scales.capacity, kind.sa.dim) == (kind.sa.scale.capacity, 1)


def test_strides_are_set_and_guard_bits_told():
    tensor = mli_tensor(np.zeros((4, 3, 2), np.int8), mem_stride=(9, 9, 9, 9))
    assert mli.mli_hlp_set_tensor_mem_strides(tensor) is None
    assert tensor.mem_stride == (6, 2, 1, 9)
    assert [getattr(mli, f"mli_hlp_accu_guard_bits_{types}")() for types in (
        "sa8_sa8", "fx16_fx16", "fx16_fx8")] == [16, 32, 8]


@pytest.mark.parametrize(("name", "table", "bits"), [
    ("sigm", SIGMOID, 15), ("tanh", TANH, 15), ("softmax", EXP, 15), ("l2_normalize", ROOT, 17)])
def test_tables_are_filled(name, table, bits):
    size = LIBRARY.function(f"mli_krn_{name}_get_lut_size")()
    lut  = mli_lut(np.full(size // 2 + 1, 77, np.int16))

    assert LIBRARY.function(f"mli_krn_{name}_create_lut")(lut) is OK

    assert lut.data.mem.pi16.tolist() == [*table.values, 77]
    assert (lut.type, lut.length, lut.in_frac_bits, lut.out_frac_bits, lut.input_offset,
            lut.output_offset) == (0x10, len(table.values), table.frac_bits, bits, table.offset, 0)


def convert(x, out):
    assert LIBRARY.mli_hlp_convert_tensor(x, out) is OK
    return read(out)


FORMATS = {"FX_4": fx(1), "FX_8": fx(4), "FX_16": fx(9), "SA_8": sa(3, 20000, 18),
           "SA_32": sa(0, 20000, 20)}


def empty(name, shape, params):
    """Output of a conversion."""
    element = Element[name]
    size    = int(np.prod(shape)) * element.dtype.itemsize
    return mli_tensor(mli_data_container(mem=np.zeros(size, np.uint8)), el_type=TYPES[name],
                      el_params=params)


@pytest.mark.parametrize("width", ["FP_16", "FP_32"])
@pytest.mark.parametrize("name", FORMATS)
def test_floats_become_integers_and_come_back(name, width):
    dtype  = Element[width].dtype
    values = np.array([[0.0, 0.25, -0.25, 0.75], [-0.75, 1.0, -1.25, 100.0]], dtype)
    out    = empty(name, values.shape, FORMATS[name])

    converted = convert(mli_tensor(values), out)

    kind  = format_of(out)
    scale = ((1, 2 ** kind.frac_bits) if name.startswith("FX") else
             (kind.scale, 2 ** kind.scale_frac_bits))
    zero  = 0 if name.startswith("FX") else kind.zero_point
    units = values.astype(np.float32) * (np.float32(scale[1]) / np.float32(scale[0]))
    away  = np.trunc(units + np.copysign(np.float32(0.5), units)).astype(np.int64)
    away[0, 0] = 0
    low, high = -(1 << Element[name].bits - 1), (1 << Element[name].bits - 1) - 1
    assert converted.tolist() == np.clip(away + zero, low, high).tolist()
    assert (out.shape, out.rank, out.el_type) == ((2, 4), 2, TYPES[name])

    back = convert(out, empty(width, values.shape, fx(0)))
    exact = (converted.astype(np.int64) - zero).astype(np.float32) * (
        np.float32(scale[0]) / np.float32(scale[1]))
    assert back.tolist() == exact.astype(dtype).tolist()


@pytest.mark.parametrize(("value", "units"), [
    (0.5, 1), (-0.5, -1), (1.5, 2), (-1.5, -2), (2.5, 3), (-2.5, -3), (0.49, 0), (-0.49, 0)])
def test_halves_go_away_from_0(value, units):
    for name in ("FX_8", "FX_16", "SA_8", "SA_32"):
        params = fx(0) if name.startswith("FX") else sa()
        out    = empty(name, (1,), params)
        assert convert(mli_tensor(np.array([value], np.float32)), out).tolist() == [units]


def test_4_bits_have_a_byte_each():
    x   = mli_tensor(np.array([1, -1, 7, 100, -100], np.int8), el_params=fx(0))
    out = empty("FX_4", (5,), fx(0))

    assert convert(x, out).tolist() == [1, -1, 7, 7, -8]
    assert out.data.mem.pi8.tolist() == [1, -1, 7, 7, -8]
    assert convert(out, empty("FX_16", (5,), fx(4))).tolist() == [16, -16, 112, 112, -128]


def test_too_large_for_a_short_float_is_infinite():
    x = mli_tensor(np.array([1 << 30, -1 << 30, 5], np.int32), el_params=sa())
    assert convert(x, empty("FP_16", (3,), fx(0))).tolist() == [np.inf, -np.inf, 5.0]


def test_conversion_along_a_dimension():
    rng  = random_of(0)
    data = rng.integers(-128, 128, (4, 3, 2), np.int8)
    kind = Affine((5, -6, 7), (20000, 30000, 16384), (15, 16, 14), 1)
    out  = mli_tensor(np.zeros_like(data), shape=(), rank=0, el_type=TYPES["SA_8"],
                      el_params=params_of(kind))

    converted = convert(mli_tensor(data, el_params=params_of(AXES)), out)

    layer = ConvertTensor(Element.SA_8, kind, Build.UP_FULL)
    np.testing.assert_array_equal(
        converted, run(layer, QuantTensor(data, Element.SA_8, AXES)).output.data)
    assert format_of(out) == kind


def test_conversion_of_integers_refuses_floats():
    x, out = mli_tensor(np.zeros(3, np.float32)), empty("FX_8", (3,), fx(0))
    assert LIBRARY.mli_hlp_convert_tensor_safx(x, out) is mli_status.MLI_STATUS_NOT_SUPPORTED
    x = mli_tensor(np.array([4, 8, -8], np.int16), el_params=fx(2))
    assert LIBRARY.mli_hlp_convert_tensor_safx(x, out) is OK
    assert read(out).tolist() == [1, 2, -2]
