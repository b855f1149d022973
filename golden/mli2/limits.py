# SPDX-License-Identifier: Apache-2.0
"""ReLU limits: checks and clipping."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xymac.golden.checks import check_kind
from xymac.golden.fixed import container
from xymac.golden.kinds import Relu

from .tensor import Affine

if TYPE_CHECKING:
    import numpy as np

    from xymac.golden.formats import Format


__all__ = ["check_relu", "clip"]


def check_relu(relu: Relu, out: Format) -> None:
    """Raise unless ``relu`` is a Relu, and the ``out`` zero point an 8-bit value if it cuts."""
    check_kind("relu", relu, Relu)
    low, high = container(8)
    if relu is not Relu.NONE and isinstance(out, Affine) and not low <= out.zero_points[0] <= high:
        raise ValueError(f"Zero point of a ReLU must be between {low} and {high}, "
                         f"not {out.zero_points[0]}")


def clip(x: np.ndarray, limits: tuple[int, int]) -> np.ndarray:
    """Clip to the upper limit first, as the library does: if the limits cross, the lower limit
    wins.
    """
    low, high = limits
    return x.clip(None, high).clip(low, None)
