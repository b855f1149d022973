"""Operators on elements that stand for themselves: FLOAT32 and integers without a scale."""

from golden.tflm import PlainBinary, PlainCurve, PlainOperation, PlainSoftmax, PlainUnary

__all__ = ["PLAIN", "is_plain"]

_QUANTISED = ("INT8", "INT16", "UINT8")


def is_plain(call):
    """Whether the first input of a Call has elements that stand for themselves."""
    return call.has(0) and call.inputs[0].type.name not in _QUANTISED


def _binary(op):
    def convert(call):
        options = call.options
        fused   = hasattr(options, "fused_activation_function")
        return PlainBinary(op, call.activation) if fused else PlainBinary(op)
    return convert


def _unary(op):
    return lambda call: PlainUnary(op, getattr(call.options, "alpha", 0.0))


#: Functions from a Call to a layer by the operator's name, where there are others for integers that
#: have a scale.
PLAIN = {op.value: _binary(op) for op in PlainOperation} | {
    op.value: _unary(op) for op in PlainCurve} | {
    "SOFTMAX": lambda call: PlainSoftmax(call.options.beta),
    "LOG_SOFTMAX": lambda call: PlainSoftmax(is_log=True)}
