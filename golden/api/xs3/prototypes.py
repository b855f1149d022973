# SPDX-License-Identifier: Apache-2.0
"""lib_nn functions: names, and arguments in order.

Source: lib_nn 96bd67c, api/nn_conv2d_int8.h, nn_fully_connected.h, nn_pooling.h, nn_layers.h,
nn_op_utils.h, and src/c/fully_connected.c for ``fc_deepin_shallowout_8``; in 0.4.0,
api/OutputTransformFn.hpp and nn_layers.h.
"""

from . import floats, int16, moves, rings, rings16

__all__ = ["OPERATORS", "PROTOTYPES", "SYMMETRIC"]

_WINDOWED  = ("Y", "X", "K", "BSO", "zero_point", "x_params", "y_params", "conv_window")
_POINTWISE = ("Y", "X", "K", "BSO", "x_params", "y_params")
_POOL      = ("Y", "X", "x_params", "y_params", "pooling_window")
_GLOBAL    = ("Y", "X", "bias", "scale", "shift", "x_params")
_DENSE     = ("Y", "W", "X", "BSO", "N", "output_start", "output_count")
_DEEPIN    = ("W", "B", "X", "Y", "C_out", "C_in", "shifts", "scales")
_TRANSFORM = ("params", "Y", "A", "output_channel_group", "multipliers_and_biases")

#: Additional arguments of a function for a part of the output.
_PART = ("job_params", "flags")

#: Arguments of the functions by name.
PROTOTYPES = {
    "conv2d_deep":              _WINDOWED,
    "conv2d_deep_ext":          (*_WINDOWED, *_PART),
    "conv2d_shallowin":         _WINDOWED,
    "conv2d_shallowin_ext":     (*_WINDOWED, *_PART),
    "conv2d_1x1":               _POINTWISE,
    "conv2d_1x1_ext":           (*_POINTWISE, *_PART),
    "conv2d_depthwise":         _WINDOWED,
    "conv2d_depthwise_ext":     (*_WINDOWED, *_PART),
    "maxpool2d":                _POOL,
    "maxpool2d_ext":            (*_POOL, *_PART),
    "avgpool2d":                _POOL,
    "avgpool2d_ext":            (*_POOL, *_PART),
    "avgpool2d_global":         _GLOBAL,
    "avgpool2d_global_ext":     (*_GLOBAL, "chan_start", "chan_count", "flags"),
    "fully_connected_16":       _DENSE,
    "fully_connected_8":        _DENSE,
    "fc_deepin_shallowout_16":  _DEEPIN,
    "fc_deepin_shallowout_8":   _DEEPIN,
    "requantize_16_to_8":       ("Y", "X", "elm_start", "elm_count"),
    "lookup8":                  ("Y", "X", "lut", "elm_start", "elm_count"),
    "argmax_16":                ("Y", "X", "N"),
    "add_elementwise":          ("Y", "X0", "X1", "params", "elm_start", "elm_count"),
    "otfn_int8":                _TRANSFORM,
    "otfn_int8_channelwise":    _TRANSFORM,
    "nn_standard_BSO_layout":   ("bso_out", "bias", "shift1", "scale", "offset_scale", "offset",
                                 "shift2", "scratch", "C_out"),
    "mul_boggle":               ("params", "in1Scale", "in2Scale", "outputScale", "in1ZeroPoint",
                                 "in2ZeroPoint", "outputZeroPoint"),
    "mul_elementwise":          ("in1_data", "in2_data", "element_count", "params", "out_data"),
    **moves.PROTOTYPES,
    **floats.PROTOTYPES,
    **rings.PROTOTYPES,
    **rings16.PROTOTYPES,
    **int16.PROTOTYPES,
}

#: Operator by function; functions for a part have the operator of the whole.
OPERATORS = {name: name.removesuffix("_ext") for name in PROTOTYPES}

#: Operators with the build option of a lowest output of -127, by
#: ``CONFIG_SYMMETRIC_SATURATION_<operator>``.
SYMMETRIC = ("conv2d_deep", "conv2d_shallowin", "conv2d_1x1", "conv2d_depthwise", "avgpool2d",
             "avgpool2d_global", "fully_connected_8", "requantize_16_to_8", "add_elementwise")
