# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite sigmoid and hyperbolic tangent."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from xymac.golden.fixed import saturate
from xymac.golden.parameters.tflm.exponent import sigmoid_argument, table_argument
from xymac.golden.result import Result
from xymac.golden.tflm.arithmetic import divide_by_power, multiply_quantized
from xymac.golden.tflm.checks import check_out, check_scaled, check_zero
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.tensor import Quantisation, Tensor

from . import interpolate
from .exponential import ONE, exponential, half_reciprocal, reciprocal

__all__ = ["Logistic", "Tanh"]

_TABLE_OUT = 2.0 ** -15  #: Scale of an int16 output.
_NEAR      = np.float32(1e-3)  #: Tolerance of its binary logarithm.
_LEFT_MAX  = 62  #: Largest left shift of 1 in 64 bits.


def _sigmoid(x):
    """Sigmoid, Q0.31, for Q4.27 numbers."""
    value = reciprocal(exponential(-np.abs(x), 4))
    return np.where(x > 0, value, np.where(x < 0, ONE - value, 1 << 30))


def _tanh(x):
    """Hyperbolic tangent, Q0.31, for Q4.27 numbers."""
    # The same integer with one more integer bit represents twice the number.
    value = saturate(half_reciprocal(exponential(-np.abs(x), 5)) - (1 << 29) << 2, 32)
    return np.where(x > 0, value, np.where(x < 0, -value, 0))


class _Curve(TensorLayer):
    """Base for sigmoid and tangent: INT8 by exponentials, INT16 by a table."""

    out:     Quantisation
    doubles: bool
    by_element = True

    @abstractmethod
    def curve(self, x: np.ndarray) -> np.ndarray:
        """Output for Q4.27 numbers."""

    @abstractmethod
    def by_table(self, x: np.ndarray | Tensor, factor: int | tuple[int, int],
                 shift: int) -> np.ndarray:
        """Output for int16 elements."""

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_scaled("Input", x, "INT8", "INT16")
        check_out(self.out, x.data.dtype)
        if x.bits == 16:
            check_zero("Input", x.scaling)
            check_zero("out", self.out)
            if np.abs(np.float32(np.log2(self.out.scale / _TABLE_OUT))) >= _NEAR:
                raise ValueError(f"Scale of out must be 2**-15 for INT16, not {self.out.scale:g}")
            self._check_table(x)
        else:
            self._check_radius(x)

    def _check_radius(self, x):
        _, exponent, radius = sigmoid_argument(x.scaling.scale)
        if radius >> 31 or exponent > _LEFT_MAX:
            raise ValueError(f"Scale of an INT8 input must be at least 2**-28 and less than 2**35, "
                             f"not {x.scaling.scale:g}")

    def _check_table(self, x):
        factor, _ = table_argument(x.scaling.scale, self.doubles)
        if not factor or factor >> 15:
            raise ValueError(f"Scale of an INT16 input must be at least 3.79e-14 and less than "
                             f"8/3, not {x.scaling.scale:g}")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        scale = x.scaling.scale
        if x.bits == 16:
            values = self.by_table(x.data.astype(np.int64), *table_argument(scale, self.doubles))
        else:
            multiplier, exponent, radius = sigmoid_argument(scale)
            inside = multiply_quantized(np.clip(x.centred, -radius, radius), multiplier, exponent)
            values = np.where(np.abs(x.centred) < radius, self.curve(inside),
                              np.where(x.centred <= -radius, -128, 127))
        return Result(Tensor(np.asarray(values, x.data.dtype), self.out), overflow=False)


@dataclass(frozen=True)
class Logistic(_Curve):
    """LOGISTIC: ``1 / (1 + exp(-x))``, INT8 or INT16; an INT8 output step is 2**-8.

    The INT8 output scale has no effect.
    Source: tensorflow/lite/kernels/internal/reference/integer_ops/logistic.h.

    Parameters
    ----------
    out : Quantisation, zero point -128 for INT8; scale 2**-15, zero point 0 for INT16
    """

    out: Quantisation

    doubles = False

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        super().check(x)
        if x.bits == 8 and self.out.zero_point != -128:
            raise ValueError(f"out must have zero point -128, not {self.out.zero_point}")

    def curve(self, x: np.ndarray) -> np.ndarray:
        """Output for Q4.27 numbers."""
        return saturate(divide_by_power(_sigmoid(x), 23) - 128, 8)

    def by_table(self, x: np.ndarray, factor: int, shift: int) -> np.ndarray:
        """Output for int16 elements."""
        return interpolate.sigmoid(x, factor, shift)


@dataclass(frozen=True)
class Tanh(_Curve):
    """TANH: hyperbolic tangent, INT8 or INT16; an INT8 output step is 2**-7.

    The INT8 output scale and zero point have no effect.
    Source: tensorflow/lite/kernels/internal/reference/integer_ops/tanh.h.

    Parameters
    ----------
    out : Quantisation; scale 2**-15, zero point 0 for INT16
    """

    out: Quantisation

    doubles = True

    def curve(self, x: np.ndarray) -> np.ndarray:
        """Output for Q4.27 numbers."""
        return saturate(divide_by_power(_tanh(x), 24), 8)

    def by_table(self, x: np.ndarray, factor: int, shift: int) -> np.ndarray:
        """Output for int16 elements."""
        return interpolate.tanh(x, factor, shift)
