"""Padding of an image, from the option of an operator."""

from .options import Padding

__all__ = ["pads_of"]


def _pads(padding, size, span, step):
    """Elements before and behind one axis."""
    if padding is Padding.VALID:
        return 0, 0
    total = max((-(-size // step) - 1) * step + span - size, 0)
    return total // 2, total - total // 2


def pads_of(padding, sizes, kernel, stride):
    """Padding of an image as (top, bottom, left, right), elements; an odd one is more behind.

    Source: tensorflow/lite/kernels/padding.h, ``ComputePaddingHeightWidth``.

    Parameters
    ----------
    padding : Padding
    sizes, kernel, stride : (rows, columns), elements; a dilated kernel with all that it spans
    """
    rows, columns = (_pads(padding, *each) for each in zip(sizes, kernel, stride, strict=True))
    return *rows, *columns
