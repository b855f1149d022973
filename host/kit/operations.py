# SPDX-License-Identifier: Apache-2.0
"""Device operations: their layers and data types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xymac.golden import mli1, mli2, tflm, xs3
from xymac.golden.kinds import EltwiseOp

from .accumulate import SUMMING

if TYPE_CHECKING:
    from xymac.host.kit.case import Case

__all__ = ["DIALECTS", "OPERATIONS", "UNSIGNED", "dialect_of", "operation_of", "type_of"]

#: Every operation with a short description.
OPERATIONS = {
    "requantise":       "an accumulator becomes an element of the output",
    "conv2d":           "2-D convolution",
    "depthwise_conv2d": "2-D convolution of every channel by itself",
    "fully_connected":  "product of a matrix and a vector",
    "average_pool":     "mean of every window",
    "max_pool":         "largest element of every window",
    "add":              "sum of two tensors",
    "sub":              "difference of two tensors",
    "mul":              "product of two tensors, element by element",
    "relu":             "elements below 0 become 0",
    "sigmoid":          "logistic function",
    "tanh":             "hyperbolic tangent",
    "softmax":          "shares of exponentials",
    "pad":              "elements around a tensor",
    "transpose":        "dimensions in another order",
    "concatenate":      "tensors one after the other",
    "slice":            "a part of a tensor",
    "lstm":             "long short-term memory, step by step",
    "rnn":              "a matrix times input and previous output, step by step",
    "gru":              "gated recurrent unit, step by step",
    "svdf":             "filters of the inputs that came last",
    "accumulate":       "sums of products and biases, without an output scale",
    "matmul":           "product of two matrices, sums without biases",
    "network":          "a whole network",
}
#: Data types by dialect, as its documents spell them; tflm's int16 has 8-bit weights, its uint8 is
#: int8 with 128 added, in ``UNSIGNED`` operations.
DIALECTS = {
    "tflm":  ("int8", "int16", "uint8"),
    "mli-1": ("fx8", "fx16", "fx8w16d"),
    "mli-2": ("sa8", "fx8", "fx16", "fx16_fx8_fx8"),
    "xs3":   ("int8", "int16"),
}
UNSIGNED = ("requantise", "conv2d", "depthwise_conv2d", "fully_connected", "max_pool", "add", "sub",
            "mul")
_KINDS = {
    mli1.Conv2d: "conv2d", mli1.DepthwiseConv2d: "depthwise_conv2d",
    mli1.FullyConnected: "fully_connected", mli1.AvePool: "average_pool",
    mli1.MaxPool: "max_pool", mli1.Rectify: "relu", mli1.Sigmoid: "sigmoid", mli1.Tanh: "tanh",
    mli1.Softmax: "softmax",
    mli2.Conv2d: "conv2d", mli2.DepthwiseConv2d: "depthwise_conv2d",
    mli2.FullyConnected: "fully_connected", mli2.AvePool: "average_pool",
    mli2.MaxPool: "max_pool", mli2.Rectify: "relu", mli2.Sigmoid: "sigmoid", mli2.Tanh: "tanh",
    mli2.Softmax: "softmax",
    tflm.Conv2d: "conv2d", tflm.DepthwiseConv2d: "depthwise_conv2d",
    tflm.FullyConnected: "fully_connected", tflm.AveragePool2d: "average_pool",
    tflm.MaxPool2d: "max_pool", tflm.Add: "add", tflm.Sub: "sub", tflm.Mul: "mul",
    tflm.Relu: "relu", tflm.Logistic: "sigmoid", tflm.Tanh: "tanh", tflm.Softmax: "softmax",
    xs3.Conv2dDeep: "conv2d", xs3.Conv2dDepthwise: "depthwise_conv2d",
    xs3.FullyConnected: "fully_connected", xs3.AvgPool2d: "average_pool",
    xs3.MaxPool2d: "max_pool",
    mli1.Padding2d: "pad", mli1.Permute: "transpose", mli1.Concat: "concatenate",
    mli1.Subtensor: "slice", mli1.LstmCell: "lstm", mli1.BasicRnnCell: "rnn",
    mli2.Permute: "transpose", mli2.Concat: "concatenate", mli2.LstmCell: "lstm",
    mli2.GruCell: "gru",
    tflm.Pad: "pad", tflm.PadV2: "pad", tflm.Transpose: "transpose",
    tflm.Concatenation: "concatenate", tflm.Slice: "slice", tflm.StridedSlice: "slice",
    tflm.Split: "slice", tflm.UnidirectionalSequenceLstm: "lstm", tflm.Svdf: "svdf",
}
_ELTWISE = {EltwiseOp.ADD: "add", EltwiseOp.SUB: "sub", EltwiseOp.MUL: "mul"}
_PACKAGES = {"mli1": "mli-1", "mli2": "mli-2", "tflm": "tflm", "xs3": "xs3"}


def operation_of(layer: Any) -> str | None:
    """A golden layer's operation name, None if the kit has no such operation."""
    if isinstance(layer, mli1.Eltwise | mli2.Eltwise):
        return _ELTWISE.get(layer.op)
    return _KINDS.get(type(layer))


def dialect_of(layer: Any) -> str:
    """A golden layer's dialect."""
    return _PACKAGES[type(layer).__module__.split(".")[2]]


def type_of(case: Case) -> str | None:
    """A Case's data type, listed in ``DIALECTS``."""
    if case.offset:
        return "uint8"
    if case.operation in SUMMING:
        return "int8"
    if case.operation == "requantise":
        kind = _name_bits(case.dialect, case.layer.bits)
        return None if (case.dialect, kind) == ("mli-2", "fx16") else kind
    if case.operation == "network":
        return _name_bits(case.dialect, 8 * case.layer.dtype.itemsize)
    if case.dialect == "tflm":
        return case.inputs[0].data.dtype.name
    if case.dialect == "xs3":
        return f"int{getattr(case.layer, 'out_bits', 8)}"
    name = case.layer.data_type(*case.inputs)
    if name == "fx16" and getattr(case.layer, "weights_in", case.inputs[0]).bits == 8:
        return "fx16_fx8_fx8"
    return "sa8" if name.startswith("sa8") else name


def _name_bits(dialect, bits):
    kinds = {"mli-1": "fx", "mli-2": "sa" if bits == 8 else "fx"}
    return f"{kinds.get(dialect, 'int')}{bits}"
