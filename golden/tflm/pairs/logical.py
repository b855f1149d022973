# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite logical operators on BOOL elements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_types
from xymac.golden.tflm.eltwise import NAMES
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.shapes import PairShapes
from xymac.golden.tflm.tensor import Tensor

__all__ = ["LogicalAnd", "LogicalNot", "LogicalOr"]


class _Pair(PairShapes, TensorLayer):
    """Base for the operators on two BOOL tensors whose shapes broadcast."""

    inputs = 2
    out    = None
    _combine: ClassVar[Callable[..., np.ndarray]]

    def check(self, a: Tensor, b: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensors."""
        for name, x in zip(NAMES, (a, b), strict=True):
            check_types(name, x, "BOOL")
        self.check_shapes(a, b)

    def run(self, a: Tensor, b: Tensor) -> Result:
        """Result on the Tensors ``a`` and ``b``."""
        return Result(Tensor(np.asarray(self._combine(a.data, b.data))), overflow=False)


@dataclass(frozen=True)
class LogicalAnd(_Pair):
    """LOGICAL_AND: whether both elements are true, BOOL.

    Source: tensorflow/lite/micro/kernels/logical_common.cc.
    """

    _combine = staticmethod(np.logical_and)


@dataclass(frozen=True)
class LogicalOr(_Pair):
    """LOGICAL_OR: whether at least one element is true, BOOL.

    Source: tensorflow/lite/micro/kernels/logical_common.cc.
    """

    _combine = staticmethod(np.logical_or)


@dataclass(frozen=True)
class LogicalNot(TensorLayer):
    """LOGICAL_NOT: whether an element is false, BOOL.

    Source: tensorflow/lite/micro/kernels/elementwise.cc, ``LogicalNotEval``.
    """

    by_element = True
    out        = None

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_types("Input", x, "BOOL")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        return Result(Tensor(np.asarray(np.logical_not(x.data))), overflow=False)
