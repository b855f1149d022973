# SPDX-License-Identifier: Apache-2.0
"""FLOAT32 steps between two INT8 tensors as a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.checks import check_ints
from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_out, check_types
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.tensor import Quantisation, Tensor

__all__ = ["PlainTable"]

_LOW, _HIGH = -128, 127


@dataclass(frozen=True)
class PlainTable(TensorLayer):
    """DEQUANTIZE, operators on FLOAT32 and QUANTIZE, which together are a function of an INT8
    element.

    Parameters
    ----------
    outputs : tuple of 256 int, the outputs for the elements -128 to 127
    out : output Quantisation
    """

    outputs: tuple[int, ...]
    out:     Quantisation

    by_element = True

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the table fits the Tensor ``x``."""
        check_types("Input", x, "INT8")
        check_out(self.out, x.data.dtype)
        check_ints("outputs", self.outputs, _HIGH + 1 - _LOW)
        wrong = [each for each in self.outputs if not _LOW <= each <= _HIGH]
        if wrong:
            raise ValueError(f"outputs must be from {_LOW} to {_HIGH}, not {wrong[0]}")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        values = np.array(self.outputs, np.int8)[x.data.astype(np.int64) - _LOW]
        return Result(Tensor(np.asarray(values), self.out), overflow=False)
