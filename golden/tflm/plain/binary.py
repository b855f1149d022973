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

from .limits import limit_real

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


_COMPUTE = {PlainOperation.ADD: np.add, PlainOperation.SUB: np.subtract,
            PlainOperation.MUL: np.multiply, PlainOperation.DIV: np.divide,
            PlainOperation.SQUARED_DIFFERENCE: lambda a, b: (a - b) * (a - b),
            PlainOperation.FLOOR_DIV: lambda a, b: np.floor(a / b),
            PlainOperation.FLOOR_MOD: np.mod,
            # As std::max and std::min: a comparison with NaN selects the first operand.
            PlainOperation.MAXIMUM: lambda a, b: np.where(a < b, b, a),
            PlainOperation.MINIMUM: lambda a, b: np.where(b < a, b, a)}
_EXTREMES = (PlainOperation.MAXIMUM, PlainOperation.MINIMUM)
_INTEGERS = (PlainOperation.ADD, PlainOperation.SUB, PlainOperation.MUL, *_EXTREMES)
#: Operations with a fused activation; NONE still limits results to finite numbers.
_LIMITED  = (PlainOperation.ADD, PlainOperation.SUB, PlainOperation.MUL, PlainOperation.DIV)


@dataclass(frozen=True)
class PlainBinary(PairShapes, TensorLayer):
    """An operator on FLOAT32; INT32 ADD, SUB, MUL, MAXIMUM, MINIMUM; INT64 MAXIMUM, MINIMUM.

    FLOAT32 is rounded to nearest, ties to even, and limited by the activation; integers wrap, and
    no activation limits them.
    Source: tensorflow/lite/kernels/internal/reference, add.h, sub.h, mul.h, maximum_minimum.h;
    tensorflow/lite/micro/kernels/mul_common.cc.
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
        """Result on the Tensors ``a`` and ``b``."""
        with np.errstate(all="ignore"):
            values = _COMPUTE[self.op](a.data, b.data)
        if a.type_name == "FLOAT32" and self.op in _LIMITED:
            values = limit_real(values, self.activation)
        return Result(Tensor(np.asarray(values, a.data.dtype)), overflow=False)
