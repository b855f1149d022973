# SPDX-License-Identifier: Apache-2.0
"""Output clipping to a fused activation's limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.fixed import wrap
from xymac.golden.parameters.tflm.ranges import activation_range

from .tensor import Tensor

if TYPE_CHECKING:
    from xymac.golden.parameters.tflm.options import Activation

    from .tensor import Quantisation

__all__ = ["clip", "store"]


def clip(x: Tensor, values: np.ndarray, out: Quantisation, activation: Activation) -> Tensor:
    """Output Tensor, typed as ``x``, from int64 ``values`` that include the ``out`` zero point."""
    limits = activation_range(activation, out.scale, out.zero_point, x.bits)
    return Tensor(np.asarray(np.clip(values, *limits), x.data.dtype), out)  # scalars, too


def store(x: Tensor, values: np.ndarray, out: Quantisation, activation: Activation) -> Tensor:
    """``clip`` 32-bit ``values`` without the zero point; adding the zero point wraps at 32 bits.
    """
    return clip(x, wrap(values + out.zero_point, 32), out, activation)
