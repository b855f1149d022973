# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite tensor conversion to other scales and types."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.fixed import wrap
from xymac.golden.parameters.tflm.multiplier import EXPONENT_MAX
from xymac.golden.parameters.tflm.rescale import rescale_multiplier
from xymac.golden.result import Result

from .arithmetic import multiply_quantized
from .checks import (
    check_dtype,
    check_factors,
    check_out,
    check_quotients,
    check_scaled,
    check_types,
    check_whole,
)
from .layer import TensorLayer
from .tensor import Quantisation, Tensor

__all__ = ["Dequantize", "Quantize"]

#: Output types by input type.
_OUTPUTS = {"FLOAT32": ("INT8", "INT16"), "INT8": ("INT8", "INT16", "INT32", "UINT8"),
            "INT16": ("INT8", "INT16", "INT32"), "INT32": ("INT8", "INT16"), "UINT8": ("INT8",)}


@dataclass(frozen=True)
class Quantize(TensorLayer):
    """QUANTIZE: elements in another scale, rounded, saturated.

    INT8, INT16 or INT32 to another of them or the same, but not INT32 to itself, INT8 to UINT8 or
    UINT8 to INT8, twice rounded; or FLOAT32 to INT8 or INT16, rounded in float32, halves away from
    zero.
    Source: tensorflow/lite/kernels/internal/reference/{quantize,requantize}.h.
    dtype : numpy output type
    """

    out:   Quantisation
    dtype: np.dtype

    by_element = True

    def output_dtype(self, x: Tensor) -> np.dtype:
        """Numpy output type."""
        return np.dtype(self.dtype)

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_types("Input", x, *_OUTPUTS)
        check_dtype("dtype", self.dtype)
        name = self.output_dtype(x).name.upper()
        if name not in _OUTPUTS[x.type_name]:
            raise ValueError(f"Output of {x.type_name} must be "
                             f"{' or '.join(_OUTPUTS[x.type_name])}, not {name}")
        check_out(self.out, self.output_dtype(x))
        if x.type_name != "FLOAT32":
            check_whole("Input", x)
            check_factors([self.factor(x)], EXPONENT_MAX)
        else:
            check_quotients(self._quotient(x))

    def factor(self, x: Tensor) -> tuple[int, int]:
        """Multiplier and exponent for integers."""
        return rescale_multiplier(x.scaling.scale, self.out.scale)

    def _quotient(self, x):
        with np.errstate(over="ignore"):
            return x.data / np.float32(self.out.scale)

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        if x.type_name == "FLOAT32":
            exact  = self._quotient(x).astype(np.float64)
            values = np.trunc(exact + np.copysign(0.5, exact)).astype(np.int64)
        else:
            values = multiply_quantized(wrap(x.centred, 32), *self.factor(x))
        dtype  = self.output_dtype(x)
        limits = np.iinfo(dtype)
        values = np.clip(wrap(values + self.out.zero_point, 32), limits.min, limits.max)
        return Result(Tensor(np.asarray(values, dtype), self.out), overflow=False)


@dataclass(frozen=True)
class Dequantize(TensorLayer):
    """DEQUANTIZE: INT8, INT16 or UINT8 to real values in FLOAT32, rounded once.

    Source: tensorflow/lite/kernels/internal/reference/dequantize.h, ``Dequantize``.
    """

    by_element = True
    out        = None

    def output_dtype(self, x: Tensor) -> np.dtype:
        """Numpy output type."""
        return np.dtype(np.float32)

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_scaled("Input", x, "INT8", "INT16", "UINT8")

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        # 24 bits times 17: exact in double.
        with np.errstate(over="ignore"):
            values = np.asarray(x.scaling.scale * x.centred, np.float32)
        return Result(Tensor(values), overflow=False)
