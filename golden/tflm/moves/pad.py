# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite tensor padding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.checks import check_ints, check_kind
from xymac.golden.result import Result
from xymac.golden.tflm.checks import check_most, check_out, check_types, check_whole
from xymac.golden.tflm.layer import TensorLayer
from xymac.golden.tflm.tensor import Quantisation, Tensor

__all__ = ["Pad", "PadV2"]

_RANK = 5  #: Dimensions at most. Source: tensorflow/lite/micro/kernels/pad_common.cc.


@dataclass(frozen=True)
class Pad(TensorLayer):
    """PAD: pad a tensor with real zeros; INT8, INT16, INT32 or FLOAT32.

    INT8 padding is the output's zero point; input elements are copied without regard to scales.
    Source: tensorflow/lite/micro/kernels/pad_common.cc.

    Parameters
    ----------
    pads : tuple of (before, behind), elements, for each dimension
    out : output Quantisation; None for INT32 or FLOAT32
    """

    pads: tuple[tuple[int, ...], ...]
    out:  Quantisation | None

    types = ("INT8", "INT16", "INT32", "FLOAT32")

    def output_shape(self, x_shape: tuple[int, ...]) -> tuple[int, ...]:
        """Output shape for the input shape ``x_shape``."""
        return tuple(size + sum(pair) for size, pair in zip(x_shape, self.pads, strict=True))

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_types("Input", x, *self.types)
        if x.type_name in ("INT8", "INT16"):
            check_whole("Input", x)
            check_out(self.out, x.data.dtype)
        check_most("Input", x, _RANK)
        check_kind("pads", self.pads, tuple)
        if len(self.pads) != x.data.ndim:
            raise ValueError(f"pads must have {x.data.ndim} entries, not {len(self.pads)}")
        for pair in self.pads:
            check_ints("Each of pads", pair, 2)
            if min(pair) < 0:
                raise ValueError(f"pads must not be negative, not {min(pair)}")

    def fill(self, x: Tensor) -> int | float:
        """Padding element value."""
        return self.out.zero_point if self.out and x.type_name == "INT8" else 0

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        data = np.pad(x.data, self.pads, constant_values=self.fill(x))
        return Result(Tensor(data, self.out), overflow=False)


@dataclass(frozen=True)
class PadV2(Pad):
    """PADV2: pad a tensor with a given value.

    Source: tensorflow/lite/micro/kernels/pad_common.cc.

    Parameters as in ``Pad``, and

    value : int, padding element in the output's quantisation; a float for FLOAT32
    """

    value: int | float

    types = ("INT8", "INT16", "FLOAT32")

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        super().check(x)
        if x.type_name == "FLOAT32":
            check_kind("value", self.value, float)
            return
        check_ints("value", (self.value,), 1)
        limits = np.iinfo(x.data.dtype)
        if not limits.min <= self.value <= limits.max:
            raise ValueError(f"value must be between {limits.min} and {limits.max}, "
                             f"not {self.value}")

    def fill(self, x: Tensor) -> int | float:
        """Padding element value."""
        return self.value
