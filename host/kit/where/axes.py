# SPDX-License-Identifier: Apache-2.0
"""Dimension names of a result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xymac.golden.mli1 import Layout

if TYPE_CHECKING:
    from xymac.host.kit.case import Case

__all__ = ["IMAGES", "axes_of"]

#: Operations with an image and windows.
IMAGES = ("conv2d", "depthwise_conv2d", "average_pool", "max_pool")


def axes_of(case: Case, shape: tuple[int, ...]) -> tuple[str, ...]:
    """Names of a result's dimensions: "batch", "row", "column" and "channel".

    Dimensions without such a meaning are "dimension 0" and so on.
    """
    rank = len(shape)
    if case.operation in IMAGES:
        is_chw = case.dialect == "mli-1" and case.layer.layout is Layout.CHW
        names  = ("channel", "row", "column") if is_chw else ("row", "column", "channel")
        return ("batch",) * (rank - 3) + names
    if rank == 1:
        return ("channel",)
    if rank == 2:
        return ("row", "channel")
    return (*(f"dimension {number}" for number in range(rank - 1)), "channel")
