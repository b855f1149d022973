# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on shapes, as a host computes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_types
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.tensor import Tensor

__all__ = ["BroadcastArgs"]


@dataclass(frozen=True)
class BroadcastArgs(TensorLayer):
    """BROADCAST_ARGS: the broadcast of two shapes, INT32 or INT64.

    Source: tensorflow/lite/micro/kernels/broadcast_args.cc.
    """

    inputs = 2
    out    = None

    def output_shape(self, a_shape: tuple[int, ...], b_shape: tuple[int, ...]) -> tuple[int]:
        """Output shape: a number for each dimension."""
        return (max(*a_shape, *b_shape),)

    def check(self, a: Tensor, b: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensors."""
        for name, each in (("First input", a), ("Second input", b)):
            check_types(name, each, "INT32", "INT64")
            if each.data.ndim != 1:
                raise ValueError(f"{name} must have 1 dimension, not {each.data.ndim}")
        if a.type_name != b.type_name:
            raise ValueError(f"First input is {a.type_name}, second input is {b.type_name}")
        count = min(a.data.size, b.data.size)
        for one, other in zip(a.data[-count:].tolist(), b.data[-count:].tolist(), strict=True):
            if one != other and 1 not in (one, other):
                raise ValueError(f"Shapes must have the same sizes or 1, not {one} and {other}")

    def run(self, a: Tensor, b: Tensor) -> Result:
        """Result on the Tensors."""
        count  = max(a.data.size, b.data.size)
        padded = [np.pad(each.data, (count - each.data.size, 0), constant_values=1)
                  for each in (a, b)]
        data   = np.where(padded[0] == 1, padded[1], padded[0]).astype(a.data.dtype)
        return Result(Tensor(data), overflow=False)
