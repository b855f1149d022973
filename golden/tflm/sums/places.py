# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite operators for the largest or smallest element's index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from xymac.golden.dimensions import remove_dimension
from xymac.golden.kinds import WorkUnit
from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_scaled
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.moves.move import check_axis
from xymac.golden.tflm.tensor import Tensor

__all__ = ["ArgMax", "ArgMin"]


@dataclass(frozen=True)
class _Place(TensorLayer):
    """Base for the operators that find an extreme's first index along a dimension; INT32 output."""

    axis: int

    _find: ClassVar[Callable[..., np.ndarray | np.integer]]
    out       = None
    work_unit = WorkUnit.LANES

    def output_dtype(self, x: Tensor) -> np.dtype:
        """Numpy output type."""
        return np.dtype(np.int32)

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        return remove_dimension(tuple(x_shape), self.axis % len(x_shape))

    def work(self, x_shape: tuple[int, ...]) -> int:
        """Input element count."""
        return int(np.prod(x_shape))

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_scaled("Input", x, "INT8")
        if not x.data.ndim:
            raise ValueError("Input must have 1 dimension at least, not 0")
        check_axis(self.axis, x.data.ndim)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        return Result(Tensor(np.asarray(self._find(x.data, self.axis), np.int32)), overflow=False)


class ArgMax(_Place):
    """ARG_MAX: the index of the largest element along a dimension, INT8.

    Source: tensorflow/lite/micro/kernels/arg_min_max.cc;
    tensorflow/lite/kernels/internal/reference/arg_min_max.h, ``ArgMinMax``.

    Parameters
    ----------
    axis : int, dimension; negative values count from the end
    """

    _find = staticmethod(np.argmax)


class ArgMin(_Place):
    """ARG_MIN: the index of the smallest element along a dimension, INT8.

    Source: tensorflow/lite/micro/kernels/arg_min_max.cc;
    tensorflow/lite/kernels/internal/reference/arg_min_max.h, ``ArgMinMax``.

    Parameters as in ``ArgMax``.
    """

    _find = staticmethod(np.argmin)
