# SPDX-License-Identifier: Apache-2.0
"""Sliding windows on an image: their number, and the image elements they cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["count_inside", "count_taps", "count_windows"]


def count_windows(sizes: Sequence[int], kernel: tuple[int, ...], stride: tuple[int, ...],
                  pad: tuple[int, ...]) -> tuple[int, ...]:
    """Window counts along the rows and along the columns of an image, a tuple.

    ``sizes``, ``kernel`` and ``stride`` are (rows, columns), ``pad`` is (top, bottom, left, right),
    all in elements.
    """
    return tuple((size + before + after - span) // step + 1
                 for size, before, after, span, step
                 in zip(sizes, pad[::2], pad[1::2], kernel, stride, strict=True))


def count_inside(size: int, start: int, *loops: tuple[int, ...]) -> int:
    """Count the loop positions that lie on an axis of ``size`` elements; the rest are padding.

    Positions begin at ``start``; each of ``loops`` is (count, step).
    """
    places = start
    for count, step in loops:
        places = np.add.outer(places, step * np.arange(count))
    return int(np.count_nonzero((places >= 0) & (places < size)))


def count_taps(sizes: Sequence[int], taps: Sequence[int], stride: tuple[int, ...],
               pad: tuple[int, ...], dilation: tuple[int, ...] = (1, 1)) -> int:
    """Count the taps that lie on the image, not on its padding, summed over all windows.

    ``taps`` is a window's (rows, columns) tap count; ``dilation``, (rows, columns), is the distance
    between taps in elements. The other arguments are as in ``count_windows``.
    """
    span    = tuple((count - 1) * step + 1 for count, step in zip(taps, dilation, strict=True))
    windows = count_windows(sizes, span, stride, pad)
    rows, columns = (
        count_inside(size, -before, (count, step), tap)
        for size, before, count, step, tap in zip(
            sizes, pad[::2], windows, stride, zip(taps, dilation, strict=True), strict=True))
    return rows * columns
