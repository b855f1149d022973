# SPDX-License-Identifier: Apache-2.0
"""Comparisons of two tensors without scales, as a host computes them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from xymac.golden.checks import check_kind
from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_types
from xymac.golden.tflm.eltwise import NAMES
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.shapes import PairShapes
from xymac.golden.tflm.tensor import Tensor

__all__ = ["PlainCompare", "PlainComparison"]


class PlainComparison(Enum):
    """Comparison of two elements; the value is the operator's name."""

    EQUAL         = "EQUAL"
    NOT_EQUAL     = "NOT_EQUAL"
    GREATER       = "GREATER"
    GREATER_EQUAL = "GREATER_EQUAL"
    LESS          = "LESS"
    LESS_EQUAL    = "LESS_EQUAL"


_COMPARE = {op: getattr(np, op.value.lower()) for op in PlainComparison}
_TRUTHS  = (PlainComparison.EQUAL, PlainComparison.NOT_EQUAL)


@dataclass(frozen=True)
class PlainCompare(PairShapes, TensorLayer):
    """A comparison of FLOAT32, INT32 or INT64, or an equality of BOOL; shapes broadcast.

    The output is BOOL.
    Source: tensorflow/lite/micro/kernels/comparisons.cc.
    """

    op: PlainComparison

    inputs = 2
    out    = None

    def output_dtype(self, *x: Tensor) -> np.dtype:
        """Numpy output type."""
        return np.dtype(bool)

    def check(self, a: Tensor, b: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensors."""
        check_kind("op", self.op, PlainComparison)
        for name, x in zip(NAMES, (a, b), strict=True):
            check_types(name, x, "FLOAT32", "INT32", "INT64", *["BOOL"] * (self.op in _TRUTHS))
        if a.type_name != b.type_name:
            raise ValueError(f"First input is {a.type_name}, second input is {b.type_name}")
        self.check_shapes(a, b)

    def run(self, a: Tensor, b: Tensor) -> Result:
        """Result on the Tensors ``a`` and ``b``."""
        return Result(Tensor(np.asarray(_COMPARE[self.op](a.data, b.data))), overflow=False)
