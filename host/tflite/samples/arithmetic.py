# SPDX-License-Identifier: Apache-2.0
"""Arithmetic operators, element-wise and along dimensions."""

import numpy as np

from .. import options
from ..functions import FUNCTIONS
from ..model import Tensor
from .wish import INT32, constant, value

__all__ = ["ARITHMETIC"]


def _plain(name, shape, kind):
    """A computed Tensor without a scale."""
    return Tensor(name, tuple(shape), kind)


def _unary(make=None, scale=0.0625, zero_point=None):
    def sample(wish):
        return ((value("x", wish.shape, wish.kind),),
                (value("y", wish.shape, wish.to, scale, zero_point),), make and make())
    return sample


def _root(wish):
    return ((value("x", wish.shape, wish.kind, zero_point=-128),),
            (value("y", wish.shape, wish.to),), None)


def _pair(wish):
    shape = wish.shape
    other = (*shape[:-1], 1) if wish.flag else shape
    return value("x", shape, wish.kind), value("z", other, wish.kind)


def _binary(make=None):
    def sample(wish):
        return _pair(wish), (value("y", wish.shape, wish.to),), make and make(wish.activation)
    return sample


def _compare(wish):
    return _pair(wish), (_plain("y", wish.shape, wish.to),), None


def _logical(count):
    def sample(wish):
        inputs = [_plain(name, wish.shape, wish.kind) for name in "xz"[:count]]
        return inputs, (_plain("y", wish.shape, wish.to),), None
    return sample


def _all(wish):
    (_, axes), (y,), kind = _reduce(wish)
    return ((_plain("x", wish.shape, wish.kind), axes), (_plain("y", y.shape, wish.to),), kind)


def _cumsum(wish):
    return ((value("x", wish.shape, wish.kind), constant("axis", [wish.rank - 1], INT32)),
            (value("y", wish.shape, wish.to),), options.CumsumOptions(wish.flag))


def _reduce(wish):
    shape, axes = wish.shape, (1, 2) if wish.rank > 2 else (0,)
    kept = [1 if axis in axes else size for axis, size in enumerate(shape)
            if wish.flag or axis not in axes]
    return ((value("x", shape, wish.kind), constant("axes", axes, INT32)),
            (value("y", kept, wish.to),), options.ReducerOptions(wish.flag))


def _place(make):
    def sample(wish):
        axis = constant("axis", np.array(wish.rank - 1), INT32)
        return ((value("x", wish.shape, wish.kind), axis),
                (_plain("y", wish.shape[:-1], wish.to),), make(wish.to))
    return sample


def _matmul(wish):
    first  = wish.shape if wish.rank > 1 else (1, *wish.shape)
    second = (*first[:-2], first[-1], 3)
    return ((value("x", first, wish.kind), value("z", second, wish.kind)),
            (value("y", (*first[:-1], 3), wish.to, 0.5),), options.BatchMatMulOptions())


#: Functions from a Wish to inputs, outputs and options.
ARITHMETIC = {
    **dict.fromkeys(FUNCTIONS, _unary()), "RSQRT": _root, "SQRT": _root,
    "LOG_SOFTMAX": _unary(zero_point=127), "L2_NORMALIZATION": _unary(options.L2NormOptions),
    **dict.fromkeys(("EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL"),
                    _compare),
    "LOGICAL_AND": _logical(2), "LOGICAL_OR": _logical(2), "LOGICAL_NOT": _logical(1),
    "REDUCE_ALL": _all, "SQUARED_DIFFERENCE": _binary(), "DIV": _binary(options.DivOptions),
    "ADD_N": _binary(),
    "CUMSUM": _cumsum, "SUM": _reduce, "REDUCE_MAX": _reduce, "REDUCE_MIN": _reduce,
    "ARG_MAX": _place(options.ArgMaxOptions), "ARG_MIN": _place(options.ArgMinOptions),
    "BATCH_MATMUL": _matmul,
}
