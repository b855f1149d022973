"""Two tensors of FLOAT32, INT32 or INT64, element by element, as a host computes them."""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from golden.checks import check_kind
from golden.parameters.tflm.options import Activation
from golden.result import Result
from golden.tflm.checks import check_types
from golden.tflm.layer import TensorLayer
from golden.tflm.tensor import Tensor

from .limits import limit_real

__all__ = ["PlainBinary", "PlainOperation"]


class PlainOperation(Enum):
    """What becomes of two elements; the value is the operator's name."""

    ADD     = "ADD"
    SUB     = "SUB"
    MUL     = "MUL"
    MAXIMUM = "MAXIMUM"
    MINIMUM = "MINIMUM"


_COMPUTE = {PlainOperation.ADD: np.add, PlainOperation.SUB: np.subtract,
            PlainOperation.MUL: np.multiply,
            # As std::max and std::min: of what is no number the first one.
            PlainOperation.MAXIMUM: lambda a, b: np.where(a < b, b, a),
            PlainOperation.MINIMUM: lambda a, b: np.where(b < a, b, a)}
_EXTREMES = (PlainOperation.MAXIMUM, PlainOperation.MINIMUM)


@dataclass(frozen=True)
class PlainBinary(TensorLayer):
    """ADD, SUB, MUL, MAXIMUM or MINIMUM of FLOAT32, INT32 or, of the last two, INT64.

    FLOAT32 is rounded to nearest, ties to even, and limited by the activation; integers wrap, and
    no activation limits them.
    Source: tensorflow/lite/kernels/internal/reference, add.h, sub.h, mul.h, maximum_minimum.h;
    tensorflow/lite/micro/kernels/mul_common.cc.

    Parameters
    ----------
    op : PlainOperation
    activation : Activation
    """

    op:         PlainOperation
    activation: Activation = Activation.NONE

    inputs = 2
    out    = None

    def output_shape(self, a_shape, b_shape):
        """Shape of the output: both inputs, repeated along dimensions of 1."""
        return np.broadcast_shapes(a_shape, b_shape)

    def check(self, a, b):
        """Raise ValueError or TypeError unless the operator can process the Tensors."""
        check_kind("op", self.op, PlainOperation)
        check_kind("activation", self.activation, Activation)
        longs = ("INT64",) * (self.op in _EXTREMES)
        for name, x in (("First input", a), ("Second input", b)):
            check_types(name, x, "FLOAT32", "INT32", *longs)
        if a.type_name != b.type_name:
            raise ValueError(f"First input is {a.type_name}, second input is {b.type_name}")
        try:
            self.output_shape(a.shape, b.shape)
        except ValueError:
            raise ValueError(f"First input has shape {a.shape}, second input has "
                             f"{b.shape}") from None

    def run(self, a, b):
        """Result on the Tensors ``a`` and ``b``."""
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            values = _COMPUTE[self.op](a.data, b.data)
        if a.type_name == "FLOAT32" and self.op not in _EXTREMES:
            values = limit_real(values, self.activation)
        return Result(Tensor(np.asarray(values, a.data.dtype)), overflow=False)
