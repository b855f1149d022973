# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite softmax."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.checks import check_kind
from xymac.golden.fixed import saturate
from xymac.golden.parameters.tflm.exponent import softmax_argument, softmax_table_argument
from xymac.golden.parameters.tflm.function_tables import EXPONENTIALS, RECIPROCALS
from xymac.golden.parameters.tflm.multiplier import EXPONENT_MAX
from xymac.golden.result import Result
from xymac.golden.tflm.arithmetic import divide_by_power, doubling_high_mul, multiply_quantized
from xymac.golden.tflm.checks import check_dtype, check_factors, check_scaled, check_zero
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.tensor import Quantisation, Tensor

from .exponential import exponential, reciprocal
from .interpolate import look_up

__all__ = ["Softmax"]

#: Scale and zero point of the output by (input type, output type).
_OUTPUTS = {("INT8", "INT8"): (8, -128), ("INT8", "INT16"): (16, -32768), ("INT16", "INT16"):
            (15, 0)}
_SUM_FRAC_BITS = 19  #: Fractional bits of the sum of exponentials.
_NEAR = 0.001  #: Relative tolerance of an int16 output's scale.


def _leading_zeros(values):
    """Leading zeros in each 32-bit integer >= 0."""
    return 32 - np.frexp(values.astype(np.float64))[1]


def _divide(below, argument, bits):
    """Softmax, int64, minus ``2**(bits - 1)``, from differences to each row's largest element.

    OverflowError if a sum exceeds the library's divisor range.
    """
    multiplier, exponent, least = argument
    counts = below >= least
    # |scaled| <= 31 * 2**26, because ``least`` limits the differences.
    scaled = doubling_high_mul(np.maximum(below, least) << exponent, multiplier)
    powers = np.where(counts, exponential(scaled, 5), 0)
    total  = np.where(counts, divide_by_power(powers, 12), 0).sum(axis=-1, keepdims=True)
    most   = min(32 - _SUM_FRAC_BITS, bits + 1)
    if total.max() >> _SUM_FRAC_BITS + most:
        raise OverflowError(f"Exponentials of a row must add up to less than {1 << most}, "
                            f"not {int(total.max()) / (1 << _SUM_FRAC_BITS):g}")
    zeros  = _leading_zeros(total)
    values = doubling_high_mul(reciprocal((total << zeros) - (1 << 31)), powers)
    return divide_by_power(values, 43 - zeros - bits) - (1 << bits - 1)


def _divide_by_table(below, factor):
    """Softmax from the same differences, by tables, Q0.15."""
    # Clipped at -32768; the exponential below it is 0.
    places = saturate(multiply_quantized(below, *factor) + 32767, 16)
    powers = look_up(EXPONENTIALS, places)
    total  = powers.sum(axis=-1, keepdims=True)
    if total.max() >> 31:
        raise OverflowError(f"Exponentials of a row must add up to less than {1 << 16}, "
                            f"not {int(total.max()) / (1 << 15):g}")
    zeros   = _leading_zeros(total)
    mean    = (total << zeros - 1) + (1 << 13) >> 14
    inverse = look_up(RECIPROCALS, saturate(mean - (1 << 15) - (1 << 16), 16))
    shift   = 31 - zeros
    return np.clip(powers * inverse + (1 << shift - 1) >> shift, 0, 32767)


@dataclass(frozen=True)
class Softmax(TensorLayer):
    """SOFTMAX: ``exp(beta * x)`` divided by its sum along the last dimension.

    INT8 to INT8 or INT16, and INT16 to INT16; the INT16 input uses tables.
    Source: tensorflow/lite/kernels/internal/reference/softmax.h, ``Softmax``, ``SoftmaxInt16``.

    Parameters
    ----------
    out : Quantisation; INT8: scale 2**-8, zero point -128; INT8 to INT16: scale 2**-16, zero point
        -32768; INT16 to INT16: scale 2**-15, zero point 0; an INT16 scale may be off by 1 in 1000
    beta : float, a float32 value, more than 0
    dtype : numpy output type; None for the input type
    """

    out:   Quantisation
    beta:  float = 1.0
    dtype: np.dtype | None = None

    def output_dtype(self, x: Tensor) -> np.dtype:
        """Numpy output type."""
        return x.data.dtype if self.dtype is None else np.dtype(self.dtype)

    def factor(self, x: Tensor) -> tuple[int, ...]:
        """Factor for a difference between two elements, see ``parameters.tflm.exponent``."""
        find = softmax_argument if x.bits == 8 else softmax_table_argument
        return find(x.scaling.scale, float(np.float32(self.beta)))

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_scaled("Input", x, "INT8", "INT16")
        check_kind("out", self.out, Quantisation)
        check_kind("beta", self.beta, float)
        if not x.data.ndim:
            raise ValueError("Input must have 1 dimension at least, not 0")
        check_dtype("dtype", self.dtype)
        blank = self.output_like(x)
        kinds = (x.type_name, blank.type_name)
        if kinds not in _OUTPUTS:
            raise ValueError(f"Input and output must be {', '.join(map('/'.join, _OUTPUTS))}, "
                             f"not {'/'.join(kinds)}")
        if x.bits == 16:
            check_zero("Input of INT16", x.scaling)
        places, zero = _OUTPUTS[kinds]
        near = _NEAR if blank.bits == 16 else 0
        if self.out.zero_point != zero or abs(self.out.scale * 2.0 ** places - 1) > near:
            raise ValueError(f"out must have scale 2**-{places} and zero point {zero}, "
                             f"not {self.out.scale:g} and {self.out.zero_point}")
        self._check_scale(x)

    def _check_scale(self, x):
        step = float(np.float32(self.beta)) * x.scaling.scale
        if not np.isfinite(step):
            raise ValueError(f"beta times the scale of the input must be finite, not {step}")
        if x.bits == 8 and step * (1 << 26) <= 1:
            raise ValueError(f"beta times the scale of an INT8 input must be more than 2**-26, "
                             f"not {step:g}")
        if x.bits == 16:
            check_factors([self.factor(x)], EXPONENT_MAX)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        dtype = self.output_dtype(x)
        below = x.data.astype(np.int64)
        below = below - below.max(axis=-1, keepdims=True)
        if x.bits == 8:
            bits   = 8 * dtype.itemsize
            values = saturate(_divide(below, self.factor(x), bits), bits)
        else:
            values = _divide_by_table(below, self.factor(x))
        return Result(Tensor(values.astype(dtype), self.out), overflow=False)
