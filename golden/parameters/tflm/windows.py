"""Padding of an image, from the option of an operator."""

from .options import Padding

__all__ = ["pads_of"]


def _pads(padding, size, span, step):
    """Elements before and behind one axis."""
    missing = span - size - step  # for a window of VALID
    if padding is Padding.VALID:
        total = missing if 0 < missing < step else 0
    else:
        total = max(-(-size // step) * step + missing, 0)
    return total // 2, total - total // 2


def pads_of(padding, sizes, kernel, stride):
    """Padding of an image as (top, bottom, left, right), elements; an odd one is more behind.

    VALID has none but for kernels that exceed the image by more than one stride and less than two,
    where the library counts 0 windows instead of less: transposed convolutions show it.
    Source: tensorflow/lite/kernels/padding.h, ``ComputePaddingHeightWidth``.

    Parameters
    ----------
    padding : Padding
    sizes, kernel, stride : (rows, columns), elements; a dilated kernel with all that it spans
    """
    rows, columns = (_pads(padding, *each) for each in zip(sizes, kernel, stride, strict=True))
    return *rows, *columns
