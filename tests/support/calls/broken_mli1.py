# SPDX-License-Identifier: Apache-2.0
"""Calls of MLI 1.x that break one condition each, and the status that they give."""

from operator import attrgetter

import numpy as np

from tests.support.seed import random_of
from xymac.golden.api.mli1.configs import (
    mli_padding2d_cfg,
    mli_point_to_subtsr_cfg,
    mli_relu_cfg,
    mli_rnn_out_activation,
    mli_status,
)
from xymac.golden.api.mli1.names import parse
from xymac.golden.api.mli1.types import mli_tensor

from .mli1 import arguments, params, tensor

__all__ = ["ALL", "BAD_TENSOR", "CASES", "break_", "broken", "over", "random"]

BAD_TENSOR, SHAPE, INCOMPATIBLE, CFG, MEMORY, UNSUPPORTED, SPEC, TYPE = (
    mli_status[f"MLI_STATUS_{name}"] for name in (
        "BAD_TENSOR", "SHAPE_MISMATCH", "INCOMPATEBLE_TENSORS", "BAD_FUNC_CFG", "NOT_ENGH_MEM",
        "NOT_SUPPORTED", "SPEC_PARAM_MISMATCH", "TYPE_MISMATCH"))


def random(*shape, frac_bits=7, dtype=np.int16):
    return tensor(random_of(0), shape, frac_bits, dtype)


def like(name, dtype=np.int8):
    """The argument ``name`` with elements of another type."""
    return lambda args: random(*args[name].shape, dtype=dtype)


def over(name, start=0):
    """A tensor over the memory of the argument ``name``, from byte ``start`` on."""
    def build(args):
        memory = attrgetter(name)(Arguments(args)).data.reshape(-1).view(np.int8)
        return mli_tensor(memory[start:], el_params=params(15))
    return build


class Arguments:
    def __init__(self, args):
        vars(self).update(args)


def break_(args, path, value):
    """Put ``value``, or what it says of the arguments, in the place of an argument or a field."""
    value = value(args) if callable(value) else value
    name, _, rest = path.partition(".")
    if not rest:
        args[name] = value
        return
    *parents, field = rest.split(".")
    owner = args[name]
    for parent in parents:
        owner = owner[int(parent)] if parent.isdigit() else getattr(owner, parent)
    if field.isdigit():
        owner[int(field)] = value
    else:
        setattr(owner, field, value)


#: Functions by what they share.
WEIGHTED = ("mli_krn_conv2d_chw_fx16", "mli_krn_depthwise_conv2d_chw_fx16",
            "mli_krn_conv2d_hwc_fx16")
POOLING  = ("mli_krn_maxpool_chw_fx16", "mli_krn_avepool_hwc_fx16")
CELLS    = ("mli_krn_lstm_cell_fx16", "mli_krn_basic_rnn_cell_fx16")
SIMPLE   = ("mli_krn_relu_fx16", "mli_krn_leaky_relu_fx16", "mli_krn_sigm_fx16",
            "mli_krn_tanh_fx16", "mli_krn_softmax_fx16")
ELTWISE  = tuple(f"mli_krn_eltwise_{op}_fx16" for op in ("add", "sub", "min", "max", "mul"))
DENSE    = "mli_krn_fully_connected_fx16"
CONCAT   = "mli_krn_concat_fx16"
PERMUTE  = "mli_krn_permute_fx16"
PADDING  = ("mli_krn_padding2d_chw_fx16", "mli_krn_padding2d_hwc_fx16")
POINT    = "mli_hlp_point_to_subtensor"
CONVERT  = "mli_hlp_convert_tensor"
ALL      = (*WEIGHTED, *POOLING, *CELLS, *SIMPLE, *ELTWISE, DENSE, CONCAT, PERMUTE, *PADDING, POINT,
            CONVERT)
SIDES    = ("padding_left", "padding_right", "padding_top", "padding_bottom")

CASES = [
    *((name, argument, None, CFG if argument == "cfg" else BAD_TENSOR)
      for name in ALL for argument in parse(name).arguments),
    *((name, "cfg", mli_padding2d_cfg if name not in PADDING else mli_relu_cfg, CFG)
      for name in ALL if "cfg" in parse(name).arguments),
    *((name, "out", mli_tensor(), BAD_TENSOR) for name in ALL if name != POINT),
    *((name, "out.capacity", 1, MEMORY) for name in ALL if name != POINT),
    *((name, "out.capacity", 0, MEMORY) for name in (DENSE, CONVERT)),
    *((name, "out.el_params", params(256), BAD_TENSOR)
      for name in (*WEIGHTED, DENSE, "mli_krn_eltwise_mul_fx16", CONVERT)),
    # What makes a tensor valid.
    *((name, "in_", value, BAD_TENSOR) for name in ("mli_krn_relu_fx16", CONVERT) for value in (
        "text", mli_tensor(np.zeros((1,) * 5, np.int16)), mli_tensor(np.zeros((2, 0), np.int16)),
        mli_tensor(np.zeros(3, np.int16), rank=2), mli_tensor(np.zeros(3, np.int16), rank=-1),
        mli_tensor(np.zeros(3, np.int16), el_type=7), mli_tensor(shape=(3,)),
        mli_tensor(np.zeros(3, np.int16), el_params=params(256)),
        mli_tensor(np.zeros(3, np.int16), el_params=params(-1)),
        mli_tensor(np.zeros(3, np.int16), capacity=5), mli_tensor(5, rank=0, el_type=1),
        mli_tensor(np.zeros(3, np.int16), shape=(4,)), mli_tensor(np.zeros(3, np.float32)),
        mli_tensor(np.zeros(3, np.int16), capacity="all"),
        mli_tensor(np.zeros((4, 4), np.int16)[:, :2]))),
    ("mli_krn_eltwise_add_fx16", "in1", mli_tensor(40000, el_type=1), BAD_TENSOR),
    ("mli_krn_eltwise_add_fx16", "in2", mli_tensor(None, el_type=1), BAD_TENSOR),
    # Windows.
    *((name, f"cfg.{side}", value, CFG) for name in (*WEIGHTED, *POOLING, *PADDING)
      for side in SIDES for value in (-1, 256, 1.5)),
    *((name, f"cfg.{side}", value, CFG) for name in (*WEIGHTED, *POOLING)
      for side, value in zip(SIDES, (2, 2, 3, 3), strict=True)),
    *((name, f"cfg.stride_{axis}", 0, CFG) for name in (*WEIGHTED, *POOLING)
      for axis in ("width", "height")),
    *((name, f"cfg.kernel_{axis}", value, CFG) for name in POOLING
      for axis in ("width", "height") for value in (0, 7)),
    *((name, "in_", random(3, 30), SHAPE) for name in (*WEIGHTED, *POOLING, *PADDING)),
    *((name, "cfg.relu", None, CFG) for name in WEIGHTED),
    *((name, "cfg.relu", mli_relu_cfg(4), CFG) for name in WEIGHTED),
    ("mli_krn_relu_fx16", "cfg.type", 4, CFG),
    *((name, "weights", random(4, 3, 3), SHAPE) for name in WEIGHTED),
    *((name, "bias", lambda args: random(1, len(args["weights"].data)), SHAPE)
      for name in (*WEIGHTED, DENSE)),
    *((name, "bias", random(9), SHAPE) for name in (*WEIGHTED, DENSE)),
    ("mli_krn_conv2d_chw_fx16", "weights", random(4, 2, 3, 2), SHAPE),
    ("mli_krn_conv2d_hwc_fx16", "weights", random(4, 3, 2, 2), SHAPE),
    ("mli_krn_depthwise_conv2d_chw_fx16", "weights", random(3, 3, 3, 2), SHAPE),
    ("mli_krn_depthwise_conv2d_chw_fx16", "in_", random(4, 5, 6), SHAPE),
    ("mli_krn_conv2d_chw_fx16", "weights", random(4, 3, 6, 2), SHAPE),
    ("mli_krn_conv2d_hwc_fx16", "weights", random(4, 3, 7, 3), SHAPE),
    ("mli_krn_depthwise_conv2d_chw_fx16", "weights", random(3, 1, 3, 7), SHAPE),
    # Fully connected.
    (DENSE, "weights", random(7, 9, 10), SHAPE),
    (DENSE, "weights", random(7, 89), SHAPE),
    # Types and fractional bits with weights.
    *((name, "bias", like("bias"), UNSUPPORTED) for name in (*WEIGHTED, DENSE)),
    *((name, "in_", like("in_"), UNSUPPORTED) for name in (*WEIGHTED, DENSE)),
    *((name, "in_", like("in_", np.int16), TYPE)
      for name in ("mli_krn_conv2d_chw_fx8", "mli_krn_depthwise_conv2d_chw_fx8",
                   "mli_krn_fully_connected_fx8")),
    *((name, "bias.el_params", params(200), INCOMPATIBLE) for name in (*WEIGHTED, *CELLS, DENSE)),
    *((name, "in_", like("in_"), TYPE)
      for name in (*POOLING, "mli_krn_relu_fx16", *SIMPLE[2:], PERMUTE, *PADDING)),
    # Recurrent cells.
    *((name, "cfg.mode", 3, CFG) for name in CELLS),
    *((name, "cfg.act", -1, CFG) for name in CELLS),
    *((name, "in_", random(10), CFG) for name in CELLS),
    *((name, "cfg.ir_tsr", None, CFG) for name in CELLS),
    *((name, "cfg.ir_tsr", mli_tensor(), CFG) for name in CELLS),
    *((name, "cfg.ir_tsr.capacity", 11, MEMORY) for name in CELLS),
    ("mli_krn_lstm_cell_fx16", "cfg.ir_tsr.capacity", 47, MEMORY),
    *((name, "weights", random(5, 6, 16), SHAPE) for name in CELLS),
    *((name, "bias", random(4, 5), SHAPE) for name in CELLS),
    *((name, "in_", random(3, 11), SHAPE) for name in CELLS),
    *((name, "prev_out", random(7), SHAPE) for name in CELLS),
    *((name, "prev_out", random(1, 6), SHAPE) for name in CELLS),
    ("mli_krn_lstm_cell_fx16", "cell", lambda args: random(1, 6), SHAPE),
    ("mli_krn_lstm_cell_fx16", "cell", lambda args: random(5), SHAPE),
    ("mli_krn_lstm_cell_fx16", "cell", lambda args: _read_only(random(6)), BAD_TENSOR),
    *((name, "bias", like("bias"), TYPE) for name in CELLS),
    *((name, "prev_out", like("prev_out"), TYPE) for name in CELLS),
    ("mli_krn_lstm_cell_fx16", "cell", like("cell"), TYPE),
    *((name.replace("fx16", "fx8w16d"), "weights bias", None, TYPE) for name in CELLS),
    *((name, "cfg.act", mli_rnn_out_activation.RNN_ACT_NONE, INCOMPATIBLE) for name in CELLS),
    # Slope of the leaky ReLU.
    ("mli_krn_leaky_relu_fx16", "slope_coeff", random(2), SHAPE),
    ("mli_krn_leaky_relu_fx16", "slope_coeff", like("slope_coeff"), TYPE),
    ("mli_krn_leaky_relu_fx16", "in_ slope_coeff", None, TYPE),
    # Two operands.
    *((name, "in1 in2", mli_tensor(1, el_type=1, el_params=params(4)), UNSUPPORTED)
      for name in ELTWISE),
    *((name, "in2", like("in2"), INCOMPATIBLE) for name in ELTWISE),
    *((name, "in2.el_params", params(9), INCOMPATIBLE) for name in ELTWISE[:-1]),
    *((name, "in2", random(3, 5, 5, frac_bits=4), SHAPE) for name in ELTWISE),
    *((name, "in1 in2", None, TYPE) for name in ELTWISE),
    # Moves.
    (CONCAT, "inputs", iter(()), BAD_TENSOR), (CONCAT, "cfg.axis", -1, CFG),
    (CONCAT, "cfg.axis", 3, CFG), (CONCAT, "cfg.tensors_num", 0, CFG),
    (CONCAT, "cfg.tensors_num", 9, CFG), (CONCAT, "cfg.tensors_num", 4, BAD_TENSOR),
    (CONCAT, "inputs.1", None, BAD_TENSOR),
    (CONCAT, "inputs.1", random(2, 4, 3, frac_bits=4, dtype=np.int8), INCOMPATIBLE),
    (CONCAT, "inputs.2.el_params", params(5), INCOMPATIBLE),
    (CONCAT, "inputs.2", random(2, 6, frac_bits=4), INCOMPATIBLE),
    (CONCAT, "inputs.2", random(2, 2, 4, frac_bits=4), SHAPE),
    (CONCAT, "inputs", lambda args: [random(2, 3, dtype=np.int8)] * 3, TYPE),
    (CONCAT, "inputs.2", lambda args: args["inputs"][1], BAD_TENSOR),
    *((PERMUTE, "cfg.perm_dim", order, CFG)
      for order in ((0, 1), (0, 1, 1), (0, 1, 3), (0, 1, -1), (0, 1, 2.0))),
    # Memory.
    *((name, "out", over("in_"), BAD_TENSOR)
      for name in (*WEIGHTED, *POOLING, *CELLS, DENSE, PERMUTE, *PADDING)),
    *((name, "out", over("in_", 2), BAD_TENSOR) for name in SIMPLE),
    *((name, "out", over(operand, 2), BAD_TENSOR)
      for name in ELTWISE for operand in ("in1", "in2")),
    *((name, "out", over(other), BAD_TENSOR) for name in CELLS
      for other in ("weights", "bias", "cfg.ir_tsr")),
    *((name, "cfg.ir_tsr", over(other), BAD_TENSOR) for name in CELLS
      for other in ("in_", "weights", "bias")),
    ("mli_krn_basic_rnn_cell_fx16", "cfg.ir_tsr", over("prev_out"), BAD_TENSOR),
    ("mli_krn_lstm_cell_fx16", "out", over("cell"), BAD_TENSOR),
    ("mli_krn_lstm_cell_fx16", "cell", lambda args: args["prev_out"], BAD_TENSOR),
    (CONCAT, "out", lambda args: over("in_")({"in_": args["inputs"][2]}), BAD_TENSOR),
    # Helpers.
    *((POINT, "cfg.coord_num", value, CFG) for value in (0, 4)),
    (POINT, "cfg", lambda args: mli_point_to_subtsr_cfg((0, 0, 0), 3, 1), CFG),
    *((POINT, "cfg.start_coord", value, CFG) for value in ((3, 0), (0, 5), (0,), (0, -1))),
    *((POINT, "cfg.first_out_dim_size", value, CFG) for value in (0, 4, 256)),
    (CONVERT, "in_.el_type", 2, UNSUPPORTED), (CONVERT, "out.el_type", 3, UNSUPPORTED),
    (CONVERT, "out", over("in_", 2), BAD_TENSOR),
    # What the golden model refuses.
    ("mli_krn_conv2d_chw_fx16", "in_.el_params", params(100), UNSUPPORTED),
    ("mli_krn_softmax_fx16", "in_", random(2 ** 16 + 1), UNSUPPORTED),
    *((name, "prev_out.el_params", params(3), INCOMPATIBLE) for name in CELLS),
]
_PROMISES = {"k1xn": "Columns of the window", "knx1": "Rows of the window", "ch9": "Channels",
             "strh9": "stride_height", "strw9": "stride_width", "nopad": "Padding"}
CASES += [(f"{name}_{field}", "", None, SPEC) for name in (*WEIGHTED, *POOLING)
          for field in _PROMISES]


def _read_only(result):
    result.data.flags.writeable = False
    return result


def broken(name, path, value):
    """Arguments of a call of ``name`` that breaks one condition."""
    args = arguments(name, random_of(1))
    args["out"].data = np.full(40000 if name != CONVERT else 400, 77, np.int8)
    if path == "out.capacity" or "out" not in path:
        args["out"].capacity = args["out"].data.size
    for part in path.split():
        break_(args, part, like(part) if " " in path and value is None and "fx8" not in name
               else like(part, np.int16) if " " in path and value is None else value)
    return args
