"""Conditions of the functions with windows, and of fully connected layers.

Source: MLI 1.0 and 1.1, "Conditions for Applying the Function" of each; of two that a call
breaks, the first in the order of the library's checks counts.
"""

from golden.api.rules import (
    CFG,
    FX,
    INCOMPATIBLE,
    PADDING,
    SHAPE,
    SPEC,
    UNSUPPORTED,
    Condition,
    apart,
    buffer,
    configured,
    counts,
    enough,
    frac_bits,
    member,
    rank,
    same,
    typed,
    valid,
)
from golden.api.types import elements, mli_conv2d_cfg, mli_pool_cfg, mli_relu_cfg, mli_relu_type

__all__ = ["BIAS", "CONV2D", "DEPTHWISE_CONV2D", "FULLY_CONNECTED", "POOLING", "PROMISES",
           "WINDOWS"]


def _in_window(call):
    return [(pad, size) for pad, size in zip(call.pad, _twice(call.reach), strict=True)
            if pad >= size]


def _twice(pair):
    return pair[0], pair[0], pair[1], pair[1]


def _fits(status):
    return Condition(
        status, "Window must not be larger than the image, rows and columns",
        lambda call: (call.kernel, call.image),
        lambda sizes: all(k <= i for k, i in zip(*sizes, strict=True)))


WINDOWS = Condition(CFG, "Padding must be less than the window", _in_window,
                     lambda wrong: not wrong)


def _promise(text, expected, found):
    """Condition that what a name promises, if it does, is what the call holds."""
    return Condition(SPEC, f"{text} must be as in the function's name",
                     lambda call: (expected(call.name.spec), found(call)),
                     lambda pair: pair[0] is None or pair[0] == pair[1])


def same_padding(call):
    """Paddings that ``krnpad`` promises: those that keep the size, at stride 1 and at this one.

    The smallest with ``ceil(size / stride)`` outputs, the odd element behind the image.
    """
    def axis(size, kernel, stride):
        total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
        return total // 2, total - total // 2
    return tuple(sum((axis(*sizes) for sizes in zip(call.image, call.reach, stride, strict=True)),
                     ()) for stride in ((1, 1), call.stride))


def _padding(call):
    allowed = {"nopad": ((0, 0, 0, 0),), "krnpad": same_padding(call)}
    return call.pad in allowed.get(call.name.spec.padding, (call.pad,)), call.pad


PROMISES = (
    _promise("Columns of the window", lambda spec: spec.kernel_width, lambda call: call.kernel[1]),
    _promise("Rows of the window", lambda spec: spec.kernel_height, lambda call: call.kernel[0]),
    _promise("Channels", lambda spec: spec.channels, lambda call: call.channels),
    _promise("stride_height", lambda spec: spec.stride_height, lambda call: call.stride[0]),
    _promise("stride_width", lambda spec: spec.stride_width, lambda call: call.stride[1]),
    Condition(SPEC, "Padding must be as in the function's name", _padding, lambda pair: pair[0]),
)

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
    lambda call: (call.bias.shape[0], call.weights.shape[0]), same)


def _convolution(channels):
    return (
        *valid("in_", "weights", "bias"), buffer(), frac_bits(), configured(mli_conv2d_cfg),
        *counts(*PADDING), *counts("stride_height", "stride_width", low=1),
        Condition(CFG, "relu must be an mli_relu_cfg", lambda call: call.cfg.relu,
                  lambda relu: isinstance(relu, mli_relu_cfg)),
        member(mli_relu_type, "relu.type", lambda call: call.cfg.relu.type),
        rank("in_", 3), rank("weights", 4), rank("bias", 1), *channels, _BIAS_LENGTH,
        _fits(SHAPE), WINDOWS, *_CONSTANTS, BIAS, typed("in_"), *PROMISES, apart("in_"),
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

POOLING = (
    *valid("in_"), buffer(), configured(mli_pool_cfg), *counts(*PADDING),
    *counts("kernel_height", "kernel_width", "stride_height", "stride_width", low=1),
    rank("in_", 3), WINDOWS, _fits(CFG), typed("in_"), *PROMISES, apart("in_"), enough())

FULLY_CONNECTED = (
    *valid("in_", "weights", "bias"), buffer(), frac_bits(), rank("weights", 2),
    rank("bias", 1), _BIAS_LENGTH,
    Condition(SHAPE, "Weights must have one column an input element",
              lambda call: (call.weights.shape[1], elements(call.in_)), same),
    *_CONSTANTS, BIAS, typed("in_"), apart("in_"), enough())
