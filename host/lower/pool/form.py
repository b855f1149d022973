# SPDX-License-Identifier: Apache-2.0
"""Pooling as output regions with a common program and different factors."""

from dataclasses import dataclass
from itertools import groupby

__all__ = ["PoolForm", "WindowRegion", "count_taps", "pool_form"]


@dataclass(frozen=True)
class WindowRegion:
    """Output rectangle whose means differ only in a factor.

    Parameters
    ----------
    rows, cols : (start, stop), output indices
    means : list of MeanForm, an entry per column, or a single entry for all columns
    """

    rows:  tuple
    cols:  tuple
    means: list


@dataclass(frozen=True)
class PoolForm:
    """Image windows and their reduction.

    Parameters
    ----------
    kernel, stride : (rows, columns)
    pad : (top, bottom, left, right), elements
    order : tuple of int, image dimensions from outermost to innermost; channels are innermost
    regions : list of WindowRegion that covers all outputs
    factor_bits : int, factor width, 8 or 16
    """

    kernel:  tuple
    stride:  tuple
    pad:     tuple
    order:   tuple
    regions: list

    factor_bits: int = 8


def pool_form(pool):
    """The PoolForm of an ``xymac.host.ir`` Pool."""
    rows, cols = pool.outputs
    regions = (_regions(pool.find, pool.taps(0), pool.taps(1)) if pool.counts
               else [WindowRegion((0, rows), (0, cols), [pool.find(None)])])
    return PoolForm(pool.kernel, pool.stride, pool.pad, pool.order, regions, pool.factor_bits)


def _regions(find, rows, cols):
    """WindowRegions; ``rows`` and ``cols`` are the window heights and widths without padding."""
    means_of, regions = find({height * width for height in rows for width in cols}), []
    for height, top, bottom in _runs(rows):
        means = [means_of[height * width] for width in cols]
        for (*_, before), left, right in _runs([
                (mean.records, mean.output, mean.wraps, mean.before) for mean in means]):
            alike = all(mean == means[left] for mean in means[left:right])
            if before is not None:
                regions.append(WindowRegion((top, bottom), (left, right), [before]))
            regions.append(WindowRegion((top, bottom), (left, right),
                                  means[left:left + 1] if alike else means[left:right]))
    return regions


def _runs(values):
    """Yield (value, start, stop) for every run of equal values."""
    start = 0
    for value, run in groupby(values):
        stop = start + len(list(run))
        yield value, start, stop
        start = stop


def count_taps(windows, size, axis):
    """Taps on the image, a number per output along ``axis``; 0 is rows, 1 is columns."""
    before, after = windows.pad[2 * axis:2 * axis + 2]
    kernel = windows.kernel[axis]
    return [min(top + kernel, size) - max(top, 0)
            for top in range(-before, size + after - kernel + 1, windows.stride[axis])]
