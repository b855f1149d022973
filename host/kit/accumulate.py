# SPDX-License-Identifier: Apache-2.0
"""Sums of products as a device's results: an accumulator, or a matrix tile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.fixed import container

__all__ = ["SUMMING", "Accumulate"]

SUMMING = ("accumulate", "matmul")  #: Operations whose result is sums.
_ACC    = container(32)


@dataclass(frozen=True, eq=False)
class Accumulate:
    """Products of 8-bit elements and weights, summed in 32 bits.

    Parameters
    ----------
    weights : int8 array (outputs, inputs)
    bias : int32 array (outputs,)
    zero_point : int, of the elements

    ValueError if weights and bias do not belong together.
    """

    weights:    np.ndarray
    bias:       np.ndarray
    zero_point: int = 0

    def __post_init__(self) -> None:
        if self.weights.ndim != 2 or self.bias.shape != self.weights.shape[:1]:
            raise ValueError(f"Weights must have shape (outputs, inputs) and a bias for each "
                             f"output, not {self.weights.shape} and {self.bias.shape}")

    def fits(self, x: np.ndarray) -> bool:
        """Whether all partial sums of int8 elements (rows, inputs) fit 32 bits."""
        most = (np.abs(x.astype(np.int64) - self.zero_point)
                @ np.abs(self.weights.astype(np.int64)).T + np.abs(self.bias.astype(np.int64)))
        return most.max() <= _ACC[1]

    def run(self, x: np.ndarray) -> np.ndarray:
        """Sums for int8 elements (rows, inputs): an int32 array (rows, outputs)."""
        sums = (x.astype(np.int64) - self.zero_point) @ self.weights.astype(np.int64).T + self.bias
        return sums.astype(np.int32)
