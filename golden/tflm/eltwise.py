# SPDX-License-Identifier: Apache-2.0
"""Element-wise TensorFlow Lite operators on two tensors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from xymac.golden.parameters.tflm.eltwise import product_multiplier, sum_multipliers, sum_shift
from xymac.golden.parameters.tflm.multiplier import EXPONENT_MAX
from xymac.golden.parameters.tflm.options import Activation
from xymac.golden.result import Result

from .arithmetic import multiply_quantized
from .checks import (
    check_activation,
    check_factors,
    check_most,
    check_out,
    check_types,
    check_whole,
    check_zero,
)
from .layer import TensorLayer
from .limits import store
from .shapes import PairShapes
from .tensor import Quantisation, Tensor

__all__ = ["NAMES", "PAIRED", "Add", "Binary", "Maximum", "Minimum", "Mul", "Sub"]

NAMES  = ("First input", "Second input")
PAIRED = 6  #: Largest rank of an input.


class Binary(PairShapes, TensorLayer):
    """Base for the operators on two tensors of equal type whose shapes broadcast."""

    out: Quantisation
    inputs = 2

    def check(self, a: Tensor, b: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensors."""
        self.check_pair(a, b)
        check_out(self.out, a.data.dtype)

    def check_pair(self, a: Tensor, b: Tensor) -> None:
        """Raise unless both Tensors have the same type, one scale each, and shapes that broadcast.
        """
        for name, x in zip(NAMES, (a, b), strict=True):
            check_types(name, x, "INT8", "INT16")
            check_whole(name, x)
            check_most(name, x, PAIRED)
        if a.type_name != b.type_name:
            raise ValueError(f"First input is {a.type_name}, second input is {b.type_name}")
        self.check_shapes(a, b)


@dataclass(frozen=True)
class _Sum(Binary):
    """Base for sum and difference; the subclass sets ``_combine``."""

    out:        Quantisation
    activation: Activation = Activation.NONE

    _combine: ClassVar[Callable[..., np.ndarray]]

    def factors(self, a: Tensor,
                b: Tensor) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
        """(multiplier, exponent) for the first input, the second input and their sum."""
        return sum_multipliers(a.scaling.scale, b.scaling.scale, self.out.scale, a.bits)

    def check(self, a: Tensor, b: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensors."""
        super().check(a, b)
        check_activation(self.activation, self.out, a.data.dtype)
        for name, x in zip(NAMES, (a, b), strict=True):
            if not x.scaling.scale:
                raise ValueError(f"Scale of {name.lower()} must be more than 0, not 0.0")
        check_factors(self.factors(a, b)[2:], 0)

    def run(self, a: Tensor, b: Tensor) -> Result:
        """Result on the Tensors ``a`` and ``b``."""
        first, second, last = self.factors(a, b)
        # At most 2**16 shifted by 15 bits, or 2**8 by 20; factors <= 1/2 keep the sums
        # below 32 bits.
        shifted = (x.centred << sum_shift(x.bits) for x in (a, b))
        scaled  = (multiply_quantized(values, *factor) for values, factor
                   in zip(shifted, (first, second), strict=True))
        values  = multiply_quantized(self._combine(*scaled), *last)
        return Result(store(a, values, self.out, self.activation), overflow=False)


class Add(_Sum):
    """ADD: sum of two tensors, INT8 or INT16, each scaled to half the larger scale.

    Source: tensorflow/lite/micro/kernels/add_common.cc;
    tensorflow/lite/kernels/internal/reference/add.h, ``AddElementwise``.

    Parameters
    ----------
    out : output Quantisation; twice the larger input scale divided by the output scale must be less
        than 2**20, for INT16 less than 2**15
    activation : NONE, RELU, RELU_N1_TO_1 or RELU6
    """

    _combine = staticmethod(np.add)


class Sub(_Sum):
    """SUB: the first tensor minus the second tensor, INT8 or INT16.

    Source: tensorflow/lite/micro/kernels/sub_common.cc;
    tensorflow/lite/kernels/internal/reference/sub.h, ``SubElementwise``.

    Parameters as in ``Add``.
    """

    _combine = staticmethod(np.subtract)


@dataclass(frozen=True)
class Mul(Binary):
    """MUL: product of two tensors, INT8, or INT16 with zero point 0.

    Source: tensorflow/lite/micro/kernels/mul_common.cc;
    tensorflow/lite/kernels/internal/reference/integer_ops/mul.h, ``MulElementwise``.

    Parameters
    ----------
    out : output Quantisation
    activation : NONE, RELU, RELU_N1_TO_1 or RELU6
    """

    out:        Quantisation
    activation: Activation = Activation.NONE

    def factor(self, a: Tensor, b: Tensor) -> tuple[int, int]:
        """Multiplier and exponent for the products."""
        return product_multiplier(a.scaling.scale, b.scaling.scale, self.out.scale)

    def check(self, a: Tensor, b: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensors."""
        super().check(a, b)
        check_activation(self.activation, self.out, a.data.dtype)
        if a.bits == 16:
            for name, kind in (*zip(NAMES, (a.scaling, b.scaling), strict=True),
                               ("Output", self.out)):
                check_zero(f"{name} of INT16", kind)
        check_factors([self.factor(a, b)], EXPONENT_MAX)

    def run(self, a: Tensor, b: Tensor) -> Result:
        """Result on the Tensors ``a`` and ``b``."""
        values = multiply_quantized(a.centred * b.centred, *self.factor(a, b))
        return Result(store(a, values, self.out, self.activation), overflow=False)


@dataclass(frozen=True)
class _Extreme(Binary):
    """Base for maximum and minimum; the subclass sets ``_choose``."""

    out: Quantisation

    _choose: ClassVar[Callable[..., np.ndarray]]

    def run(self, a: Tensor, b: Tensor) -> Result:
        """Result on the Tensors ``a`` and ``b``."""
        values = np.asarray(self._choose(a.data, b.data))  # scalars, too
        return Result(Tensor(values, self.out), overflow=False)


class Maximum(_Extreme):
    """MAXIMUM: the larger of two integer elements, without regard to scales.

    Source: tensorflow/lite/micro/kernels/maximum_minimum.h.

    Parameters
    ----------
    out : output Quantisation; a meaningful result needs the inputs' Quantisation
    """

    _choose = staticmethod(np.maximum)


class Minimum(_Extreme):
    """MINIMUM: the smaller of two integer elements, without regard to scales.

    Source: tensorflow/lite/micro/kernels/maximum_minimum.h.

    Parameters as in ``Maximum``.
    """

    _choose = staticmethod(np.minimum)
