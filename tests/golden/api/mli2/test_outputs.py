# SPDX-License-Identifier: Apache-2.0
"""Outputs of MLI 2.0: parts of a result, the fields that functions leave, and what is refused."""

from copy import deepcopy

import numpy as np
import pytest

from tests.support.broken import (
    ADD,
    ARGMAX,
    AVE,
    CONV,
    CONVERT,
    CONVOLUTIONS,
    DENSE,
    LEAKY,
    LSTM,
    MAX,
    PERMUTE,
    PRELU,
    RELU,
    RNN,
    SIGM,
    SOFTMAX,
    TRANSPOSE,
    axis,
    call_of,
    put,
    refuses,
)
from tests.support.calls.mli2 import CHECKED, OK, PATTERN, fx, sa
from tests.support.calls.mli2_built import legal
from tests.support.calls.parts import PARTS, part_of
from xymac.golden.api.mli2.configs import mli_argmax_cfg, mli_permute_cfg, mli_rnn_results
from xymac.golden.api.mli2.functions import function as released
from xymac.golden.api.mli2.memory import read
from xymac.golden.api.mli2.types import format_of, mli_data_container, mli_element_type, mli_tensor
from xymac.golden.mli2 import Affine, Build

LIBRARY = CHECKED[Build.UP_FULL]
CELLS   = ("mli_krn_lstm_cell_fx16", "mli_krn_gru_cell_fx16")
TYPES   = mli_element_type.__members__


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize(("name", "make", "whole", "shape"), PARTS)
def test_a_smaller_output_is_the_first_part_of_the_result(name, make, whole, shape, gaps):
    full, _ = part_of(make, whole, whole)
    assert LIBRARY.function(name)(*full) is OK
    if "maxpool" in name or "transpose" in name:
        gaps = True  # The library wants room for all with these strides.
    args, memory = part_of(make, whole, shape, gaps=gaps)
    strides = args[-1].mem_stride

    assert LIBRARY.function(name)(*args) is OK

    out = args[-1]
    assert (out.shape, out.rank, out.mem_stride) == (shape, len(shape), strides)
    wanted = read(full[-1])[tuple(map(slice, shape))]
    np.testing.assert_array_equal(read(out), wanted)
    read(out)[...] = PATTERN
    assert set(memory) == {PATTERN}


def test_a_smaller_output_needs_room_for_its_own_elements():
    """The first 2 rows of 3, in a buffer of 64 elements."""
    name, make, whole, shape = PARTS[0]
    args, memory = part_of(make, whole, shape, gaps=False)
    args[-1].data = mli_data_container(mem=np.full(64, PATTERN, np.int16))

    assert LIBRARY.function(name)(*args) is OK

    assert args[-1].shape == (2, 3, 4)
    assert set(args[-1].data.mem.pi16[24:]) == {PATTERN}
    assert memory.size == 41


@pytest.mark.parametrize(("function", "change", "kept"), [
    (RELU, {}, False), (SIGM, {}, False), ("mli_krn_leaky_relu_fx16", {}, True),
    ("mli_krn_eltwise_add_fx16", {}, True), ("mli_krn_avepool_hwc_fx16", {}, True),
    (MAX, {}, False)])
def test_a_function_leaves_the_fields_that_are_the_callers(function, change, kept):
    args = legal(function) | change
    out  = args["out"]
    out.el_params = fx(3)
    before = out.shape, out.rank, out.mem_stride, out.el_type

    assert LIBRARY.function(function)(**args) is OK

    assert (out.shape, out.rank, out.mem_stride, out.el_type) == before
    assert (out.el_params.fx.frac_bits == 3) == kept


@pytest.mark.parametrize("name", CELLS)
def test_the_last_output_of_a_cell_may_have_one_dimension(name):
    whole = legal(name)
    whole["cfg"].results = mli_rnn_results.RNN_OUT_LAST
    args  = deepcopy(whole)
    count = args["prev_out"].shape[0]
    for held in (whole, args):
        held["out"] = mli_tensor(np.zeros((1, count), np.int16),
                                 el_params=held["out"].el_params)
    args["out"].shape, args["out"].rank, args["out"].mem_stride = (count,), 1, (1, 0, 0, 0)

    assert LIBRARY.function(name)(**whole) is LIBRARY.function(name)(**args) is OK

    assert (args["out"].shape, args["out"].rank) == ((1, count), 2)
    assert args["out"].data.mem.pi16.tolist() == whole["out"].data.mem.pi16.tolist()


@pytest.mark.parametrize("name", [
    "mli_krn_fully_connected_fx16", "mli_krn_conv2d_hwcn_fx16", "mli_krn_rnn_dense_fx16"])
def test_shapes_may_have_more_entries_than_the_rank(name):
    whole, args = legal(name), legal(name)
    for value in args.values():
        for tensor in value if isinstance(value, list) else [value]:
            if isinstance(tensor, mli_tensor):
                tensor.shape = (*tensor.shape, *(0,) * (4 - tensor.rank))

    assert LIBRARY.function(name)(**whole) is LIBRARY.function(name)(**args) is OK
    np.testing.assert_array_equal(read(args["out"]), read(whole["out"]))


@pytest.mark.parametrize("name", ["FX_8", "FX_16", "SA_8", "SA_32"])
def test_places_have_the_type_that_the_caller_gives(name):
    bits = {"FX_16": 16, "SA_32": 32}.get(name, 8)
    args = mli_tensor(np.array([[3, 9, 5], [8, 1, 2]], np.int16)), mli_argmax_cfg(-1, 2)
    out  = mli_tensor(mli_data_container(mem=np.full(8, PATTERN, np.int8)),
                      el_type=TYPES[f"MLI_EL_{name}"], el_params=sa())

    assert LIBRARY.mli_krn_argmax_fx16(*args, out) is OK

    assert read(out).tolist() == [[1, 3]]
    assert (out.rank, out.el_type) == (2, TYPES[f"MLI_EL_{name}"])
    assert set(out.data.mem.pi8[bits // 4:].tolist()) <= {PATTERN}


@pytest.mark.parametrize(("count", "status"), [
    (128, "MLI_STATUS_OK"), (129, "MLI_STATUS_INCOMPATEBLE_TENSORS")])
def test_the_last_place_must_fit_the_type_that_the_caller_gives(count, status):
    x   = mli_tensor(np.arange(count, dtype=np.int16))
    out = mli_tensor(mli_data_container(mem=np.zeros(4, np.int8)),
                     el_type=TYPES["MLI_EL_FX_8"], el_params=sa())

    assert LIBRARY.mli_krn_argmax_fx16(x, mli_argmax_cfg(-1, 1), out).name == status

    if count == 128:
        assert read(out).tolist() == [[127]]


def test_permute_copies_parameters_to_memory_that_the_caller_gives():
    kind = sa((1, 2, 3), (4, 5, 6), (7, 8, 9), 1)
    x    = mli_tensor(np.arange(6, dtype=np.int8).reshape(2, 3), el_params=kind)
    own, shared = (mli_tensor(np.zeros((3, 2), np.int8), el_params=params)
                   for params in (axis(0, 4), sa()))

    for out in (own, shared):
        held = out.el_params.sa.scale.mem.memory
        assert LIBRARY.mli_krn_permute_sa8(x, mli_permute_cfg((1, 0)), out) is OK
        assert format_of(out) == Affine((1, 2, 3), (4, 5, 6), (7, 8, 9), 0)
        assert np.shares_memory(out.el_params.sa.scale.mem.memory,
                                kind.sa.scale.mem.memory if held is None else held)


def _wider(args):
    return (args["out"].shape[0], args["out"].shape[1] + 1, args["out"].shape[2])


CASES = [
    *((function, "out.shape", lambda args: (0, *args["out"].shape[1:]), "BAD_TENSOR",
       r"Sizes of out must be 1 .*; found \[0\]")
      for function in (*CONVOLUTIONS, MAX, AVE, PERMUTE)),
    *((function, "out.shape", (1,), "BAD_TENSOR", r"Sizes of out .*; found \['1 sizes'\]")
      for function in (MAX, AVE)),
    *((function, "out.shape", _wider, "BAD_FUNC_CFG", "must not have more rows, columns or indices")
      for function in (*CONVOLUTIONS, MAX, AVE)),
    (PERMUTE, "out.shape", lambda args: (args["out"].shape[0] + 1, *args["out"].shape[1:]),
     "SHAPE_MISMATCH", "must not have more rows, columns or indices than the result"),
    *((function, "out.rank", 2, "SHAPE_MISMATCH", "Rank of out must be 3; found 2")
      for function in CONVOLUTIONS),
    *((function, "out.shape", lambda args: (*args["out"].shape[:2], args["out"].shape[2] + 1),
       "SHAPE_MISMATCH", "out must have one channel a filter") for function in CONVOLUTIONS),
    (TRANSPOSE, "cfg.dilation_width", 2, "BAD_FUNC_CFG", r"dilations of 1; found \(1, 2\)"),
    *((function, "out.data.capacity", lambda args: args["out"].data.capacity - 1, "NOT_ENGH_MEM",
       "out must have room for all bytes") for function in (*CONVOLUTIONS, MAX, AVE, RELU)),
    *((function, "out", lambda args: mli_tensor(
        np.zeros((9, 9), args["out"].data.mem.pi8.dtype), rank=4, shape=(1,) * 4, el_params=(
            args["out"].el_params), mem_stride=(9, 9, 9, 3), el_type=args["out"].el_type),
       "INCOMPATEBLE_TENSORS", r"last mem_stride of out must be 1 .*; found \(4, \d, [93]\)")
      for function in (RELU, SIGM, LEAKY, PRELU, DENSE, RNN, SOFTMAX, CONVERT)),
    (RELU, "out.rank", 5, "INCOMPATEBLE_TENSORS", "last mem_stride of out must be 1"),
    (ADD, "out.el_type", mli_element_type.MLI_EL_FX_8, "INCOMPATEBLE_TENSORS",
     "out must have the element type of in1"),
    *((LEAKY, "slope_coeff", lambda args, zero=zero: mli_tensor(
        np.ones((1,) * args["in_"].rank, np.int8), el_params=sa(zero)), "INCOMPATEBLE_TENSORS",
       rf"Zero point of slope_coeff must be -16384 \.\. 16383; found {zero}")
      for zero in (-16385, 16384)),
    (ARGMAX, "out.data.capacity", lambda args: args["out"].data.capacity * 2, "NOT_ENGH_MEM",
     "Capacity of out must be 4 bytes a place"),
    (ARGMAX, "out.el_type", mli_element_type.MLI_EL_FP_32, "TYPE_MISMATCH",
     r"out must be of type FX_8, FX_16, SA_8 or SA_32; found FP_32"),
    ("mli_krn_argmax_fx16", "out", mli_tensor(np.zeros(4, np.int8)), "INCOMPATEBLE_TENSORS",
     r"Places must fit the elements of out; found \(\d+, 127\)"),
    (LSTM, "out.mem_stride", (1, 1, 0, 0), "BAD_TENSOR", "mem_stride of out must fit the result"),
]


@pytest.mark.parametrize(("function", "path", "value", "status", "words"), CASES)
def test_bad_outputs_are_refused(function, path, value, status, words):
    args = call_of(function)
    if "Places" in words:
        args["in_"] = mli_tensor(np.zeros((99, 2), np.int16))
    put(args, path, value if callable(value) else deepcopy(value))
    refuses(function, args, status, words)


def test_scales_of_a_conversion_lie_along_one_dimension():
    args = {"in_": mli_tensor(np.zeros((2, 3), np.int8), el_params=axis(0, 2)),
            "out": mli_tensor(np.zeros((2, 3), np.int8), el_params=axis(1, 3))}
    refuses(CONVERT, args, "SIZE_MISMATCH", r"Scales must lie along one dimension; found \[0, 1\]")


def test_release_mode_says_what_does_not_fit():
    args = call_of(CONV)
    args["out"].shape = _wider(args)
    with pytest.raises(ValueError, match=r"out must not have more rows, columns or indices"):
        released(CONV)(**args)


@pytest.mark.parametrize(("name", "build", "scales", "fractions", "zeros", "element", "expected"), [
    ("min", Build.UP_FULL, (1, 18598), (6, 13), (-128, -128), 127, -126),
    ("max", Build.UP_FULL, (3, 29276), (15, 28), (96, 75), -128, -113),
    ("min", Build.CONVERGENT_FULL, (2, 16700), (18, 32), (0, 0), 69, 127)])
def test_the_scale_of_an_extreme_is_normalised_to_32_bits(name, build, scales, fractions, zeros,
                                                          element, expected):
    """Values of a C transcript of the library's kernel; an earlier one shifts scales by 16 bits."""
    x, out = (mli_tensor(np.full(1, element, np.int8), el_params=sa(*held))
              for held in zip(zeros, scales, fractions, strict=True))
    assert CHECKED[build].function(f"mli_krn_eltwise_{name}_sa8")(x, x, out) is OK
    assert read(out).tolist() == [expected]
