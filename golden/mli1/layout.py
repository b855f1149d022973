# SPDX-License-Identifier: Apache-2.0
"""Image dimension order."""

from __future__ import annotations

from enum import Enum

__all__ = ["Layout"]


class Layout(Enum):
    """Dimension order in input, output and weights."""

    CHW = "chw"  #: Weights are (N, C, H, W).
    HWC = "hwc"  #: Weights are (N, H, W, C).

    def split_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """(channels, rows, columns) in an image of ``shape``."""
        return tuple(shape) if self is Layout.CHW else (shape[2], *shape[:2])

    def join_shape(self, channels: int, rows: int, columns: int) -> tuple[int, ...]:
        """Image shape."""
        return (channels, rows, columns) if self is Layout.CHW else (rows, columns, channels)
