# SPDX-License-Identifier: Apache-2.0
"""Tensor arithmetic, element-wise and along dimensions."""

from xymac.golden.tflm import (
    AddN,
    ArgMax,
    ArgMin,
    BatchMatmul,
    CumSum,
    Div,
    Equal,
    Greater,
    GreaterEqual,
    L2Normalization,
    Less,
    LessEqual,
    LogicalAnd,
    LogicalNot,
    LogicalOr,
    LogSoftmax,
    NotEqual,
    ReduceAll,
    ReduceMax,
    ReduceMin,
    SquaredDifference,
    Sum,
)

from ..codes import ACTIVATION, TENSOR_TYPE

__all__ = ["ARITHMETIC"]


def _plain(kind):
    return lambda call: kind(call.out)


def _compare(kind):
    return lambda call: kind()


def _reduce(kind):
    return lambda call: kind(call.numbers(1), call.out, call.options.keep_dims)


def _axis(call):
    axis = call.numbers(1)
    if len(axis) != 1:
        raise ValueError(f"Its axis must be 1 element, not {len(axis)}")
    return axis[0]


def _place(kind):
    def convert(call):
        call.refuse_option("output_type", TENSOR_TYPE.INT32)
        return kind(_axis(call))
    return convert


def _l2_normalization(call):
    call.refuse_option("fused_activation_function", ACTIVATION.NONE)
    return L2Normalization(call.out)


#: Functions from a Call to a layer by the operator's name.
ARITHMETIC = {
    "LOG_SOFTMAX": _plain(LogSoftmax),
    "L2_NORMALIZATION": _l2_normalization,
    "EQUAL": _compare(Equal),
    "NOT_EQUAL": _compare(NotEqual),
    "GREATER": _compare(Greater),
    "GREATER_EQUAL": _compare(GreaterEqual),
    "LESS": _compare(Less),
    "LESS_EQUAL": _compare(LessEqual),
    "LOGICAL_AND": _compare(LogicalAnd),
    "LOGICAL_OR": _compare(LogicalOr),
    "LOGICAL_NOT": _compare(LogicalNot),
    "REDUCE_ALL": lambda call: ReduceAll(call.numbers(1), call.options.keep_dims),
    "SQUARED_DIFFERENCE": _plain(SquaredDifference),
    "DIV": lambda call: Div(call.out, call.activation),
    "ADD_N": _plain(AddN),
    "CUMSUM": lambda call: CumSum(_axis(call), call.out, call.options.exclusive,
                                  call.options.reverse),
    "SUM": _reduce(Sum),
    "REDUCE_MAX": _reduce(ReduceMax),
    "REDUCE_MIN": _reduce(ReduceMin),
    "ARG_MAX": _place(ArgMax),
    "ARG_MIN": _place(ArgMin),
    "BATCH_MATMUL": lambda call: BatchMatmul(call.out, call.options.adj_x, call.options.adj_y),
}
