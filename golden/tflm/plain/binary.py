# SPDX-License-Identifier: Apache-2.0
"""Element-wise operators on two FLOAT32, INT32 or INT64 tensors, as a host computes them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from xymac.golden.checks import check_kind
from xymac.golden.parameters.tflm.options import Activation
from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_types
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.shapes import PairShapes
from xymac.golden.tflm.tensor import Tensor

from .limits import limit_integer, limit_real

__all__ = ["PlainBinary", "PlainOperation"]


class PlainOperation(Enum):
    """Operation on two elements; the value is the operator's name."""

    ADD     = "ADD"
    SUB     = "SUB"
    MUL     = "MUL"
    MAXIMUM = "MAXIMUM"
    MINIMUM = "MINIMUM"
    DIV     = "DIV"
    SQUARED_DIFFERENCE = "SQUARED_DIFFERENCE"
    FLOOR_DIV = "FLOOR_DIV"
    FLOOR_MOD = "FLOOR_MOD"


def _floor_mod(a, b):
    """Remainders with the divisor's sign; a zero has the dividend's, unlike in ``np.mod``."""
    rest = np.fmod(a, b)
    return np.where((rest != 0) & ((b < 0) != (rest < 0)), rest + b, rest)


_COMPUTE = {PlainOperation.ADD: np.add, PlainOperation.SUB: np.subtract,
            PlainOperation.MUL: np.multiply, PlainOperation.DIV: np.divide,
            PlainOperation.SQUARED_DIFFERENCE: lambda a, b: (a - b) * (a - b),
            # The library divides in double: a quotient in float32 could round up to an integer.
            PlainOperation.FLOOR_DIV: lambda a, b: np.floor(np.divide(a, b, dtype=np.float64)),
            PlainOperation.FLOOR_MOD: _floor_mod,
            # Equal zeros and NaN select the second operand, unlike in std::max and std::min.
            PlainOperation.MAXIMUM: lambda a, b: np.where(a > b, a, b),
            PlainOperation.MINIMUM: lambda a, b: np.where(a < b, a, b)}
_EXTREMES = (PlainOperation.MAXIMUM, PlainOperation.MINIMUM)
_INTEGERS = (PlainOperation.ADD, PlainOperation.SUB, PlainOperation.MUL, *_EXTREMES)
#: Operations with a fused activation; NONE still limits results to finite numbers.
_LIMITED  = (PlainOperation.ADD, PlainOperation.SUB, PlainOperation.MUL, PlainOperation.DIV)
#: Operations whose fused activation also limits integers; ADD ignores it.
_LIMITED_INTEGERS = (PlainOperation.SUB, PlainOperation.MUL)


@dataclass(frozen=True)
class PlainBinary(PairShapes, TensorLayer):
    """An operator on FLOAT32; INT32 ADD, SUB, MUL, MAXIMUM, MINIMUM; INT64 MAXIMUM, MINIMUM.

    FLOAT32 is rounded to nearest, ties to even, and limited by the activation. Integers wrap; then
    the activation limits SUB and MUL, but not ADD.
    Source: tensorflow/lite/kernels/internal/reference, add.h, sub.h, mul.h, floor_div.h,
    floor_mod.h; tensorflow/lite/micro/kernels, add.cc, sub.cc, mul_common.cc, maximum_minimum.h.
    """

    op:         PlainOperation
    activation: Activation = Activation.NONE

    inputs = 2
    out    = None

    def check(self, a: Tensor, b: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensors."""
        check_kind("op", self.op, PlainOperation)
        check_kind("activation", self.activation, Activation)
        wider = ("INT32",) * (self.op in _INTEGERS) + ("INT64",) * (self.op in _EXTREMES)
        for name, x in (("First input", a), ("Second input", b)):
            check_types(name, x, "FLOAT32", *wider)
        if a.type_name != b.type_name:
            raise ValueError(f"First input is {a.type_name}, second input is {b.type_name}")
        self.check_shapes(a, b)

    def run(self, a: Tensor, b: Tensor) -> Result:
        """Result on the Tensors ``a`` and ``b``.

        ValueError for a FLOOR_DIV by 0, which the library refuses.
        """
        if self.op is PlainOperation.FLOOR_DIV and (b.data == 0).any():
            raise ValueError("Every divisor must be other than 0")
        with np.errstate(all="ignore"):
            values = np.asarray(_COMPUTE[self.op](a.data, b.data), a.data.dtype)
        if a.type_name == "FLOAT32" and self.op in _LIMITED:
            values = limit_real(values, self.activation)
        elif self.op in _LIMITED_INTEGERS:
            values = limit_integer(values, self.activation)
        return Result(Tensor(values), overflow=False)
