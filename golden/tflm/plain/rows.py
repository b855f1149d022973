# SPDX-License-Identifier: Apache-2.0
"""Softmax, log-softmax and division by the norm for float32 rows, as a host computes them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.checks import check_kind
from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_flag, check_types
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.tensor import Tensor

from .exponents import exponential, logarithm

__all__ = ["PlainNormalization", "PlainSoftmax"]

_LEAST = np.float32(1e-6)  #: Smallest norm.


@dataclass(frozen=True)
class PlainSoftmax(TensorLayer):
    """SOFTMAX or LOG_SOFTMAX along the last dimension, FLOAT32.

    Exponentials are added sequentially in float32.
    Source: tensorflow/lite/kernels/internal/reference, softmax.h, log_softmax.h.

    Parameters
    ----------
    beta : float, a float32 value; 1.0 for LOG_SOFTMAX
    is_log : bool, whether to compute LOG_SOFTMAX
    """

    beta:   float = 1.0
    is_log: bool = False

    out = None

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_kind("beta", self.beta, float)
        check_flag("is_log", self.is_log)
        check_types("Input", x, "FLOAT32")
        if not x.data.ndim:
            raise ValueError("Input must have 1 dimension at least, not 0")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        with np.errstate(all="ignore"):
            below  = x.data - x.data.max(axis=-1, keepdims=True)
            powers = exponential(below if self.is_log else below * np.float32(self.beta))
            # ``np.sum`` adds pairwise; the library adds sequentially.
            total  = np.add.accumulate(powers, axis=-1, dtype=np.float32)[..., -1:]
            values = below - logarithm(total) if self.is_log else powers / total
        return Result(Tensor(np.asarray(values, np.float32)), overflow=False)


@dataclass(frozen=True)
class PlainNormalization(TensorLayer):
    """L2_NORMALIZATION along the last dimension, FLOAT32: elements divided by the norm.

    Squares are added sequentially in float32.
    Source: tensorflow/lite/kernels/internal/reference/l2normalization.h.
    """

    out = None

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_types("Input", x, "FLOAT32")
        if not x.data.ndim:
            raise ValueError("Input must have 1 dimension at least, not 0")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        with np.errstate(all="ignore"):
            squares = np.add.accumulate(x.data * x.data, axis=-1, dtype=np.float32)[..., -1:]
            norm    = np.sqrt(squares)
            values  = x.data / np.where(norm < _LEAST, _LEAST, norm)
        return Result(Tensor(np.asarray(values, np.float32)), overflow=False)
