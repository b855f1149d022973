# SPDX-License-Identifier: Apache-2.0
"""Element-wise products of two tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .fields import container_clip
from .requantiser import Requantiser

if TYPE_CHECKING:
    pass

__all__ = ["Product"]


@dataclass(frozen=True)
class Product:
    """Product of two elements minus their zero points, and its scaling.

    Parameters
    ----------
    output : dict, Pass fields
    records : tuple of int, pass parameters: scale parameters, if any, then the bias; or empty
    zeros : both factors' zero points; the product pass subtracts the zero point of the factor in X
    flags : bool, an accumulator overflow is reported
    """

    output:  dict[str, Any]
    records: tuple[int, ...] = ()
    zeros:   tuple[int, ...] = (0, 0)
    flags:   bool = True

    def evaluate(self, bits: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for two signed-integer arrays."""
        a, b = (np.clip(each.astype(np.int64) - zero, *container_clip(16))
                for each, zero in zip((a, b), self.zeros, strict=True))
        return Requantiser(bits, self.records, self.output).compute(a * b)

    @property
    def second(self) -> int:
        """Index of the factor in Y if both are tensors: preferably a factor without zero point."""
        return 0 if self.zeros[1] and not self.zeros[0] else 1
