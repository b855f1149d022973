# SPDX-License-Identifier: Apache-2.0
"""Image padding from an operator's padding option."""

from __future__ import annotations

from .options import Padding

__all__ = ["pads_of"]


def _pads(padding, size, span, step):
    """Padding before and behind one axis, elements."""
    missing = span - size - step  # for a window of VALID
    if padding is Padding.VALID:
        total = missing if 0 < missing < step else 0
    else:
        total = max(-(-size // step) * step + missing, 0)
    return total // 2, total - total // 2


def pads_of(padding: Padding, sizes: tuple[int, ...], kernel: tuple[int, ...],
            stride: tuple[int, ...]) -> tuple[int, ...]:
    """Image padding (top, bottom, left, right), elements; the odd element is bottom or right.

    VALID pads only if the kernel exceeds the image by more than one stride and less than two: there
    the library counts 0 windows instead of a negative number, which transposed convolutions show.
    Source: tensorflow/lite/kernels/padding.h, ``ComputePaddingHeightWidth``.
    sizes, kernel, stride : (rows, columns), elements; ``kernel`` is the span of the dilated kernel
    """
    rows, columns = (_pads(padding, *each) for each in zip(sizes, kernel, stride, strict=True))
    return *rows, *columns
