# SPDX-License-Identifier: Apache-2.0
"""Pools as output regions that differ only in a factor."""

from dataclasses import dataclass
from itertools import groupby

__all__ = ["PoolForm", "WindowRegion", "count_taps", "pool_form"]


@dataclass(frozen=True)
class WindowRegion:
    """Outputs that differ only in a factor.

    Parameters
    ----------
    rows, cols : (start, stop)
    means : list of MeanForm, one for each column, or a single one for all
    """

    rows:  tuple
    cols:  tuple
    means: list


@dataclass(frozen=True)
class PoolForm:
    """Windows of an image, and the reduction of each.

    Parameters
    ----------
    kernel, stride : (rows, columns)
    pad : elements above, below, left and right
    order : tuple of int, order of the image dimensions, channels innermost
    regions : list of WindowRegion that covers all outputs
    factor_bits : int, 8 or 16
    """

    kernel:  tuple
    stride:  tuple
    pad:     tuple
    order:   tuple
    regions: list

    factor_bits: int = 8


def pool_form(pool):
    """The PoolForm for an ``xymac.host.ir`` Pool."""
    rows, cols = pool.outputs
    regions = (_regions(pool.find, pool.taps(0), pool.taps(1)) if pool.counts
               else [WindowRegion((0, rows), (0, cols), [pool.find(None)])])
    return PoolForm(pool.kernel, pool.stride, pool.pad, pool.order, regions, pool.factor_bits)


def _regions(find, rows, cols):
    """Mean regions; ``rows`` and ``cols`` are the element counts per output row and column."""
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
    """Runs of equal values: (value, start, stop)."""
    start = 0
    for value, run in groupby(values):
        stop = start + len(list(run))
        yield value, start, stop
        start = stop


def count_taps(windows, size, axis):
    """Number of taps outside the padding for every output along ``axis``."""
    before, after = windows.pad[2 * axis:2 * axis + 2]
    kernel = windows.kernel[axis]
    return [min(top + kernel, size) - max(top, 0)
            for top in range(-before, size + after - kernel + 1, windows.stride[axis])]
