# SPDX-License-Identifier: Apache-2.0
"""The conditions of every function of MLI 2.0: the status and the words of every refusal."""

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
    DEPTHWISE,
    GROUP,
    GRU,
    L2,
    LEAKY,
    LSTM,
    LUT,
    MAX,
    MIN,
    PART,
    PERMUTE,
    POINT,
    PRELU,
    RELU,
    RNN,
    SIGM,
    SOFTMAX,
    TRANSPOSE,
    axis,
    call_of,
    over,
    put,
    read_only,
    refuses,
    shaped,
)
from tests.support.calls.mli2 import fx, sa
from xymac.golden.api.mli2.conditions import CONDITIONS
from xymac.golden.api.mli2.configs import mli_lut, mli_permute_cfg, mli_relu_cfg
from xymac.golden.api.mli2.types import mli_data_container, mli_element_type, mli_tensor

PAD = ("padding_left", "padding_right", "padding_top", "padding_bottom")
CASES = [
    # Outputs.
    *((function, "out.data", mli_data_container(), "BAD_TENSOR", "no memory to point to")
      for function in (*CONVOLUTIONS, DENSE, LSTM, MAX, RELU, ADD, CONVERT)),
    *((function, "out.data", lambda args: read_only(np.zeros(9999, np.int8)), "BAD_TENSOR",
       "memory that cannot be written") for function in (CONV, ADD, PERMUTE)),
    *((function, "out.data.capacity", 0, "NOT_ENGH_MEM", r"room for all bytes; found \(\d+, 0\)")
      for function in (*CONVOLUTIONS, DENSE, RNN, LSTM, GRU, MAX, AVE, RELU, LEAKY, PRELU, SIGM,
                       SOFTMAX, L2, ARGMAX, PERMUTE, ADD, MIN, CONVERT)),
    *((function, "out.mem_stride", (1, 0, 0, 0), "BAD_TENSOR",
       r"mem_stride of out must fit the result; found mem_stride\[\d\] of ")
      for function in (CONV, CONVERT)),
    *((function, "out.mem_stride", (1 << 20, 0, 0, 0), "NOT_ENGH_MEM", "room for all bytes")
      for function in (CONV, CONVERT)),
    *((function, "out.el_params", fx(0), "BAD_TENSOR", "el_params without sa")
      for function in (*CONVOLUTIONS, DENSE, RNN, GRU, AVE, LEAKY, PRELU, ADD)),
    *((function, "out.el_params", axis(0, 1), "BAD_TENSOR", r"sa\.dim 0, not negative for one sc")
      for function in (CONV, DENSE, AVE, ADD)),
    (LSTM, "out.el_params", fx(128), "BAD_TENSOR", r"frac_bits 128, not"),
    (CONVERT, "out.el_type", 0x30, "BAD_TENSOR", "48 is not a valid mli_element_type"),
    # Types.
    *((function, "in_.el_type", mli_element_type.MLI_EL_FX_8, "BAD_TENSOR", "el_params without fx")
      for function in (CONV, AVE)),
    *((function, "in_", lambda args: mli_tensor(np.zeros(args["in_"].shape, np.int8)),
       "TYPE_MISMATCH", r"found \['in of type 0x008'\]")
      for function in (CONV, DENSE, LSTM, GRU, AVE, RELU, SIGM, SOFTMAX, ARGMAX, PERMUTE)),
    *((function, "bias", lambda args: mli_tensor(np.zeros(args["bias"].shape, np.int8),
                                                 el_params=sa()),
       "TYPE_MISMATCH", r"found \['bias of type 0x108'\]") for function in (CONV, DENSE, RNN)),
    (RNN, "weights.1.el_type", mli_element_type.MLI_EL_SA_32, "NOT_ENGH_MEM", "weights must lie"),
    # Windows.
    *((function, f"cfg.{side}", value, "BAD_FUNC_CFG", rf"{side} must be 0 \.\. 255; found {value}")
      for function in (CONV, TRANSPOSE, MAX, AVE) for side in PAD for value in (-1, 256)),
    *((function, f"cfg.{side}", 99, "BAD_FUNC_CFG", r"Padding must be less than the window; found")
      for function in (CONV, TRANSPOSE, MAX) for side in PAD),
    *((function, f"cfg.stride_{side}", 0, "BAD_FUNC_CFG", rf"stride_{side} must be 1 \.\. 255; fo")
      for function in (CONV, TRANSPOSE, MAX) for side in ("height", "width")),
    *((CONV, f"cfg.dilation_{side}", 0, "BAD_FUNC_CFG", rf"dilation_{side} must be 1 \.\. 255; fou")
      for side in ("height", "width")),
    (CONV, "cfg.dilation_height", 255, "SHAPE_MISMATCH", "Window must not be larger than the pad"),
    *((MAX, f"cfg.kernel_{side}", 0, "BAD_FUNC_CFG", rf"kernel_{side} must be 1 \.\. 255; found 0")
      for side in ("height", "width")),
    (MAX, "cfg.kernel_height", 99, "BAD_FUNC_CFG", "Window must not be larger than the padded"),
    *((function, "cfg.relu", None, "BAD_FUNC_CFG", "relu must be an mli_relu_cfg; found None")
      for function in (CONV, DENSE)),
    *((function, "cfg.relu", mli_relu_cfg(4), "BAD_FUNC_CFG", "must be an mli_relu_type; found 4")
      for function in (CONV, DENSE)),
    (RELU, "cfg.type", -1, "BAD_FUNC_CFG", "type must be an mli_relu_type; found -1"),
    # Shapes.
    *((function, "in_", shaped("in_", lambda shape: shape[1:]), "SHAPE_MISMATCH",
       "Rank of in must be 3; found 2") for function in (*CONVOLUTIONS, MAX, AVE)),
    *((function, "weights", shaped("weights", lambda shape: (1, *shape), whole=True)
       if function == DENSE else shaped("weights", lambda shape: shape[1:], whole=True),
       "SHAPE_MISMATCH", r"Rank of weights must be [24]; found 3")
      for function in (*CONVOLUTIONS, DENSE)),
    *((function, "bias", shaped("bias", lambda shape: (1, *shape), whole=True), "SHAPE_MISMATCH",
       "Rank of bias must be 1; found 2") for function in (*CONVOLUTIONS, DENSE, RNN)),
    *((function, "bias", shaped("bias", lambda shape: (shape[0] + 1,), whole=True),
       "SHAPE_MISMATCH", r"Bias must have one element an output; found \(\d+, \d+\)")
      for function in (*CONVOLUTIONS, DENSE)),
    *((function, "in_", shaped("in_", lambda shape: (*shape[:2], shape[2] + 1)), "SHAPE_MISMATCH",
       words) for function, words in (
           (CONV, "Weights must have the channels of the input"),
           (TRANSPOSE, "Weights must have the channels of the input"),
           (DEPTHWISE, "must have one filter a channel of the input"))),
    (DEPTHWISE, "weights", shaped("weights", lambda shape: (*shape[:2], 2, shape[3])),
     "SHAPE_MISMATCH", "Depthwise weights must have 1 channel; found 2"),
    (GROUP, "weights", shaped("weights", lambda shape: (*shape[:2], 99, shape[3])),
     "SHAPE_MISMATCH", r"must be a multiple of the weights' channels; found \(\d+, 99\)"),
    (GROUP, "in_", lambda args: mli_tensor(np.zeros(
        (*args["in_"].shape[:2], 97 * args["weights"].shape[2]), np.int8), el_params=sa()),
     "SHAPE_MISMATCH", r"Filters must be a multiple of the groups; found \(\d+, 97\)"),
    (DENSE, "in_", shaped("in_", lambda shape: (*shape, 2)), "SHAPE_MISMATCH",
     r"Weights must have one row an input element; found \(\d+, \d+\)"),
    *((function, "in_", shaped("in_", lambda shape: (1, *shape)), "SHAPE_MISMATCH",
       "Rank of in must be 2; found 3") for function in (LSTM, GRU)),
    *((function, "prev_out", shaped("prev_out", lambda shape: (1, *shape)), "SHAPE_MISMATCH",
       "Rank of prev_out must be 1; found 2") for function in (LSTM, GRU)),
    # Formats of weights.
    *((function, "in_.el_params", lambda args: axis(0, args["in_"].shape[0]),
       "INCOMPATEBLE_TENSORS", r"one scale each; found \['in along dimension 0'\]")
      for function in (CONV, DENSE, GRU, AVE, SOFTMAX, ARGMAX)),
    *((function, "in_.el_params", sa(128), "INCOMPATEBLE_TENSORS",
       r"Zero points must be -128 \.\. 127; found \['in with 128'\]")
      for function in (CONV, DENSE, GRU, AVE, LEAKY, SOFTMAX)),
    *((function, "out.el_params", sa(-129), "INCOMPATEBLE_TENSORS",
       r"Zero points must be -128 \.\. 127; found \['out with -129'\]")
      for function in (CONV, DENSE, RNN, GRU, AVE, LEAKY)),
    *((function, "weights.el_params", sa(1), "INCOMPATEBLE_TENSORS",
       r"Zero points of weights and bias must be 0; found \['weights with 1'\]")
      for function in (CONV, DENSE)),
    *((function, "bias.el_params", sa(-3), "INCOMPATEBLE_TENSORS", r"found \['bias with -3'\]")
      for function in (CONV, DENSE, GRU, RNN)),
    *((function, "bias.el_params", sa(), "INCOMPATEBLE_TENSORS",
       r"scales of weights and bias must be all negative or \(3, 0\); found \[3, -1\]")
      for function in CONVOLUTIONS),
    (CONV, "weights.el_params", lambda args: axis(0, args["weights"].shape[0]),
     "INCOMPATEBLE_TENSORS", r"all negative or \(3, 0\); found \[0, 0\]"),
    (DENSE, "bias.el_params", lambda args: axis(
        0, *args["bias"].shape, scale=(32767,) * args["bias"].shape[0],
        scale_frac_bits=(-100,) * args["bias"].shape[0]), "INCOMPATEBLE_TENSORS",
     "Bias must have the format of products of input and weights; found scale 32767, not the 0"),
    (DENSE, "bias.el_params", lambda args: axis(
        0, *args["bias"].shape, scale=(32767,) * args["bias"].shape[0],
        scale_frac_bits=(127,) * args["bias"].shape[0]), "INCOMPATEBLE_TENSORS",
     "found scale 32767, not the 2147483647 of their scales"),
    (LSTM, "bias.el_params", fx(127), "INCOMPATEBLE_TENSORS",
     r"Bias must have the format .*; found 127 fractional bits, not at most \d+ \+ \d+"),
    # RNN dense.
    (RNN, "cfg.inputs_num", 0, "BAD_FUNC_CFG", r"inputs_num must be 1 \.\. 4; found 0"),
    (RNN, "cfg.inputs_num", 5, "BAD_FUNC_CFG", r"inputs_num must be 1 \.\. 4; found 5"),
    (RNN, "cfg.inputs_num", 3, "BAD_TENSOR", "must be lists of inputs_num tensors"),
    (RNN, "inputs", None, "BAD_TENSOR", r"must be lists of inputs_num tensors; found object of ty"),
    (RNN, "inputs.1", None, "BAD_TENSOR", "Every tensor of inputs must be valid; found NoneType"),
    *((RNN, name, lambda args, name=name: args[name][:1], "BAD_TENSOR",
       r"must be lists of inputs_num tensors; found \['list', 'list', [12], [12], 2\]")
      for name in ("inputs", "weights")),
    (RNN, "inputs.1", mli_tensor(1), "BAD_TENSOR", r"inputs must be valid; found rank 0, not 1"),
    (RNN, "weights.0", None, "BAD_TENSOR", "Every tensor of weights must be valid; found NoneTyp"),
    (RNN, "inputs.0.data.capacity", 0, "NOT_ENGH_MEM", "bytes of inputs must lie within"),
    (RNN, "weights", lambda args: args["weights"][::-1], "SHAPE_MISMATCH",
     "Each weight matrix must be input elements by bias elements"),
    # Recurrent cells.
    *((function, f"cfg.{field}", 3, "BAD_FUNC_CFG", f"{field} must be an mli_rnn_{kind}; found 3")
      for function in (LSTM, GRU) for field, kind in (
          ("direction", "direction"), ("results", "results"), ("act", "out_activation"))),
    *((function, "cfg.scratch_data", value, "BAD_FUNC_CFG", rf"with memory; found .*{words}")
      for function in (LSTM, GRU) for value, words in (
          (None, "NoneType, no mli_data_container"), (mli_data_container(), "no memory to point"))),
    *((function, "cfg.scratch_data.capacity", 5, "NOT_ENGH_MEM",
       r"scratch_data must have room for all gates; found \(\d+, 5\)") for function in (LSTM, GRU)),
    (LSTM, "cell.data", lambda args: read_only(args["cell"].data.mem.pi16.copy()), "BAD_TENSOR",
     "cell must be a tensor with memory; found memory that cannot be written"),
    (LSTM, "prev_out", lambda args: mli_tensor(np.zeros(1, np.int16)), "SHAPE_MISMATCH",
     "must have the shapes that the cell wants"),
    (LSTM, "tanh_lut", lambda args: args["sigm_lut"], "BAD_FUNC_CFG",
     r"tanh_lut must be filled by mli_krn_tanh_create_lut; found length 320, not 344"),
    (GRU, "sigm_lut", mli_lut(np.zeros(640, np.int8)), "BAD_FUNC_CFG", "found length 0, not 320"),
    # Slopes.
    (LEAKY, "slope_coeff", lambda args: mli_tensor(np.zeros(2, np.int8), el_params=sa()),
     "SHAPE_MISMATCH", "slope_coeff must have one element; found 2"),
    (LEAKY, "slope_coeff", mli_tensor(1, el_type=mli_element_type.MLI_EL_FX_8), "TYPE_MISMATCH",
     "slope_coeff of type 0x008"),
    (PRELU, "slope_coeff", lambda args: mli_tensor(np.zeros(99, np.int8), el_params=sa()),
     "SHAPE_MISMATCH", "slope_coeff must have one element, or one an index along axis"),
    *((function, "cfg.axis", 4, "BAD_FUNC_CFG",
       r"axis must be negative or less than the rank of the input; found \(4, \d\)")
      for function in (PRELU, SOFTMAX, L2, ARGMAX)),
    # Tables.
    (SIGM, "lut", mli_data_container(), "BAD_FUNC_CFG", "found mli_data_container, no mli_lut"),
    (SIGM, "lut.data.capacity", 639, "BAD_FUNC_CFG", "found capacity of 639 bytes, not 640"),
    (SOFTMAX, "lut.data", mli_data_container(mem=np.zeros(358, np.int16)), "NOT_SUPPORTED",
     r"Exponentials must have a positive sum; found an entry 0 for the argument 0"),
    (SOFTMAX, "lut.data", mli_data_container(mem=np.full(358, -3, np.int16)), "NOT_SUPPORTED",
     r"Exponentials must have a positive sum; found an entry -3"),
    (LUT, "lut", None, "BAD_FUNC_CFG", "lut must be an mli_lut with memory; found NoneType"),
    (LUT, "lut.data", mli_data_container(), "BAD_FUNC_CFG", "found no memory to point to"),
    (LUT, "lut.data.capacity", 687, "NOT_ENGH_MEM", r"lut must have room .* found \(688, 687\)"),
    # Two operands.
    (ADD, "in1", mli_tensor(1, el_type=mli_element_type.MLI_EL_FX_8), "TYPE_MISMATCH",
     "in1 of type 0x008"),
    (ADD, "in2", mli_tensor(np.zeros((2, 99), np.int8), el_params=sa()), "SHAPE_MISMATCH",
     "Both inputs must have the same shape, or one a single element"),
    (MIN, "in2.el_params", fx(-9), "INCOMPATEBLE_TENSORS", "must have the same parameters of elem"),
    (ADD, "in1.data", mli_data_container(), "BAD_TENSOR", "in1 must be a valid tensor; found no"),
    # Places and order.
    *((ARGMAX, "cfg.topk", value, "BAD_FUNC_CFG", rf"topk must be .*; found \({value}, \d+\)")
      for value in (0, 1 << 20)),
    *((PERMUTE, "cfg", mli_permute_cfg(order), "BAD_FUNC_CFG", "every dimension of the input once")
      for order in ((0, 0, 0, 0), (1, 2, 3, 4), (-1, 0, 1, 2))),
    # Parts of tensors.
    (POINT, "cfg.coord_num", 4, "BAD_FUNC_CFG", "coord_num must be from 1 to the rank of the inp"),
    (POINT, "cfg.start_coord", (3, 0), "BAD_FUNC_CFG", "Every coordinate must be less than its"),
    (POINT, "cfg.first_out_dim_size", 4, "BAD_FUNC_CFG", "must stay in their dimension"),
    *((PART, f"cfg.{field}", value, "BAD_FUNC_CFG", "offset and size must lie within each dim")
      for field, value in (("offset", (3, 0, 0)), ("offset", (0, -1, 0)), ("size", (1, 5, 1)),
                           ("size", (0, 1, 1)), ("offset", (0,)))),
    *((PART, "cfg.sub_tensor_rank", value, "BAD_FUNC_CFG",
       rf"sub_tensor_rank must leave out dimensions of 1 only; found \({value}, 2, 3\)")
      for value in (1, 4)),
    *((function, "in_", mli_tensor(mli_data_container(mem=np.zeros(99, np.int8)), (3, 4, 5),
                                   el_type=mli_element_type.MLI_EL_FX_4),
       "NOT_SUPPORTED", r"Element types must be FX_8, .*; found \['FX_4'\]")
      for function in (POINT, PART)),
    # Conversion.
    (CONVERT, "out", mli_tensor(np.zeros((3, 4), np.int8), el_params=axis(1, 3)), "BAD_TENSOR",
     r"sa\.zero_point of 3 values, not the 4 of dimension 1"),
    # Memory.
    *((function, "out.data", over("in_", 0), "BAD_TENSOR", r"not overlap; found \['out on in")
      for function in (MAX, ARGMAX, PERMUTE)),
    *((function, "out.data", over("in_", 1), "BAD_TENSOR", r"start and strides .* found \['in'\]")
      for function in (RELU, SIGM, "mli_krn_softmax_fx16", L2)),
    (LSTM, "cell", lambda args: args["prev_out"], "BAD_TENSOR", r"found \['cell on prev_out'\]"),
]


@pytest.mark.parametrize(("function", "path", "value", "status", "words"), CASES)
def test_bad_calls_are_refused(function, path, value, status, words):
    args = call_of(function)
    put(args, path, value if callable(value) else deepcopy(value))
    refuses(function, args, status, words)


def test_every_function_has_conditions():
    assert all(CONDITIONS.values())
    assert len(CONDITIONS) == 48
