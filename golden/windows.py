"""Windows that slide over an image: how many there are, and how much of it they cover."""

import numpy as np

__all__ = ["count_inside", "count_taps", "count_windows"]


def count_windows(sizes, kernel, stride, pad):
    """Windows along rows and along columns of an image of ``sizes``, a tuple.

    ``sizes``, ``kernel`` and ``stride`` are (rows, columns), ``pad`` is (top, bottom, left, right).
    """
    return tuple((size + before + after - span) // step + 1
                 for size, before, after, span, step
                 in zip(sizes, pad[::2], pad[1::2], kernel, stride, strict=True))


def count_inside(size, start, *loops):
    """How many elements of an axis of ``size`` the ``loops``, (count, step) each, from ``start`` on
    meet: those before and behind it are padding."""
    places = start
    for count, step in loops:
        places = np.add.outer(places, step * np.arange(count))
    return int(np.count_nonzero((places >= 0) & (places < size)))


def count_taps(sizes, taps, stride, pad, dilation=(1, 1)):
    """Taps of all windows that lie on the image and not on its padding.

    ``taps`` and ``dilation`` are (rows, columns): taps of a window, and elements from one to the
    next; the others are those of ``count_windows``.
    """
    span    = tuple((count - 1) * step + 1 for count, step in zip(taps, dilation, strict=True))
    windows = count_windows(sizes, span, stride, pad)
    rows, columns = (
        count_inside(size, -before, (count, step), tap)
        for size, before, count, step, tap in zip(
            sizes, pad[::2], windows, stride, zip(taps, dilation, strict=True), strict=True))
    return rows * columns
