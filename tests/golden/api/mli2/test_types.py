# SPDX-License-Identifier: Apache-2.0
"""Structures of MLI 2.0: unions, what constructors fill in, and what they refuse."""

import numpy as np
import pytest

from tests.support.calls.mli2 import fx, sa
from xymac.golden.api.mli2 import functions as mli
from xymac.golden.api.mli2.types import (
    format_of,
    mli_data_container,
    mli_element_params,
    mli_element_type,
    mli_fx_params,
    mli_mem,
    mli_sa_params,
    mli_tensor,
    params_of,
)
from xymac.golden.mli2 import Affine, Fixed


def test_values_are_those_of_the_document():
    assert {kind.name: kind.value for kind in mli_element_type} == {
        "MLI_EL_FX_4": 0x004, "MLI_EL_FX_8": 0x008, "MLI_EL_FX_16": 0x010, "MLI_EL_SA_8": 0x108,
        "MLI_EL_SA_32": 0x120, "MLI_EL_FP_16": 0x210, "MLI_EL_FP_32": 0x220}
    assert (mli.MLI_EL_PARAM_SC16_ZP16, mli.RNN_DIR_BACKWARD, mli.RNN_OUT_ALL, mli.MLI_RELU_6,
            mli.MLI_RNN_MAX_INPUT, mli.MLI_MAX_RANK) == (0, 1, 1, 3, 4, 4)
    assert mli.mli_softmax_cfg is mli.mli_l2_normalize_cfg is mli.mli_prelu_cfg


def test_pointers_of_a_union_are_one_memory():
    array = np.array([[0x0201, 0x0403], [0x0605, -1]], np.int16)
    mem   = mli_mem(pi16=array)

    assert mem.pi8.tolist() == [1, 2, 3, 4, 5, 6, -1, -1]
    assert mem.pi32.tolist() == [0x04030201, -0xF9FB]
    mem.pi16[0] = 7
    assert array[0, 0] == 7
    mem.pf32 = np.array([1.5], np.float32)
    assert (mem.pi32[0], mem.pi16.tolist()) == (0x3fc00000, [0, 0x3fc0])
    mem.pi8 = None
    assert mem.pi32 is None


def test_values_of_a_union_are_the_same_bytes():
    mem = mli_mem(i32=-2)
    assert (mem.i16, mem.i8, mem.pi8) == (-2, -2, None)
    mem.i8 = 5
    assert mem.i32 == -251
    mem.f32 = 1.0
    assert mem.i32 == 0x3f800000


@pytest.mark.parametrize(("member", "error", "message"), [
    ({"pi16": [1]}, TypeError, r"^pi16 must be a contiguous numpy array of numbers, not list$"),
    ({"pi8": np.zeros((4, 4), np.int8)[:, :2]}, TypeError, r"not an array of int8, sliced$"),
    ({"pi32": np.array(["a"])}, TypeError, r"^pi32 must be .* not an array of <U1$"),
    ({"i8": 128}, ValueError, r"^i8 must be -128 \.\. 127, not 128$"),
    ({"i16": -32769}, ValueError, r"^i16 must be -32768 \.\. 32767, not -32769$"),
    ({"i32": 1.5}, TypeError, r"^i32 must be an int, not float$"),
    ({"i8": True}, TypeError, r"^i8 must be an int, not bool$"),
    ({"i8": 1, "i16": 1}, TypeError, r"^mem has one member at a time, not i8 and i16$"),
    ({"i64": 1}, TypeError, r"^mem has no member i64$")])
def test_unions_refuse(member, error, message):
    with pytest.raises(error, match=message):
        mli_mem(**member)


def test_containers_know_their_capacity():
    array = np.zeros(5, np.int32)
    assert mli_data_container(mem=array).capacity == 20
    assert mli_data_container(7, mli_mem(pi32=array)).capacity == 7
    assert mli_data_container(mem=mli_mem(i16=3)).capacity == 0
    assert repr(mli_mem(pi8=array)) == "mli_mem(pointer to 20 bytes)"
    assert repr(mli_mem(i8=3)) == "mli_mem(i32=3)"


def test_parameters_hold_values_or_arrays():
    whole = mli_sa_params(zero_point=-3, scale=5, scale_frac_bits=-6)
    axis  = mli_sa_params(zero_point=(0, 1), scale=[2, 3], scale_frac_bits=np.array([4, 5]), dim=1)

    assert (whole.zero_point.mem.i16, whole.scale.mem.i16, whole.scale_frac_bits.mem.i8) == (
        -3, 5, -6)
    assert axis.scale.mem.pi16.tolist() == [2, 3]
    assert (axis.scale.capacity, axis.scale_frac_bits.capacity) == (4, 2)


@pytest.mark.parametrize(("fields", "message"), [
    ({"scale": 1 << 15}, r"^scale must be -32768 \.\. 32767, not 32768$"),
    ({"zero_point": (0, 1 << 15)}, r"^zero_point must be -32768 \.\. 32767, not 32768$"),
    ({"scale_frac_bits": -129}, r"^scale_frac_bits must be -128 \.\. 127, not -129$")])
def test_parameters_refuse(fields, message):
    with pytest.raises(ValueError, match=message):
        mli_sa_params(**fields)


def test_parameters_of_elements_are_a_union():
    assert mli_element_params().fx.frac_bits == 0
    with pytest.raises(TypeError, match="one member at a time, not fx and sa"):
        mli_element_params(mli_fx_params(1), mli_sa_params())


@pytest.mark.parametrize("kind", [Fixed(-7), Affine(3, 4, 5), Affine((3, 4), (4, 5), (5, 6), 1)])
def test_formats_survive(kind):
    name   = "FX_8" if isinstance(kind, Fixed) else "SA_8"
    tensor = mli_tensor(el_type=mli_element_type[f"MLI_EL_{name}"], el_params=params_of(kind))
    assert format_of(tensor) == kind


@pytest.mark.parametrize(("dtype", "params", "name"), [
    (np.int8, fx(0), "FX_8"), (np.int16, fx(0), "FX_16"), (np.int8, sa(), "SA_8"),
    (np.int32, sa(), "SA_32"), (np.float16, fx(0), "FP_16"), (np.float32, fx(0), "FP_32"),
    (np.uint8, fx(0), "FX_16")])
def test_an_array_describes_a_tensor(dtype, params, name):
    tensor = mli_tensor(np.zeros((2, 3), dtype), el_params=params)

    assert (tensor.shape, tensor.rank, tensor.mem_stride) == ((2, 3), 2, (0, 0, 0, 0))
    assert tensor.el_type == mli_element_type[f"MLI_EL_{name}"]
    assert tensor.data.capacity == 6 * np.dtype(dtype).itemsize


def test_a_slice_gives_strides():
    array = np.arange(120, dtype=np.int16).reshape(4, 5, 6)

    part = mli_tensor(array[1:3, ::2, 2:5])
    assert (part.shape, part.mem_stride) == ((2, 3, 3), (30, 12, 1, 0))
    assert part.data.mem.pi16[[0, 30 + 24 + 2]].tolist() == [32, 88]
    assert part.data.capacity == 2 * 57
    assert np.shares_memory(part.data.mem.pi16, array)
    assert mli_tensor(array[:, 1:2]).mem_stride == (30, 6, 1, 0)


@pytest.mark.parametrize("part", [np.s_[::-1], np.s_[:, ::-1], np.s_[:, :, ::-2]])
def test_a_slice_backwards_is_refused(part):
    with pytest.raises(ValueError, match="data must be a slice with positive strides, not"):
        mli_tensor(np.zeros((4, 5, 6), np.int8)[part])


@pytest.mark.parametrize(("name", "value", "bits"), [
    ("FX_4", -8, -8), ("FX_8", -3, -3), ("SA_32", 1 << 30, 1 << 30), ("FP_32", 1.0, 0x3f800000),
    ("FP_16", 1.0, 0x3c00)])
def test_a_number_is_a_scalar(name, value, bits):
    tensor = mli_tensor(value, el_type=mli_element_type[f"MLI_EL_{name}"])

    assert (tensor.rank, tensor.data.capacity) == (0, 0)
    size = 8 if bits < 0 else 32
    assert getattr(tensor.data.mem, f"i{size}") == bits
