"""Pooling of all libraries in one form, which the loops of passes take."""

from dataclasses import dataclass, field
from itertools import groupby

from hdl.isa import Op
from host.ir.fields import container_clip

__all__ = ["MeanForm", "PoolForm", "Region", "count_taps", "maximum_form", "mean_form"]


@dataclass(frozen=True)
class MeanForm:
    """What becomes of the elements of a window.

    Parameters
    ----------
    factor : int, what every element is multiplied by; on strips perhaps a tuple of one for each
    records : tuple of int, as a pass reads them: parameters if scaled, the bias last; or none
    output : dict of the fields of a Pass
    wraps : bool, the sum wraps at 32 bits
    before : MeanForm or None, made in the same place before, for its overflow flag alone
    """

    factor:  int
    records: tuple = ()
    output:  dict = field(default_factory=dict)
    wraps:   bool = False
    before:  "MeanForm | None" = None


@dataclass(frozen=True)
class Region:
    """Outputs that differ in nothing but a factor.

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
    """Windows of an image, and what becomes of each.

    Parameters
    ----------
    kernel, stride : (rows, columns)
    pad : elements above, below, to the left and to the right
    order : tuple of int, of the dimensions of the image, its channels innermost
    regions : list of Region, of all outputs
    factor_bits : int, 8 or 16
    """

    kernel:  tuple
    stride:  tuple
    pad:     tuple
    order:   tuple
    regions: list

    factor_bits: int = 8


def maximum_form(windows, order, outputs, bits, clip=None):
    """The largest element of each window; ``outputs`` are (rows, columns), of so many ``bits``.

    ``windows`` has ``kernel``, ``stride`` and ``pad``; ``clip`` are (lowest, highest) output, those
    of the container unless told.
    """
    rows, cols = ((0, size) for size in outputs)
    largest    = MeanForm(1, output={"op": Op.MAX, "clip": clip or container_clip(bits)})
    return PoolForm(windows.kernel, windows.stride, windows.pad, order,
                    [Region(rows, cols, [largest])])


def mean_form(windows, order, taps, mean_of):
    """The mean of elements of each window; ``taps`` are how many, of all rows and of all columns
    of outputs, and ``mean_of`` makes the MeanForm of so many elements.
    """
    rows, cols = taps
    regions = []
    for height, top, bottom in _runs(rows):
        means = [mean_of(height * width) for width in cols]
        for (*_, before), left, right in _runs([
                (mean.records, mean.output, mean.wraps, mean.before) for mean in means]):
            alike = all(mean == means[left] for mean in means[left:right])
            if before is not None:
                regions.append(Region((top, bottom), (left, right), [before]))
            regions.append(Region((top, bottom), (left, right),
                                  means[left:left + 1] if alike else means[left:right]))
    return PoolForm(windows.kernel, windows.stride, windows.pad, order, regions, factor_bits=16)


def _runs(values):
    """Runs of equal values: (value, start, stop)."""
    start = 0
    for value, run in groupby(values):
        stop = start + len(list(run))
        yield value, start, stop
        start = stop


def count_taps(windows, size, axis):
    """Taps of every output along ``axis`` that are not on the padding."""
    before, after = windows.pad[2 * axis:2 * axis + 2]
    kernel = windows.kernel[axis]
    return [min(top + kernel, size) - max(top, 0)
            for top in range(-before, size + after - kernel + 1, windows.stride[axis])]
