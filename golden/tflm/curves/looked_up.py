# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite functions of an integer that tflite-micro lacks: EXP, LOG, GELU and SQRT."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from math import erfc, pi, sqrt

import numpy as np

from xymac.golden.checks import check_kind
from xymac.golden.fixed import container
from xymac.golden.result import Result
from xymac.golden.tflm.tensor import Quantisation, Tensor

from .functions import ElementFunction

__all__ = ["Exp", "Gelu", "Log", "Sqrt"]

_HALF, _ONE = np.float32(0.5), np.float32(1)
_ROOT  = np.float32(-sqrt(0.5))
_OUTER = np.float32(sqrt(2 / pi))    #: Factors in the argument of the approximation's tanh.
_CUBIC = np.float32(0.044715)
_MOST  = 1 << 10                     #: Steps beyond any byte.


def _check_scales(x, out):
    """Raise ValueError unless no step of a float32 computation can leave its range."""
    for name, scale in (("the input", x), ("out", out)):
        if not 2.0 ** -100 <= scale <= 2.0 ** 100:
            raise ValueError(f"Scale of {name} must be between 2**-100 and 2**100, not {scale:g}")


class _LookedUp(ElementFunction):
    """Base for a float32 function of a byte, rounded half away from 0 and saturated.

    Source: tensorflow/lite/kernels/internal/common.h, ``LUTPopulate``.
    """

    types = ("INT8",)

    @abstractmethod
    def _function(self, real: np.ndarray) -> np.ndarray:
        """The function of a float32 array, float32."""

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        super().check(x)
        _check_scales(x.scaling.scale, self.out.scale)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        real = np.float32(x.scaling.scale) * x.centred.astype(np.float32)
        with np.errstate(over="ignore"):
            steps = self._function(real) * (_ONE / np.float32(self.out.scale))
        exact   = np.clip(steps, -_MOST, _MOST).astype(np.float64)
        rounded = np.trunc(exact + np.copysign(0.5, exact)).astype(np.int64)
        values  = np.clip(rounded + self.out.zero_point, -128, 127).astype(np.int8)
        return Result(Tensor(values, self.out), overflow=False)


@dataclass(frozen=True)
class Exp(_LookedUp):
    """EXP: exponential, INT8. Source: tensorflow/lite/kernels/exp.cc."""

    out: Quantisation

    def _function(self, real):
        # The double exponential, rounded, is the nearest float32.
        return np.exp(real.astype(np.float64)).astype(np.float32)


@dataclass(frozen=True)
class Log(_LookedUp):
    """LOG: natural logarithm, INT8; the lowest output for elements that are not above 0.

    Source: tensorflow/lite/kernels/elementwise.cc, ``LogEvalQuantized``.
    """

    out: Quantisation

    def _function(self, real):
        above = np.where(real > 0, real, _ONE).astype(np.float64)
        return np.where(real > 0, np.log(above).astype(np.float32), -np.inf).astype(np.float32)


@dataclass(frozen=True)
class Gelu(_LookedUp):
    """GELU: an element times the normal distribution below it, INT8.

    Source: tensorflow/lite/kernels/internal/reference/gelu.h.

    Parameters
    ----------
    out : output Quantisation
    approximate : bool, whether a tanh replaces the distribution
    """

    out:         Quantisation
    approximate: bool = False

    def _function(self, real):
        if self.approximate:
            with np.errstate(over="ignore"):
                inner = _OUTER * (real + _CUBIC * real * real * real)
            return _HALF * real * (_ONE + np.tanh(inner.astype(np.float64)).astype(np.float32))
        return _HALF * real * _erfc((real * _ROOT).astype(np.float64)).astype(np.float32)

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        super().check(x)
        check_kind("approximate", self.approximate, bool)


@dataclass(frozen=True)
class Sqrt(ElementFunction):
    """SQRT: square root in float32, rounded down; INT8, or INT16 with zero point 0.

    Source: tensorflow/lite/kernels/elementwise.cc; the rounding is that of LiteRT 2.3.
    """

    out: Quantisation

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        super().check(x)
        _check_scales(x.scaling.scale, self.out.scale)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``; ValueError for an element below the zero point."""
        least = int(x.centred.min())
        if least < 0:
            raise ValueError(f"No element must be below its zero point, but one is by {-least}")
        roots  = np.sqrt(np.float32(x.scaling.scale) * x.centred.astype(np.float32))
        steps  = np.minimum(roots / np.float32(self.out.scale), 1 << 17).astype(np.int64)
        low, high = container(x.bits)
        values = np.clip(steps + self.out.zero_point, low, high).astype(x.data.dtype)
        return Result(Tensor(values, self.out), overflow=False)


_erfc = np.vectorize(erfc, otypes=[np.float64])
