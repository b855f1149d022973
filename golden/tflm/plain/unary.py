# SPDX-License-Identifier: Apache-2.0
"""Element-wise float32 operators, as a host computes them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from xymac.golden.checks import check_kind
from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_types
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.tensor import Tensor

from .circular import cosine, hyperbolic_tangent, sine
from .exponents import exponential, exponential_less_one, logarithm

__all__ = ["PlainCurve", "PlainUnary"]

_HIGH, _LOW = np.float32(16.619047164916992), np.float32(-9)  #: Where a sigmoid is 1, or its power.
_HALF, _ONE, _THREE, _SIX = (np.float32(value) for value in (0.5, 1, 3, 6))


class PlainCurve(Enum):
    """Element function; the value is the operator's name."""

    RELU       = "RELU"
    RELU6      = "RELU6"
    RELU0TO1   = "RELU_0_TO_1"
    RELUN1TO1  = "RELU_N1_TO_1"
    LEAKY_RELU = "LEAKY_RELU"
    HARD_SWISH = "HARD_SWISH"
    ELU        = "ELU"
    LOGISTIC   = "LOGISTIC"
    TANH       = "TANH"
    SIN        = "SIN"
    COS        = "COS"
    ABS        = "ABS"
    NEG        = "NEG"
    SQUARE     = "SQUARE"
    SQRT       = "SQRT"
    RSQRT      = "RSQRT"
    EXP        = "EXP"
    LOG        = "LOG"
    FLOOR      = "FLOOR"
    CEIL       = "CEIL"
    ROUND      = "ROUND"


def _sigmoid(x, alpha):
    """Source: tensorflow/lite/kernels/internal/reference/logistic.h."""
    return np.where(x > _HIGH, _ONE, np.where(
        x < _LOW, exponential(x), _ONE / (_ONE + exponential(-x))))


def _limited(x, low):
    """Source: tensorflow/lite/kernels/internal/optimized/optimized_ops.h, ``ReluX``."""
    return np.where(x > _ONE, _ONE, np.where(x < low, low, x))


def _round(x, alpha):
    """Source: tensorflow/lite/kernels/internal/reference/round.h.

    Halves become even numbers; small numbers below 0 become 0.0, where ``np.rint`` gives -0.0.
    """
    low  = np.floor(x)
    rest = x - low
    return np.where((rest < _HALF) | ((rest == _HALF) & (low % 2 == 0)), low, low + _ONE)


_COMPUTE = {
    PlainCurve.RELU: lambda x, alpha: np.where(x < 0, np.float32(0), x),
    PlainCurve.RELU6: lambda x, alpha: np.where(x > _SIX, _SIX, np.where(x < 0, np.float32(0), x)),
    PlainCurve.RELU0TO1: lambda x, alpha: _limited(x, np.float32(0)),
    PlainCurve.RELUN1TO1: lambda x, alpha: _limited(x, -_ONE),
    PlainCurve.LEAKY_RELU: lambda x, alpha: np.where(x > 0, x, x * np.float32(alpha)),
    PlainCurve.HARD_SWISH: lambda x, alpha: x * np.clip(x + _THREE, np.float32(0), _SIX) / _SIX,
    PlainCurve.ELU: lambda x, alpha: np.where(x < 0, exponential_less_one(np.minimum(x, 0)), x),
    PlainCurve.LOGISTIC: _sigmoid, PlainCurve.TANH: lambda x, alpha: hyperbolic_tangent(x),
    PlainCurve.SIN: lambda x, alpha: sine(x), PlainCurve.COS: lambda x, alpha: cosine(x),
    PlainCurve.ABS: lambda x, alpha: np.abs(x), PlainCurve.NEG: lambda x, alpha: -x,
    PlainCurve.SQUARE: lambda x, alpha: x * x, PlainCurve.SQRT: lambda x, alpha: np.sqrt(x),
    PlainCurve.RSQRT: lambda x, alpha: _ONE / np.sqrt(x),
    PlainCurve.EXP: lambda x, alpha: exponential(x), PlainCurve.LOG: lambda x, alpha: logarithm(x),
    PlainCurve.FLOOR: lambda x, alpha: np.floor(x), PlainCurve.CEIL: lambda x, alpha: np.ceil(x),
    PlainCurve.ROUND: _round}


@dataclass(frozen=True)
class PlainUnary(TensorLayer):
    """An operator on FLOAT32, every step rounded in float32; ROUND takes halves to even numbers.

    Source: tensorflow/lite/kernels/internal/reference, leaky_relu.h, hard_swish.h, elu.h,
    logistic.h, round.h; tensorflow/lite/micro/kernels, activations_common.cc, elementwise.cc,
    exp.cc.
    alpha : float, slope below 0 in LEAKY_RELU
    """

    op:    PlainCurve
    alpha: float = 0.0

    out        = None
    by_element = True

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_kind("op", self.op, PlainCurve)
        check_kind("alpha", self.alpha, float)
        check_types("Input", x, "FLOAT32")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        with np.errstate(all="ignore"):
            values = _COMPUTE[self.op](x.data, self.alpha)
        return Result(Tensor(np.asarray(values, np.float32)), overflow=False)
