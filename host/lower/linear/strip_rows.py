# SPDX-License-Identifier: Apache-2.0
"""Rows that a pass can address when a convolution reads single pixels from strips.

Image addresses are linear modulo the strip vector count minus 1, see ``StripPixels``. The last
vector has no such address: outputs that read its row have a separate pass within the last strip.
"""

from dataclasses import replace
from itertools import product

import numpy as np

from xymac.hdl.isa import BANKS, Axis
from xymac.host.ir.windows import count_taps
from xymac.host.memory.strip_pixels import StripPixels

__all__ = ["can_read_pixels", "list_parts", "read_pixels"]


def can_read_pixels(linear, pixels):
    """Whether ``linear`` passes, on image windows, can read the StripPixels ``pixels``."""
    return (linear.window is not None and not linear.lanes and linear.groups == 1
            and linear.batch == 1 and bool(read_pixels(linear, pixels)))


def list_parts(linear, source):
    """(WindowRanges along rows and columns, input layout) of every pass of a Linear."""
    if isinstance(source, StripPixels):
        return read_pixels(linear, source)
    return [((down, across), source) for down in linear.rows for across in linear.cols]


def read_pixels(linear, pixels):
    """WindowRanges (rows, columns) and StripPixels for every ``linear`` pass.

    The list is empty if some outputs have no pass.
    """
    parts = []
    for down in linear.rows:
        for rows, own in _split_rows(down, pixels):
            for across in linear.cols:
                cols = [across]
                if not own.last and not _wraps_once(rows, across, own):
                    cols = _unpad(across)
                if not own.last and not all(_wraps_once(rows, each, own) for each in cols):
                    return []
                parts += [((rows, each), own) for each in cols]
    whole = sum(rows.count * cols.count for rows, cols in product(linear.rows, linear.cols))
    made  = sum(rows.count * cols.count for (rows, cols), _ in parts)
    return parts if made == whole else []


def _split_rows(down, pixels):
    """Outputs of a WindowRange along rows as pairs (WindowRange, StripPixels).

    Outputs that read the last row of all strips form a separate pair. Outputs whose windows begin
    before the last strip and end with this row are missing.
    """
    rows  = BANKS * pixels.height
    count = down.count
    first, last = _reach(down)
    if pixels.dims[-2] == rows:
        count = int(np.searchsorted(last, rows - 1))
    parts = [(replace(down, count=count), pixels)] if count else []
    if count == down.count or first[count] < rows - pixels.height:
        return parts
    return [*parts, (_skip(down, count), replace(pixels, last=True))]


def _unpad(window):
    """Split a WindowRange into ranges without padding in front."""
    clipped = min(-(-window.axis.pad // max(window.axis.step, 1)), window.count)
    parts   = []
    for output in range(clipped):
        taps  = window.axis.pad - output * window.axis.step
        parts.append(replace(
            window, first=window.first + output * window.step, count=1,
            tap=window.tap + taps * window.tap_step, taps=window.taps - taps,
            at=window.at + output * window.stride + taps * window.pitch,
            axis=Axis(0, 0, window.axis.size)))
    return parts + ([_skip(window, clipped)] if clipped < window.count else [])


def _reach(window):
    """(first, last) element read by each output of a WindowRange, two arrays."""
    at    = window.at + np.arange(window.count) * window.stride
    front = np.maximum(0, window.axis.pad - np.arange(window.count) * window.axis.step)
    return at + front * window.pitch, at + (front + count_taps(window) - 1) * window.pitch


def _skip(window, count):
    """A WindowRange without its first ``count`` outputs."""
    pad  = window.axis.pad - count * window.axis.step
    axis = Axis(max(pad, 0), window.axis.step, window.axis.size + min(pad, 0))
    return replace(window, first=window.first + count * window.step, count=window.count - count,
                   at=window.at + count * window.stride,
                   axis=axis if window.axis.step else window.axis)


def _wraps_once(down, across, pixels):
    """Whether every pass address is within two X windows from the first address."""
    row, col, most = pixels.row_distance, pixels.distance, pixels.modulus
    starts = ((down.at + np.arange(down.count) * down.stride)[:, None] * row
              + (across.at + np.arange(across.count) * across.stride) * col) % most
    ends   = [_taps_behind(axis) * axis.pitch for axis in (down, across)]
    reach  = ends[0][:, None] * row + ends[1] * col + (pixels.pitch - 1) * BANKS
    return (max(abs(down.stride) * row, abs(across.stride) * col) <= most
            and bool((starts + reach < 2 * most).all()))


def _taps_behind(window):
    """Index of the last tap on the image, per output of a WindowRange."""
    front = np.maximum(0, window.axis.pad - np.arange(window.count) * window.axis.step)
    return front + count_taps(window) - 1
