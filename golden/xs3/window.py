# SPDX-License-Identifier: Apache-2.0
"""XS3 kernel windows on an image, and the elements they cover."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xymac.golden.checks import check_ints
from xymac.golden.ints import PlainInts
from xymac.golden.windows import count_inside

if TYPE_CHECKING:
    from xymac.golden.array import Ints

__all__ = ["Window"]


@dataclass(frozen=True)
class Window(PlainInts):
    """A kernel's windows on an image: the first window's start, the stride, and the window count.

    Parameters
    ----------
    out : output (rows, columns), at least 1
    start : (row, column) of the first element in the first window; positions outside the image are
        padding
    stride : (rows, columns), elements, at least 1
    """

    out:    tuple[int, ...]
    start:  tuple[int, ...] = (0, 0)
    stride: tuple[int, ...] = (1, 1)

    def check(self) -> None:
        """Raise TypeError or ValueError unless this describes windows."""
        for name in ("out", "start", "stride"):
            check_ints(name, getattr(self, name), 2)
        for name in ("out", "stride"):
            for axis, size in zip(("rows", "columns"), getattr(self, name), strict=True):
                if size < 1:
                    raise ValueError(f"{name} must be at least 1 of {axis}, not {size}")

    def first(self, axis: int, index: Ints) -> Ints:
        """Image row or column (``axis`` 0 or 1) at which window ``index`` begins."""
        return self.start[axis] + index * self.stride[axis]

    def check_inside(self, kernel: tuple[int, ...], sizes: tuple[int, ...]) -> None:
        """Raise ValueError unless all ``kernel`` windows lie inside an image of ``sizes``."""
        for axis, name in enumerate(("rows", "columns")):
            first, last = self.start[axis], self.first(axis, self.out[axis] - 1) + kernel[axis]
            if first < 0 or last > sizes[axis]:
                raise ValueError(f"Windows must lie inside of the {sizes[axis]} {name} of the "
                                 f"input, not from {first} to {last}")

    def count_taps(self, kernel: tuple[int, ...], sizes: tuple[int, ...]) -> int:
        """Count the taps that lie on an image of ``sizes``, over all ``kernel`` windows."""
        rows, columns = (count_inside(size, first, (count, step), (taps, 1))
                         for size, first, count, step, taps in zip(
                             sizes, self.start, self.out, self.stride, kernel, strict=True))
        return rows * columns

    def outside_first(self, row: int, kernel_rows: int, rows: int) -> np.ndarray:
        """Kernel row indices for output ``row``: rows above the image, rows below it, then rows
        inside.

        The library adds rows in this order: it adds the outside rows once to the bias for all
        windows in the output row.
        """
        lines  = self.first(0, row) + np.arange(kernel_rows)
        above, below = lines < 0, lines >= rows
        return np.concatenate([np.flatnonzero(part) for part in (above, below, ~(above | below))])

    def taps(self, x: np.ndarray, row: int, kernel: tuple[int, ...], fill: int) -> np.ndarray:
        """Elements of the image ``x`` (rows, columns, channels) under the windows in output
        ``row``.

        Returns int64, shape (kernel rows, output columns, kernel columns, channels), with ``fill``
        outside the image.
        """
        lines   = self.first(0, row) + np.arange(kernel[0])
        columns = self.first(1, np.arange(self.out[1]))[:, np.newaxis] + np.arange(kernel[1])
        padded  = np.full((x.shape[0] + 1, x.shape[1] + 1, x.shape[2]), fill, np.int64)
        padded[:-1, :-1] = x  # The last row and column hold the fill value.
        lines, columns = (np.where((index >= 0) & (index < size), index, size)
                          for index, size in zip((lines, columns), x.shape, strict=False))
        return padded[lines][:, columns]
