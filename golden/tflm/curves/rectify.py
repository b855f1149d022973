# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite rectified linear units as separate operators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from xymac.golden.checks import check_kind
from xymac.golden.fixed import container, wrap
from xymac.golden.parameters.tflm.multiplier import EXPONENT_MAX
from xymac.golden.parameters.tflm.options import Activation
from xymac.golden.parameters.tflm.ranges import quantize_real
from xymac.golden.parameters.tflm.rescale import (
    leaky_multipliers,
    prelu_multipliers,
    rescale_multiplier,
)
from xymac.golden.result import Result
from xymac.golden.tflm.arithmetic import multiply_quantized
from xymac.golden.tflm.checks import check_factors, check_most, check_out, check_scaled, check_zero
from xymac.golden.tflm.eltwise import PAIRED
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.limits import store
from xymac.golden.tflm.tensor import Quantisation, Tensor

__all__ = ["LeakyRelu", "Prelu", "Relu", "Relu0To1", "Relu6", "ReluN1To1"]


class _Rectifier(TensorLayer):
    """Base for the element-wise operators with one INT8 or INT16 input."""

    out: Quantisation
    by_element = True

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_scaled("Input", x, "INT8", "INT16")
        check_out(self.out, x.data.dtype)
        check_factors(self.factors(x), EXPONENT_MAX)

    def factors(self, x: Tensor) -> tuple:
        """The operator's (multiplier, exponent) pairs, a tuple."""
        return ()


@dataclass(frozen=True)
class Relu(_Rectifier):
    """RELU: the input from 0 on, in the output scale.

    Source: tensorflow/lite/micro/kernels/activations_common.cc, ``ReluQuantized``.
    """

    out: Quantisation

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        super().check(x)
        if x.bits == 16:
            check_zero("Input", x.scaling)
            check_zero("out", self.out)

    def factors(self, x: Tensor) -> tuple[tuple[int, int]]:
        """The (multiplier, exponent) pair."""
        return (rescale_multiplier(x.scaling.scale, self.out.scale),)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        values = multiply_quantized(x.centred, *self.factors(x)[0])
        return Result(store(x, values, self.out, Activation.RELU), overflow=False)


class _Limited(_Rectifier):
    """Base for the operators that limit numbers to a range, INT8, in the output scale.

    Source: tensorflow/lite/kernels/activations.cc, ``QuantizedReluX``; tflite-micro has no kernel.
    """

    _ends: ClassVar[tuple[int, int]]

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_scaled("Input", x, "INT8")
        super().check(x)
        self.limits()  # Raises unless both have 32 bits.

    def factors(self, x: Tensor) -> tuple[tuple[int, int]]:
        """The (multiplier, exponent) pair."""
        return (rescale_multiplier(x.scaling.scale, self.out.scale),)

    def limits(self) -> tuple[int, int]:
        """Lowest and highest output, inclusive."""
        low, high = (self.out.zero_point + quantize_real(end, self.out.scale) for end in self._ends)
        return max(low, -128), min(high, 127)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        values = multiply_quantized(x.centred, *self.factors(x)[0])
        data   = np.clip(wrap(values + self.out.zero_point, 32), *self.limits()).astype(np.int8)
        return Result(Tensor(data, self.out), overflow=False)


@dataclass(frozen=True)
class Relu0To1(_Limited):
    """RELU_0_TO_1: elements limited to 0 and 1."""

    out: Quantisation

    _ends = 0, 1


@dataclass(frozen=True)
class ReluN1To1(_Limited):
    """RELU_N1_TO_1: elements limited to -1 and 1."""

    out: Quantisation

    _ends = -1, 1


@dataclass(frozen=True)
class Relu6(_Rectifier):
    """RELU6: elements limited to the input's 0 and 6; the output scale does not count.

    Source: tensorflow/lite/micro/kernels/activations_common.cc, ``Relu6Quantized``.
    """

    out: Quantisation

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        super().check(x)
        if not x.scaling.scale:
            raise ValueError("Scale of the input must be more than 0, not 0.0")
        quantize_real(6, x.scaling.scale)  # Raises unless the limit has 32 bits.

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        low  = x.scaling.zero_point
        high = min(low + quantize_real(6, x.scaling.scale), container(x.bits)[1])
        return Result(Tensor(np.clip(x.data, low, high), self.out), overflow=False)


def _apply(x, out, factors, slopes: int | np.ndarray = 1, sign=1):
    """Output Tensor: elements >= 0 times the first factor, negative elements times slope and second
    factor.
    """
    data  = x.centred
    above = multiply_quantized(data, *factors[0])
    below = sign * multiply_quantized(data * slopes, *factors[1])
    return store(x, np.where(data >= 0, above, below), out, Activation.NONE)


@dataclass(frozen=True)
class LeakyRelu(_Rectifier):
    """LEAKY_RELU: ``x`` for ``x >= 0``, ``alpha * x`` below.

    Source: tensorflow/lite/kernels/internal/reference/leaky_relu.h, ``QuantizeLeakyRelu``.
    alpha : float, as float32 has it; it may be negative
    """

    out:   Quantisation
    alpha: float

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_kind("alpha", self.alpha, float)
        if not np.isfinite(np.float32(self.alpha)):
            raise ValueError(f"alpha must be finite, not {self.alpha}")
        super().check(x)

    def factors(self, x: Tensor) -> tuple[tuple[int, int], tuple[int, int]]:
        """(multiplier, exponent) from 0 on and below, the latter without its sign."""
        return leaky_multipliers(x.scaling.scale, float(np.float32(self.alpha)),
                                 self.out.scale)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        output = _apply(x, self.out, self.factors(x), sign=-1 if self.alpha < 0 else 1)
        return Result(output, overflow=False)


@dataclass(frozen=True)
class Prelu(_Rectifier):
    """PRELU: ``x`` for ``x >= 0``, ``alpha * x`` below; ``alpha`` broadcasts to the input shape.

    Source: tensorflow/lite/kernels/internal/reference/prelu.h, ``Prelu``.
    alpha : Tensor, INT8, one scale; broadcast by numpy's rules
    """

    out:   Quantisation
    alpha: Tensor

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_scaled("alpha", self.alpha, "INT8")
        super().check(x)
        check_most("Input", x, PAIRED)
        wanted = (1,) * (x.data.ndim - self.alpha.data.ndim) + self.alpha.shape
        if len(wanted) != x.data.ndim or any(
                size not in (1, whole) for size, whole in zip(wanted, x.shape, strict=True)):
            raise ValueError(f"alpha must have 1 or all of each of the dimensions {x.shape}, "
                             f"not {self.alpha.shape}")

    def factors(self, x: Tensor) -> tuple[tuple[int, int], tuple[int, int]]:
        """(multiplier, exponent) from 0 on and below."""
        return prelu_multipliers(x.scaling.scale, self.alpha.scaling.scale,
                                 self.out.scale)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        output = _apply(x, self.out, self.factors(x), slopes=self.alpha.centred)
        return Result(output, overflow=False)
