# SPDX-License-Identifier: Apache-2.0
"""Operators on elements without a scale: FLOAT32 and integers."""

from xymac.golden.tflm import (
    PlainBinary,
    PlainCurve,
    PlainDense,
    PlainMean,
    PlainOperation,
    PlainSoftmax,
    PlainUnary,
)

from ..codes import WEIGHTS_FORMAT

__all__ = ["PLAIN", "is_plain"]

_QUANTISED = ("INT8", "INT16", "UINT8")


def is_plain(call):
    """Whether a Call's first input has no scale."""
    return call.has(0) and call.inputs[0].type.name not in _QUANTISED


def _binary(op):
    def convert(call):
        options = call.options
        fused   = hasattr(options, "fused_activation_function")
        return PlainBinary(op, call.activation) if fused else PlainBinary(op)
    return convert


def _unary(op):
    return lambda call: PlainUnary(op, getattr(call.options, "alpha", 0.0))


def _dense(call):
    call.refuse_option("weights_format", WEIGHTS_FORMAT.DEFAULT)
    keep = call.outputs[0].shape[:-1] == call.inputs[0].shape[:-1]
    return PlainDense(call.constant(1), call.constant(2) if call.has(2) else None, call.activation,
                      keep)


#: Functions from a Call to a layer by the operator's name, where there are others for integers that
#: have a scale.
PLAIN = {op.value: _binary(op) for op in PlainOperation} | {
    op.value: _unary(op) for op in PlainCurve} | {
    "SOFTMAX": lambda call: PlainSoftmax(call.options.beta),
    "MEAN": lambda call: PlainMean(call.numbers(1), call.options.keep_dims),
    "FULLY_CONNECTED": _dense,
    "LOG_SOFTMAX": lambda call: PlainSoftmax(is_log=True)}
