# SPDX-License-Identifier: Apache-2.0
"""Conditions on the MLI 1.x functions with weights, except the recurrent cells.

Source: MLI 1.0 and 1.1, each function's "Conditions for Applying the Function". If a call breaks
several conditions, the first in the library's checking order counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xymac.golden.api.rules import (
    CFG,
    INCOMPATIBLE,
    PADDING,
    SHAPE,
    UNSUPPORTED,
    Condition,
    Scope,
    configured,
    counts,
    member,
    rank,
    same,
)
from xymac.golden.api.types import elements, mli_conv2d_cfg, mli_relu_cfg, mli_relu_type
from xymac.golden.api.windows import PROMISES, WINDOWS

from .status import FX, apart, buffer, enough, frac_bits, typed, valid

if TYPE_CHECKING:
    from xymac.golden.api.types import mli_status

__all__ = ["BIAS", "CONV2D", "DEPTHWISE_CONV2D", "FULLY_CONNECTED", "fits"]


def fits(status: mli_status) -> Condition:
    """Condition: the window fits the image."""
    return Condition(
        status, "Window must not be larger than the image, rows and columns",
        lambda call: (call.kernel, call.image),
        lambda sizes: all(k <= i for k, i in zip(*sizes, strict=True)))


BIAS = Condition(
    INCOMPATIBLE, "Bias must have no more fractional bits than input and weights together",
    lambda call: tuple(getattr(call, name).el_params.fx.frac_bits
                       for name in ("bias", "in_", "weights")),
    lambda bits: bits[0] <= bits[1] + bits[2])
_CONSTANTS = (
    Condition(UNSUPPORTED, "Weights and bias must have one element type",
              lambda call: (call.weights.el_type, call.bias.el_type), same),
    Condition(UNSUPPORTED, "An 8-bit input must have 8-bit weights",
              lambda call: (call.in_.el_type, call.weights.el_type), lambda types: types != FX),
)
_BIAS_LENGTH = Condition(
    SHAPE, "Bias must have one element an output",
    lambda call: (elements(call.bias), call.weights.shape[0]), same)


def _convolution(channels):
    return (
        *valid("in_", "weights", "bias"), buffer(), frac_bits(), configured(mli_conv2d_cfg),
        *counts(*PADDING), *counts("stride_height", "stride_width", low=1),
        Condition(CFG, "relu must be an mli_relu_cfg", lambda call: call.cfg.relu,
                  lambda relu: isinstance(relu, mli_relu_cfg)),
        member(mli_relu_type, "relu.type", lambda call: call.cfg.relu.type),
        rank("in_", 3), rank("weights", 4), rank("bias", 1, Scope.MODES), *channels, _BIAS_LENGTH,
        fits(SHAPE), WINDOWS, *_CONSTANTS, BIAS, typed("in_"), *PROMISES, apart("in_"),
        enough())


def _weight_channels(call):
    return call.weights.shape[1 if call.layout.name == "CHW" else 3]


_CHANNELS = Condition(SHAPE, "Weights must have the channels of the input",
                      lambda call: (_weight_channels(call), call.channels), same)
_DEPTHWISE = (
    Condition(SHAPE, "Depthwise weights must have 1 channel", _weight_channels,
              lambda count: count == 1),
    Condition(SHAPE, "Depthwise weights must have one filter a channel of the input",
              lambda call: (call.weights.shape[0], call.channels), same),
)

CONV2D           = _convolution((_CHANNELS,))
DEPTHWISE_CONV2D = _convolution(_DEPTHWISE)

FULLY_CONNECTED = (
    *valid("in_", "weights", "bias"), buffer(), frac_bits(), rank("weights", 2),
    rank("bias", 1, Scope.MODES), _BIAS_LENGTH,
    Condition(SHAPE, "Weights must have one column an input element",
              lambda call: (call.weights.shape[1], elements(call.in_)), same),
    *_CONSTANTS, BIAS, typed("in_"), apart("in_"), enough())
