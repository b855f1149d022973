# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite's CAST."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from xymac.golden.result import Result

from .checks import check_dtype, check_types
from .layer import TensorLayer
from .tensor import Quantisation, Tensor

__all__ = ["Cast"]

_TYPES = ("INT8", "INT16", "INT32", "FLOAT32", "BOOL")


@dataclass(frozen=True)
class Cast(TensorLayer):
    """CAST: elements converted to another type, without regard to scales.

    Integers keep their low bits. FLOAT32 is truncated to an integer and clipped; NaN gives 0. BOOL
    tells whether an element is not 0. Types are INT8, INT16, INT32, FLOAT32 and BOOL.
    Source: tensorflow/lite/micro/kernels/cast.cc.

    Parameters
    ----------
    dtype : numpy output type
    out : output Quantisation, or None
    """

    dtype: np.dtype
    out:   Quantisation | None = None

    by_element = True

    def output_dtype(self, x: Tensor) -> np.dtype:
        """Numpy output type."""
        return np.dtype(self.dtype)

    def check(self, x: Tensor) -> None:
        """Raise ValueError or TypeError unless the operator can process the Tensor ``x``."""
        check_types("Input", x, *_TYPES)
        check_dtype("dtype", self.dtype)
        name = self.output_dtype(x).name.upper()
        if name not in _TYPES:
            raise ValueError(f"Output must be {', '.join(_TYPES[:-1])} or {_TYPES[-1]}, not {name}")
        self.output_like(x)  # Raises unless ``out`` fits the output type.

    def run(self, x: Tensor) -> Result:
        """Result on the Tensor ``x``."""
        data, dtype = x.data, self.output_dtype(x)
        if data.dtype == np.float32 and dtype.kind == "i":
            ends = np.iinfo(dtype)
            data = np.clip(np.trunc(np.nan_to_num(data.astype(np.float64))), ends.min,
                           ends.max)
        return Result(Tensor(data.astype(dtype), self.out), overflow=False)
