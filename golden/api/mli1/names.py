# SPDX-License-Identifier: Apache-2.0
"""MLI 1.x function names.

Source: MLI 1.0 and 1.1, "Functions Naming Convention".
"""

from xymac.golden.api.grammar import Grammar, Primitive

__all__ = ["GRAMMAR", "HELPERS", "PRIMITIVES", "parse"]

_PLAIN    = ("fx8", "fx16")
_WEIGHTED = (*_PLAIN, "fx8w16d")
#: Types without a width in the prototypes; the first input gives the width.
_PROTOTYPE = (*_PLAIN, "fx")
_LAYOUTS   = ("chw", "hwc")

_CONVOLUTION = Primitive(("in_", "weights", "bias", "cfg", "out"), _WEIGHTED, _LAYOUTS, True)
_POOLING     = Primitive(("in_", "cfg", "out"), _PLAIN, _LAYOUTS, True)
_TRANSFORM   = Primitive(("in_", "out"), _PLAIN)
_ELTWISE     = Primitive(("in1", "in2", "out"), _PROTOTYPE)

PRIMITIVES = {
    "conv2d":           _CONVOLUTION,
    "depthwise_conv2d": _CONVOLUTION,
    "maxpool":          _POOLING,
    "avepool":          _POOLING,
    "fully_connected":  Primitive(("in_", "weights", "bias", "out"), _WEIGHTED),
    "lstm_cell":        Primitive(("in_", "prev_out", "weights", "bias", "cfg", "cell", "out"),
                                  _WEIGHTED, options=("documented",)),
    "basic_rnn_cell":   Primitive(("in_", "prev_out", "weights", "bias", "cfg", "out"),
                                  _WEIGHTED, options=("documented",)),
    "relu":             Primitive(("in_", "cfg", "out"), _PLAIN),
    "leaky_relu":       Primitive(("in_", "slope_coeff", "out"), _PLAIN,
                                  options=("documented",)),
    "sigm":             _TRANSFORM,
    "tanh":             _TRANSFORM,
    "softmax":          _TRANSFORM,
    "eltwise_add":      _ELTWISE,
    "eltwise_sub":      _ELTWISE,
    "eltwise_min":      _ELTWISE,
    "eltwise_max":      _ELTWISE,
    "eltwise_mul":      _ELTWISE,
    "concat":           Primitive(("inputs", "cfg", "out"), _PROTOTYPE,
                                  options=("documented",)),
    "permute":          Primitive(("in_", "cfg", "out"), _PROTOTYPE),
    "padding2d":        Primitive(("in_", "cfg", "out"), _PLAIN, _LAYOUTS),
}

HELPERS = {
    "tensor_element_size": Primitive(("in_",), ()),
    "count_elem_num":      Primitive(("in_", "start_dim"), ()),
    "point_to_subtensor":  Primitive(("in_", "cfg", "out"), (), options=("documented",)),
    "convert_tensor":      Primitive(("in_", "out"), ()),
}

#: Names of MLI 1.x: only pooling has asymmetric types; depthwise convolution is CHW only.
GRAMMAR = Grammar("1.x", PRIMITIVES, {"hlp": HELPERS}, (*_LAYOUTS, "nhwc", "hwcn"),
                  ("fx8w16d", "fx8", "fx16", "fx", "sa8_sa8_sa32", "sa8"), ("sa8", "sa8_sa8_sa32"),
                  (("depthwise_conv2d", "hwc"),),
                  present=(("maxpool", "hwc", "sa8"), ("avepool", "hwc", "sa8")))
parse   = GRAMMAR.parse
