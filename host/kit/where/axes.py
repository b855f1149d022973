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
_CELLS = ("lstm", "rnn", "gru", "svdf")


def axes_of(case: Case, shape: tuple[int, ...]) -> tuple[str, ...]:
    """Names of a result's dimensions: "batch", "step", "row", "column" and "channel".

    Dimensions without such a meaning are "dimension 0" and so on.
    """
    rank = len(shape)
    if case.operation in IMAGES:
        is_chw = case.dialect == "mli-1" and case.layer.layout is Layout.CHW
        names  = ("channel", "row", "column") if is_chw else ("row", "column", "channel")
        return ("batch",) * (rank - 3) + names
    if case.operation in _CELLS and rank > 1:
        is_major = getattr(case.layer, "time_major", True) and case.operation != "svdf"
        names    = ("step", "batch") if is_major else ("batch", "step")
        return (*names[:rank - 1], *_plain(rank - 3), "channel")
    if rank == 1:
        return ("channel",)
    if rank == 2:
        return ("row", "channel")
    return (*_plain(rank - 1), "channel")


def _plain(count):
    return (f"dimension {number}" for number in range(count))
