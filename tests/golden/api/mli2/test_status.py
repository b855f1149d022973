# SPDX-License-Identifier: Apache-2.0
"""Bad tensors of the functions of MLI 2.0: the status and the words of every refusal."""

from copy import deepcopy

import numpy as np
import pytest

from tests.support.broken import (
    ADD,
    ARGMAX,
    AVE,
    CONVERT,
    CONVOLUTIONS,
    DENSE,
    GRU,
    L2,
    LEAKY,
    LSTM,
    MAX,
    MIN,
    PART,
    PERMUTE,
    POINT,
    PRELU,
    RELU,
    SAFX,
    SIGM,
    SOFTMAX,
    TRANSPOSE,
    WORDS,
    axis,
    call_of,
    first,
    put,
    refuses,
)
from tests.support.calls.mli2 import fx, sa
from xymac.golden.api.mli2.flaws import params_flaw
from xymac.golden.api.mli2.functions import function as released
from xymac.golden.api.mli2.types import mli_data_container, mli_element_type, mli_mem, mli_tensor

#: Function, what to change in a legal call, status, words.
TENSORS = [
    ("in_", None, "BAD_TENSOR", r"NoneType, no mli_tensor"),
    ("in_", 5, "BAD_TENSOR", r"int, no mli_tensor"),
    ("in_.rank", 5, "BAD_TENSOR", r"rank 5, not 1 \.\. 4"),
    ("in_.rank", 0, "BAD_TENSOR", r"rank 0, not 1 \.\. 4"),
    ("in_.rank", -1, "BAD_TENSOR", r"rank -1, not 1 \.\. 4"),
    ("in_.shape", (3,), "BAD_TENSOR", r"shape \(3,\) for rank 2"),
    ("in_.shape", (3, 0), "BAD_TENSOR", r"shape\[1\] of 0, not 1 \.\. 4294967295"),
    ("in_.shape", (3, 2.5), "BAD_TENSOR", r"shape\[1\] of 2\.5, not"),
    ("in_.el_type", 0x20, "BAD_TENSOR", r"element type 32, no mli_element_type"),
    ("in_.data", None, "BAD_TENSOR", r"data a NoneType, no mli_data_container"),
    ("in_.data", mli_data_container(), "BAD_TENSOR", r"no memory to point to"),
    ("in_.data.capacity", -1, "BAD_TENSOR", r"capacity -1, not 0 \.\. 2147483647"),
    ("in_.data.capacity", 23, "NOT_ENGH_MEM", r"within its capacity; found \(24, 23\)"),
    ("in_.shape", (4, 4), "NOT_ENGH_MEM", r"within its capacity; found \(32, 24\)"),
    ("in_.mem_stride", (5, 1), "NOT_ENGH_MEM", r"within its capacity; found \(28, 24\)"),
    ("in_.mem_stride", (4,), "BAD_TENSOR", r"mem_stride \(4,\) for rank 2"),
    ("in_.mem_stride", (-4, 1), "BAD_TENSOR", r"mem_stride\[0\] of -4, not 0 \.\. 2147483647"),
    ("in_.mem_stride", (4, 1.5), "BAD_TENSOR", r"mem_stride\[1\] of 1\.5, not 0"),
    ("in_.mem_stride", (3, 1), "BAD_TENSOR",
     r"mem_stride\[0\] of 3, less than the 4 of the dimensions after it"),
    ("in_.mem_stride", (4, 5), "BAD_TENSOR", r"mem_stride\[1\] of 5, more than the 4 before it"),
    ("in_.el_params", None, "BAD_TENSOR", r"el_params a NoneType, no mli_element_params"),
    ("in_.el_params", sa(), "BAD_TENSOR", r"el_params without fx"),
    ("in_.el_params", fx(128), "BAD_TENSOR", r"frac_bits 128, not -128 \.\. 127"),
    ("in_.el_params", fx(1.5), "BAD_TENSOR", r"frac_bits 1\.5, not"),
]
BYTES = [
    ("in_.el_params", fx(0), r"el_params without sa"),
    ("in_.el_params.sa.type", 1, r"sa\.type 1, not MLI_EL_PARAM_SC16_ZP16"),
    ("in_.el_params.sa.dim", 2, r"sa\.dim 2, not less than the 2 dimensions"),
    ("in_.el_params.sa.dim", 0.5, r"sa\.dim 0\.5, not less"),
    ("in_.el_params.sa.scale", None, r"sa\.scale a NoneType, no mli_data_container"),
    ("in_.el_params", sa(scale=0), r"sa\.scale 0, not 1 \.\. 32767"),
    ("in_.el_params", sa(scale=-5), r"sa\.scale -5, not 1 \.\. 32767"),
    ("in_.el_params.sa.scale", first(1), r"sa\.scale a pointer, not one value for the whole"),
    ("in_.el_params", axis(0, 2), r"sa\.zero_point of 2 values, not the 3 of dimension 0"),
    ("in_.el_params", axis(1, 3), r"sa\.zero_point of 3 values, not the 4 of dimension 1"),
    ("in_.el_params.sa.scale.capacity", 2, r"sa\.scale a value of capacity 2, not 0"),
    ("in_.el_params", axis(0, 3, scale=(1, 1)), r"sa\.scale of 2 values, not the 3 of dimension"),
    ("in_.el_params", axis(0, 3, scale_frac_bits=(0,) * 2), r"sa\.scale_frac_bits of 2 values, no"),
    ("in_.el_params", axis(0, 3, scale=(1, 0, 1)), r"sa\.scale\[1\] 0, not 1 \.\. 32767"),
    ("in_.el_params", axis(0, 3, scale=(1, 1, -1)), r"sa\.scale\[2\] -1, not 1 \.\. 32767"),
    ("in_.el_params", axis(0, 3, scale=5), r"sa\.scale with no memory to point to"),
]


@pytest.mark.parametrize("function", [CONVERT, SAFX])
@pytest.mark.parametrize(("path", "value", "status", "words"), TENSORS)
def test_tensors_are_checked(function, path, value, status, words):
    args = call_of(function)
    put(args, path, value if callable(value) else deepcopy(value))
    refuses(function, args, status, words)


@pytest.mark.parametrize(("path", "value", "words"), BYTES)
def test_parameters_of_bytes_are_checked(path, value, words):
    args = call_of(CONVERT)
    args["in_"] = mli_tensor(WORDS.astype(np.int8), el_params=sa())
    put(args, path, value if callable(value) else deepcopy(value))
    refuses(CONVERT, args, "BAD_TENSOR", words)


@pytest.mark.parametrize("element", ["FX_16", "SA_8"])
def test_parameters_at_their_ends_are_valid(element):
    kind = mli_element_type[f"MLI_EL_{element}"]
    ends = [fx(-128), fx(127)] if element == "FX_16" else [
        sa(-32768, 1, -128), sa(32767, 32767, 127), axis(0, 2, scale_frac_bits=(-128, 127)),
        axis(1, 3, scale=(1, 2, 32767)), axis(1, 3, zero_point=(-32768, 0, 32767))]

    assert [params_flaw(each, kind, (2, 3)) for each in ends] == [None] * len(ends)


def test_arrays_of_parameters_stay_in_memory():
    args = call_of(CONVERT)
    args["in_"] = mli_tensor(WORDS.astype(np.int8), el_params=axis(0, 3))
    held = args["in_"].el_params.sa.zero_point
    held.mem, held.capacity = mli_mem(pi16=np.zeros(2, np.int16)), 6
    refuses(CONVERT, args, "BAD_TENSOR", r"sa\.zero_point of 3 values, more than the 2 in memory")


@pytest.mark.parametrize(("path", "value", "words"), [
    ("data", None, "data a NoneType, no mli_data_container"),
    ("data.mem", lambda args: mli_mem(pi8=np.zeros(1, np.int8)),
     "a pointer in place of the value of rank 0"),
    ("data.capacity", 1, "capacity 1 of rank 0, not 0"),
    ("el_params", fx(128), r"frac_bits 128, not -128 \.\. 127"),
    ("el_type", 3, "element type 3, no mli_element_type")])
def test_values_are_checked(path, value, words):
    args = call_of(MIN) | {"in2": mli_tensor(1)}
    put(args, f"in2.{path}", value)
    refuses(MIN, args, "BAD_TENSOR", f"in2 must be a valid tensor; found {words}")


def test_a_transposed_convolution_has_an_output():
    args = call_of(TRANSPOSE)
    args["in_"] = mli_tensor(np.zeros((1, 1, args["in_"].shape[2]), np.int8),
                             el_params=args["in_"].el_params)
    size = args["weights"].shape[0] - 1
    args["cfg"].padding_top = args["cfg"].padding_bottom = size
    refuses(TRANSPOSE, args, "SHAPE_MISMATCH", r"Output must have rows and columns; found \((0|-)")


def test_values_of_4_bits_are_checked():
    value = mli_tensor(8, el_type=mli_element_type.MLI_EL_FX_4)
    refuses(MIN, call_of(MIN) | {"in1": value}, "BAD_TENSOR", r"value 8 of 4 bits, not -8 \.\. 7")


def _arguments():
    for function in (*CONVOLUTIONS, DENSE, LSTM, GRU, MAX, AVE, RELU, LEAKY, PRELU, SIGM, SOFTMAX,
                     L2, ARGMAX, PERMUTE, ADD, MIN, CONVERT, POINT, PART):
        for argument in released(function).name.arguments:
            yield function, argument


@pytest.mark.parametrize(("function", "argument"), list(_arguments()))
def test_every_argument_must_be_there(function, argument):
    args   = call_of(function) | {argument: None}
    status = "BAD_FUNC_CFG" if argument == "cfg" or "lut" in argument else "BAD_TENSOR"
    refuses(function, args, status, rf"(?i:{argument.rstrip('_')}) must be .*; found .*")


@pytest.mark.parametrize(("function", "argument"), list(_arguments()))
def test_every_tensor_is_checked(function, argument):
    """Each function finds a decreasing stride in each of its tensors, and a small capacity."""
    args   = call_of(function)
    tensor = args[argument]
    if not isinstance(tensor, mli_tensor) or argument in ("out", "epsilon"):
        return
    tensor.mem_stride = (*(0,) * (tensor.rank - 1), 1 << 30)
    if tensor.rank > 1:
        tensor.mem_stride = (1, *tensor.mem_stride[1:])
        refuses(function, args, "BAD_TENSOR", rf"{argument.rstrip('_')} must be a valid tensor")
    tensor.mem_stride, tensor.data.capacity = (0,) * 4, tensor.data.capacity - 1
    refuses(function, args, "NOT_ENGH_MEM", "must lie within its capacity")
