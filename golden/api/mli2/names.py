# SPDX-License-Identifier: Apache-2.0
"""MLI 2.0 function names.

Source: embARC MLI 2.0, mli_kernels_api.h, mli_helpers_api.h and mli_mov_api.h, without deprecated
functions. The documents call a move ``mli_move``. Window functions accept every specialisation in
the 1.x convention.
"""

from xymac.golden.api.grammar import Grammar, Primitive
from xymac.golden.kinds import EltwiseOp

from .mov.functions import PRIMITIVES as MOVES

__all__ = ["GRAMMAR", "HELPERS", "LUTS", "MOVES", "PRIMITIVES", "parse"]

_PLAIN    = ("fx8", "fx16", "sa8")
_WIDE     = ("fx16", "sa8")
_WEIGHTED = ("fx16", "fx16_fx8_fx8", "sa8_sa8_sa32")
#: The bias of this variant includes the products of input zero point and weights.
_EXT_BIAS = "sa8_sa8_sa32_ext_bias"

_CONVOLUTION = Primitive(("in_", "weights", "bias", "cfg", "out"), _WEIGHTED, ("hwcn",), True)
_POOLING     = Primitive(("in_", "cfg", "out"), _PLAIN, ("hwc",), True)
_TABLE       = Primitive(("in_", "lut", "out"), _PLAIN)
_CONFIGURED  = Primitive(("in_", "cfg", "out"), _PLAIN)
_CELL        = ("in_", "prev_out", "weights_in", "weights_out", "bias", "tanh_lut", "sigm_lut",
                "cfg")

#: Functions whose names have a data type.
PRIMITIVES = {
    "conv2d":           _CONVOLUTION,
    "depthwise_conv2d": _CONVOLUTION,
    "group_conv2d":     _CONVOLUTION,
    "transpose_conv2d": _CONVOLUTION,
    "fully_connected":  Primitive(_CONVOLUTION.arguments, (*_WEIGHTED, _EXT_BIAS)),
    "rnn_dense":        Primitive(("inputs", "weights", "bias", "cfg", "out"), _WEIGHTED),
    "lstm_cell":        Primitive((*_CELL, "cell", "out"), _WEIGHTED),
    "gru_cell":         Primitive((*_CELL, "out"), _WEIGHTED, options=("documented",)),
    "maxpool":          _POOLING,
    "avepool":          _POOLING,
    "relu":             _CONFIGURED,
    "leaky_relu":       Primitive(("in_", "slope_coeff", "out"), _PLAIN),
    "prelu":            Primitive(("in_", "slope_coeff", "cfg", "out"), _PLAIN),
    "sigm":             _TABLE,
    "tanh":             _TABLE,
    "softmax":          Primitive(("in_", "lut", "cfg", "out"), _WIDE),
    "l2_normalize":     Primitive(("in_", "epsilon", "lut", "cfg", "out"), _WIDE),
    **{f"eltwise_{op.value}": Primitive(("in1", "in2", "out"), _PLAIN) for op in EltwiseOp},
    "argmax":           Primitive(("in_", "cfg", "out"), _WIDE),
    "permute":          _CONFIGURED,
}

HELPERS = {
    "tensor_element_size": Primitive(("in_",), ()),
    "count_elem_num":      Primitive(("in_", "start_dim"), ()),
    "tensor_scale":        Primitive(("in_", "scale_idx"), ()),
    "tensor_scale_shift":  Primitive(("in_", "scale_idx"), ()),
    "tensor_zero_offset":  Primitive(("in_", "zero_idx"), ()),
    "tensor_data_ptr_cmp": Primitive(("in1", "in2"), ()),
    "set_tensor_mem_strides": Primitive(("in_",), ()),
    **{f"accu_guard_bits_{types}": Primitive((), ()) for types in (
        "sa8_sa8", "fx16_fx16", "fx16_fx8")},
    "point_to_subtensor":  Primitive(("in_", "cfg", "out"), ()),
    "create_subtensor":    Primitive(("in_", "cfg", "out"), ()),
    "convert_tensor":      Primitive(("in_", "out"), ()),
    "convert_tensor_safx": Primitive(("in_", "out"), ()),
}

#: Table functions, by the primitive that reads the table.
LUTS = {f"{name}_{end}": Primitive(arguments, ()) for name in (
    "sigm", "tanh", "softmax", "l2_normalize") for end, arguments in (
        ("get_lut_size", ()), ("create_lut", ("lut",)))}

GRAMMAR = Grammar("2.0", PRIMITIVES, {"hlp": HELPERS, "krn": LUTS, "mov": MOVES},
                  ("hwc", "hwcn"), (*_PLAIN, *_WEIGHTED, _EXT_BIAS),
                  aliases={"mli_move": "mli_mov_tensor_sync"})
parse   = GRAMMAR.parse
