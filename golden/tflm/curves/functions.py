# SPDX-License-Identifier: Apache-2.0
"""Element-wise TensorFlow Lite functions: magnitude, exponential linear unit, inverse root."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.fixed import wrap
from xymac.golden.parameters.tflm.multiplier import EXPONENT_MAX
from xymac.golden.parameters.tflm.options import Activation
from xymac.golden.parameters.tflm.rescale import rescale_multiplier
from xymac.golden.parameters.tflm.roots import root_multiplier
from xymac.golden.result import Result
from xymac.golden.tflm.arithmetic import multiply_quantized
from xymac.golden.tflm.checks import (
    check_factors,
    check_out,
    check_quotients,
    check_scaled,
    check_zero,
)
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.limits import clip, store
from xymac.golden.tflm.tensor import Quantisation

from .root import inverse_root

if TYPE_CHECKING:
    from xymac.golden.tflm.tensor import Tensor

__all__ = ["Abs", "Elu", "Rsqrt"]

_SHIFT     = 20   #: Left shift of an inverse root, bits.
_ROOT_LOW  = -11  #: Range of the root factor's exponent: the remaining shift is within 31 bits
_ROOT_HIGH = 50   #: after subtraction of ``_SHIFT``.


class ElementFunction(TensorLayer):
    """Base for the element-wise operators with one input and the input's type."""

    out: Quantisation
    by_element = True
    types      = ("INT8", "INT16")

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_scaled("Input", x, *self.types)
        check_out(self.out, x.data.dtype)
        if x.bits == 16:
            check_zero("Input", x.scaling)
            check_zero("out", self.out)


@dataclass(frozen=True)
class Abs(ElementFunction):
    """ABS: magnitude, INT8, or INT16 with zero point 0.

    Source: tensorflow/lite/micro/kernels/elementwise.cc, ``AbsEvalQuantized``.
    """

    out: Quantisation

    def factor(self, x: Tensor) -> tuple[int, int]:
        """Multiplier and exponent for a magnitude."""
        return rescale_multiplier(x.scaling.scale, self.out.scale)

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        super().check(x)
        check_factors([self.factor(x)], EXPONENT_MAX)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        # Equal scales give the factor 1, which is exact; the library copies the elements.
        values = multiply_quantized(np.abs(x.centred), *self.factor(x))
        return Result(store(x, values, self.out, Activation.NONE), overflow=False)


@dataclass(frozen=True)
class Elu(ElementFunction):
    """ELU: ``x`` for ``x >= 0``, ``exp(x) - 1`` below, INT8, in float32.

    Source: tensorflow/lite/micro/kernels/elu.cc, ``PopulateLookupTable``.
    """

    out: Quantisation

    types = ("INT8",)

    def _quotients(self, x):
        """Outputs in steps of their scale, float32."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            inverse = np.float32(1) / np.float32(self.out.scale)
            real    = np.float32(x.scaling.scale) * x.centred.astype(np.float32)
            # The double exponential, rounded, is the nearest float32.
            powers  = np.exp(np.minimum(real, 0).astype(np.float64)).astype(np.float32)
            return np.where(real < 0, powers - np.float32(1), real) * inverse

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        super().check(x)
        ends = type(x)(np.array([-128, 127], np.int8), x.quantisation)
        check_quotients(self._quotients(ends))

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        exact   = self._quotients(x).astype(np.float64)
        rounded = np.trunc(exact + np.copysign(0.5, exact)).astype(np.float32)
        values  = (rounded + np.float32(self.out.zero_point)).astype(np.int64)
        return Result(clip(x, values, self.out, Activation.NONE), overflow=False)


@dataclass(frozen=True)
class Rsqrt(ElementFunction):
    """RSQRT: inverse square root, INT8, or INT16 with zero point 0; 0 gives the largest output.

    Source: tensorflow/lite/micro/kernels/elementwise.cc, ``RsqrtEvalQuantized``.
    """

    out: Quantisation

    def factor(self, x: Tensor) -> tuple[int, int]:
        """Multiplier and exponent for an inverse root, shifted left by ``_SHIFT`` bits."""
        multiplier, exponent = root_multiplier(x.scaling.scale, self.out.scale)
        return multiplier, exponent - _SHIFT

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        super().check(x)
        if not x.scaling.scale:
            raise ValueError("Scale of the input must be more than 0, not 0.0")
        exponent = self.factor(x)[1] + _SHIFT
        if not _ROOT_LOW <= exponent <= _ROOT_HIGH:
            raise ValueError(f"Scales must make a factor from 2**{_ROOT_LOW - 1} to "
                             f"2**{_ROOT_HIGH}, not about 2**{exponent}")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``; ValueError for an element below the zero point."""
        least = int(x.centred.min())
        if least < 0:
            raise ValueError(f"No element must be below its zero point, but one is by {-least}")
        values = np.maximum(x.centred, 1)
        multiplier, exponent = inverse_root(values)
        roots  = multiply_quantized(1, multiplier, exponent + _SHIFT)
        scaled = wrap(multiply_quantized(roots, *self.factor(x)) + self.out.zero_point, 32)
        largest = np.iinfo(x.data.dtype).max
        return Result(clip(x, np.where(x.centred == 0, largest, scaled), self.out,
                           Activation.NONE), overflow=False)
