# SPDX-License-Identifier: Apache-2.0
"""Indices of float32 extremes, as a host computes them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.checks import check_ints
from xymac.golden.dimensions import remove_dimension
from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_flag, check_types
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.moves.move import check_axis
from xymac.golden.tflm.tensor import Tensor

__all__ = ["PlainPlace"]


@dataclass(frozen=True)
class PlainPlace(TensorLayer):
    """ARG_MAX or ARG_MIN along a dimension, FLOAT32: an INT32 index, the first of equal extremes.

    NaN is an extreme only at index 0.
    Source: tensorflow/lite/kernels/internal/reference/arg_min_max.h, ``ArgMinMax``.

    Parameters
    ----------
    axis : int, dimension; negative values count from the end
    is_largest : bool, whether to compute ARG_MAX
    """

    axis:       int
    is_largest: bool = True

    out = None

    def output_dtype(self, x: Tensor) -> np.dtype:
        """Numpy output type."""
        return np.dtype(np.int32)

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        return remove_dimension(tuple(x_shape), self.axis % len(x_shape))

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_types("Input", x, "FLOAT32")
        check_flag("is_largest", self.is_largest)
        check_ints("axis", (self.axis,), 1)
        if not x.data.ndim:
            raise ValueError("Input must have 1 dimension at least, not 0")
        check_axis(self.axis, x.data.ndim)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        none   = np.float32(-np.inf if self.is_largest else np.inf)
        values = np.where(np.isnan(x.data), none, x.data)
        places = (np.argmax if self.is_largest else np.argmin)(values, self.axis)
        places = np.where(np.isnan(x.data.take(0, self.axis)), 0, places)
        return Result(Tensor(np.asarray(places, np.int32)), overflow=False)
