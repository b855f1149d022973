# SPDX-License-Identifier: Apache-2.0
"""Taps of float32 windows, in the library's order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["each_tap"]


def each_tap(image: np.ndarray, firsts: tuple[np.ndarray, ...], kernel: tuple[int, ...],
             dilation: tuple[int, ...] = (1, 1)
             ) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
    """Yield (row, column, elements, inside) for every kernel tap, rows first.

    Parameters
    ----------
    image : array (N, H, W, C)
    firsts : (rows, columns), int arrays: image index of the first row, first column of each window
    kernel, dilation : (rows, columns)

    ``elements`` (N, rows, columns, C) are the image elements under the tap in all windows;
    ``inside`` (rows, columns, 1) is False where the tap lies on the padding. Taps that lie on the
    padding in all windows are left out.
    """
    ranges = [range(max(0, -(int(first.max()) // step)),
                    min(taps, (size - 1 - int(first.min())) // step + 1))
              for first, taps, step, size
              in zip(firsts, kernel, dilation, image.shape[1:3], strict=True)]
    for row in ranges[0]:
        for column in ranges[1]:
            indices = [first + tap * step for first, tap, step
                       in zip(firsts, (row, column), dilation, strict=True)]
            inside  = [(each >= 0) & (each < size)
                       for each, size in zip(indices, image.shape[1:3], strict=True)]
            rows, columns = (np.clip(each, 0, size - 1)
                             for each, size in zip(indices, image.shape[1:3], strict=True))
            yield (row, column, image[:, rows[:, None], columns[None, :]],
                   (inside[0][:, None] & inside[1][None, :])[..., None])
