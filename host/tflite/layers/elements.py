# SPDX-License-Identifier: Apache-2.0
"""Operators that work element by element or along a row."""

from xymac.golden.tflm import (
    Add,
    Dequantize,
    Gelu,
    HardSwish,
    LeakyRelu,
    Logistic,
    Maximum,
    Minimum,
    Mul,
    Prelu,
    Quantize,
    Relu,
    Relu0To1,
    Relu6,
    ReluN1To1,
    Softmax,
    Sub,
    Tanh,
)

__all__ = ["ELEMENTS"]


def _with_activation(kind):
    return lambda call: kind(call.out, call.activation)


def _plain(kind):
    return lambda call: kind(call.out)


#: Functions from a Call to a layer by the operator's name.
ELEMENTS = {
    "ADD": _with_activation(Add),
    "SUB": _with_activation(Sub),
    "MUL": _with_activation(Mul),
    "MAXIMUM": _plain(Maximum),
    "MINIMUM": _plain(Minimum),
    "RELU": _plain(Relu),
    "RELU6": _plain(Relu6),
    "RELU_0_TO_1": _plain(Relu0To1),
    "RELU_N1_TO_1": _plain(ReluN1To1),
    "LEAKY_RELU": lambda call: LeakyRelu(call.out, call.options.alpha),
    "PRELU": lambda call: Prelu(call.out, call.constant(1)),
    "LOGISTIC": _plain(Logistic),
    "TANH": _plain(Tanh),
    "HARD_SWISH": _plain(HardSwish),
    "GELU": lambda call: Gelu(call.out, call.options.approximate),
    "SOFTMAX": lambda call: Softmax(call.out, call.options.beta, call.dtype),
    "QUANTIZE": lambda call: Quantize(call.out, call.dtype),
    "DEQUANTIZE": lambda call: Dequantize(),
}
