# SPDX-License-Identifier: Apache-2.0
"""Numbers in calls of MLI: both ends of every range are legal, the next number is told."""

import numpy as np
import pytest

from tests.support.broken import (
    ADD,
    ARGMAX,
    AVE,
    CONV,
    CONVERT,
    DENSE,
    GRU,
    L2,
    LEAKY,
    LSTM,
    MAX,
    PART,
    POINT,
    PRELU,
    RELU,
    RNN,
    SOFTMAX,
    TRANSPOSE,
    call_of,
    put,
)
from tests.support.calls.mli1 import arguments
from tests.support.calls.mli2 import fx, sa
from tests.support.seed import random_of
from xymac.golden.api.mli1.functions import Mli as Mli1
from xymac.golden.api.mli1.types import mli_element_type
from xymac.golden.api.mli2.functions import Mli as Mli2
from xymac.golden.api.mli2.mov.configs import mli_mov_cfg_t
from xymac.golden.api.mli2.types import mli_tensor
from xymac.golden.mli2 import Build

LOW, TOP, WORD = -2 ** 31, 2 ** 31 - 1, 2 ** 32 - 1
MLI1, MLI2     = Mli1(), Mli2(build=Build.UP_FULL)
SIDES          = ("padding_left", "padding_right", "padding_top", "padding_bottom")
SIZES          = ("height", "width")
MOVE           = "mli_mov_tensor_sync"
CONV1, MAX1, RELU1, DENSE1, LSTM1, CONCAT1, PAD1, POINT1 = (f"mli_{name}" for name in (
    "krn_conv2d_chw_fx16", "krn_maxpool_hwc_fx16", "krn_relu_fx16", "krn_fully_connected_fx16",
    "krn_lstm_cell_fx16", "krn_concat_fx16", "krn_padding2d_chw_fx16", "hlp_point_to_subtensor"))


def counted(functions, low, high, *fields):
    """Cases of fields of ``cfg``, whose name and range the sentence has."""
    return [(function, f"cfg.{field}", low, high, f"{field} must be {low} .. {high}; found")
            for function in functions for field in fields]


def fitted(functions, path, low, high, words):
    return [(function, path, low, high, words) for function in functions]


#: (function, argument or field, both ends of its range, words of a refusal beyond), MLI 2.0.
NEW = [
    *counted((CONV, TRANSPOSE, MAX, AVE), 0, 255, *SIDES),
    *counted((CONV, TRANSPOSE, MAX, AVE), 1, 255, *(f"stride_{side}" for side in SIZES)),
    *counted((CONV,), 1, 255, *(f"dilation_{side}" for side in SIZES)),
    *counted((MAX, AVE), 1, 255, *(f"kernel_{side}" for side in SIZES)),
    *counted((RNN,), 1, 4, "inputs_num"), *counted((POINT,), 1, 255, "first_out_dim_size"),
    *fitted((CONV, DENSE), "cfg.relu.type", 0, 3, "must be an mli_relu_type"),
    *fitted((RELU,), "cfg.type", 0, 3, "must be an mli_relu_type"),
    *fitted((LSTM, GRU), "cfg.direction", 0, 1, "must be an mli_rnn_direction"),
    *fitted((LSTM, GRU), "cfg.results", 0, 1, "must be an mli_rnn_results"),
    *fitted((LSTM, GRU), "cfg.act", 0, 2, "must be an mli_rnn_out_activation"),
    *fitted((PRELU, SOFTMAX, L2, ARGMAX), "cfg.axis", LOW, 2, "axis must be negative or less"),
    (ARGMAX, "cfg.topk", 1, 12, "topk must be from 1 to the elements of a slice"),
    (POINT, "cfg.coord_num", 1, 3, "coord_num must be from 1 to the rank"),
    *((POINT, f"cfg.start_coord.{axis}", 0, size - 1, "Every coordinate must be less")
      for axis, size in enumerate((3, 4))),
    *((PART, f"cfg.offset.{axis}", 0, 4 - size + axis - 1, "offset and size must lie within")
      for axis, size in enumerate((1, 3, 2))),
    *((PART, f"cfg.size.{axis}", 1, 3 + axis - offset, "offset and size must lie within")
      for axis, offset in enumerate((1, 0, 1))),
    (PART, "cfg.sub_tensor_rank", 2, 3, "sub_tensor_rank must leave out dimensions of 1 only"),
    *fitted((RELU, CONV, ADD), "out.data.capacity", 0, TOP, "out must be a tensor with memory"),
    *fitted((RELU,), "in_.data.capacity", 0, TOP, "in must be a valid tensor"),
    *((RELU, f"in_.mem_stride.{axis}", 0, TOP, f"mem_stride[{axis}] of {{}}, not 0 .. {TOP}")
      for axis in range(3)),
    *((RELU, f"in_.shape.{axis}", 1, WORD, f"shape[{axis}] of {{}}, not 1 .. {WORD}")
      for axis in range(3)),
    *((function, f"out.shape.{axis}", 1, WORD, f"Sizes of out must be 1 .. {WORD}")
      for function in (CONV, MAX) for axis in range(2)),
    *((RELU, path, -128, 127, "frac_bits") for path in ("in_.el_params.fx.frac_bits",)),
    (LSTM, "out.el_params.fx.frac_bits", -128, 127, "frac_bits"),
    *((MOVE, f"cfg.{field}.{axis}", low, high, "must have entries for every dimension")
      for field, low, high in (
          ("offset", 0, WORD), ("size", 0, WORD), ("sub_sample_step", 1, WORD),
          ("dst_offset", 0, WORD), ("dst_mem_stride", LOW, TOP), ("perm_dim", 0, WORD),
          ("padding_pre", 0, 255), ("padding_post", 0, 255)) for axis in (0, 2)),
]
#: The same for MLI 1.x.
OLD = [
    *counted((CONV1, MAX1, PAD1), 0, 255, *SIDES),
    *counted((CONV1, MAX1), 1, 255, *(f"stride_{side}" for side in SIZES)),
    *counted((MAX1,), 1, 255, *(f"kernel_{side}" for side in SIZES)),
    *counted((CONCAT1,), 0, 255, "axis"), *counted((POINT1,), 1, 255, "first_out_dim_size"),
    (CONCAT1, "cfg.tensors_num", 1, 8, "tensors_num must be at least 1"),
    *fitted((CONV1,), "cfg.relu.type", 0, 3, "must be an mli_relu_type"),
    *fitted((RELU1,), "cfg.type", 0, 3, "must be an mli_relu_type"),
    *fitted((LSTM1,), "cfg.mode", 0, 2, "must be an mli_rnn_mode"),
    *fitted((LSTM1,), "cfg.act", 0, 2, "must be an mli_rnn_out_activation"),
    *fitted((CONV1, DENSE1), "out.el_params.fx.frac_bits", 0, 255, "frac_bits of out must be 0"),
    *fitted((RELU1,), "in_.el_params.fx.frac_bits", 0, 255, "found frac_bits outside 0 .. 255"),
    *fitted((RELU1,), "in_.capacity", 0, WORD, "found bad capacity"),
    *fitted((RELU1,), "out.capacity", 0, WORD, "found bad capacity"),
    *((RELU1, f"in_.shape.{axis}", 1, WORD, "found empty dimension") for axis in range(2)),
    *fitted((RELU1,), "in_.rank", 0, 4, "found rank outside 0 .. 4"),
]


def flaw_of(library, function, args):
    """What a library says of a call; empty for a legal one."""
    spelled = library.function(function).name
    found   = library.violation(library.bind(spelled, dict.fromkeys(spelled.options, False) | args))
    return found[1] if found else ""


def place(args, path, value):
    """Put a number in a field, or in an entry of one that holds several."""
    parent, _, entry = path.rpartition(".")
    if not entry.isdigit():
        put(args, path, value)
        return
    owner = args
    for name in parent.split("."):
        owner = owner[name] if isinstance(owner, dict) else getattr(owner, name)
    put(args, parent, tuple(value if index == int(entry) else each
                            for index, each in enumerate(owner)))


def new_call(function):
    if function == MOVE:
        return {"src": mli_tensor(np.zeros((3, 4, 5), np.int16), el_params=fx(3)),
                "cfg": mli_mov_cfg_t(), "dst": mli_tensor(np.zeros(60, np.int16))}
    return call_of(function)


def old_call(function):
    args = arguments(function, random_of(5))
    for tensor in args.values():
        if hasattr(tensor, "capacity"):
            tensor.shape = (*tensor.shape, *(1,) * (4 - len(tensor.shape)))
    return args


@pytest.mark.parametrize(("library", "make", "case"), [
    *(pytest.param(MLI2, new_call, case, id=f"{case[0]}-{case[1]}") for case in NEW),
    *(pytest.param(MLI1, old_call, case, id=f"{case[0]}-{case[1]}") for case in OLD)])
def test_both_ends_of_a_range(library, make, case):
    function, path, low, high, words = case
    for value, inside in ((low, True), (high, True), (low - 1, False), (high + 1, False)):
        args = make(function)
        place(args, path, value)
        flaw = flaw_of(library, function, args)
        assert (words.format(value) in flaw) != inside, (value, flaw)


@pytest.mark.parametrize("function", [CONV, DENSE, GRU, AVE, LEAKY, SOFTMAX])
@pytest.mark.parametrize("argument", ["in_", "out"])
def test_zero_points_have_8_bits(function, argument):
    if function == SOFTMAX and argument == "out":
        return  # Its parameters are those of the function.
    for zero in (-129, -128, 127, 128):
        args  = call_of(function)
        scale = args[argument].el_params.sa
        args[argument].el_params = sa(zero, scale.scale.mem.i16, scale.scale_frac_bits.mem.i8)
        flaw = flaw_of(MLI2, function, args)
        assert ("Zero points must be" in flaw) == (not -128 <= zero <= 127), (zero, flaw)


def test_slopes_have_zero_points_of_15_bits():
    for function in (LEAKY, PRELU):
        for zero in (-16385, -16384, 16383, 16384):
            args = call_of(function)
            args["slope_coeff"] = mli_tensor(np.ones(
                args["slope_coeff"].shape, np.int8), el_params=sa(zero))
            flaw = flaw_of(MLI2, function, args)
            assert ("Zero point of slope_coeff" in flaw) == (not -16384 <= zero <= 16383), flaw


def test_scales_lie_along_no_dimension_or_one_of_the_tensor():
    for dim in (LOW - 1, LOW, -1, 2, 3):
        args = call_of(CONVERT)
        args["in_"] = mli_tensor(np.zeros((2, 3), np.int8), el_params=sa())
        args["in_"].el_params.sa.dim = dim
        flaw = flaw_of(MLI2, CONVERT, args)
        assert (f"sa.dim {dim}, not less than the 2 dimensions" in flaw) == (
            not LOW <= dim <= 1), flaw


@pytest.mark.parametrize("function", [CONV, DENSE, RNN, LSTM, GRU, MAX, RELU, PRELU, ADD, CONVERT,
                                      POINT, PART])
def test_inputs_need_no_memory_that_can_be_written(function):
    args = call_of(function)
    for name, value in args.items():
        for tensor in value if isinstance(value, list) else [value]:
            if isinstance(tensor, mli_tensor) and name not in ("out", "cell", "prev_out"):
                tensor.data.mem.memory.flags.writeable = False
    assert not flaw_of(MLI2, function, args)


def test_a_value_of_another_element_type_is_told():
    args  = arguments("mli_krn_eltwise_add_fx16", random_of(5))
    value = type(args["in2"])(1000, el_type=mli_element_type.MLI_EL_ASYM_I8)
    flaw  = flaw_of(MLI1, "mli_krn_eltwise_add_fx16", args | {"in2": value})
    assert "Both inputs must have one element type" in flaw
