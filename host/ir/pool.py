# SPDX-License-Identifier: Apache-2.0
"""Pools and reductions: an extreme or a mean of the elements of each window."""

from dataclasses import dataclass, field, replace

from xymac.hdl.isa import Op

__all__ = ["CumulativeSum", "MeanForm", "Pool", "each_mean", "find_largest"]


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
class Pool:
    """Windows of an image, or of each image of a batch, and the extreme or the mean of each.

    Parameters
    ----------
    kernel, stride : (rows, columns)
    pad : elements above, below, to the left and to the right; negative where windows begin inside
    order : tuple of int, of the dimensions, from the rows on: rows, columns, channels
    size, outputs : (rows, columns) of the image and of its windows
    find : function of a set of counts of elements that gives the MeanForm of each, a dict by the
        count; or of None, for windows that are all alike, that gives the only MeanForm
    counts : bool, MeanForms differ by counts
    counted : like ``pad``, the innermost elements of the padding, which count
    factor_bits : int, 8 or 16
    """

    kernel:  tuple
    stride:  tuple
    pad:     tuple
    order:   tuple
    size:    tuple
    outputs: tuple
    find:    object
    counts:  bool = False
    counted: tuple = (0, 0, 0, 0)

    factor_bits: int = 8

    def taps(self, axis):
        """Elements that count of the window of every output along an axis of the image, a list."""
        before, after = self.counted[2 * axis:2 * axis + 2]
        top    = before - self.pad[2 * axis]
        size   = self.size[axis] + before + after
        return [min(start + self.kernel[axis], size) - max(start, 0)
                for start in (top + index * self.stride[axis]
                              for index in range(self.outputs[axis]))]

    def split(self, axis, first, end):
        """The Pool of outputs ``first`` to ``end`` along an axis of the image, and the range of
        elements (first, end) that its windows take."""
        size, step = self.size[axis], self.stride[axis]
        begin = first * step - self.pad[2 * axis]
        stop  = begin + (end - first - 1) * step + self.kernel[axis]
        low   = min(max(begin, 0), size - 1)  # at least an element, be it that no window has it
        high  = max(min(stop, size), low + 1)
        pad, counted = list(self.pad), list(self.counted)
        pad[2 * axis:2 * axis + 2] = min(low, 0) - min(begin, 0), max(stop - size, 0)
        return replace(
            self, pad=tuple(pad), counted=tuple(map(min, counted, map(max, pad, (0,) * 4))),
            size=_replace(self.size, axis, high - low),
            outputs=_replace(self.outputs, axis, end - first)), (low, high)


@dataclass(frozen=True)
class CumulativeSum:
    """Sums of all elements up to each along ``axis``.

    Parameters
    ----------
    axis : int
    exclusive : bool, sums leave their own element out
    reverse : bool, sums begin at the end
    records : tuple of int, parameters of a scaled pass, the bias last
    output : dict of the fields of that pass
    """

    axis:      int
    exclusive: bool
    reverse:   bool
    records:   tuple
    output:    dict


def find_largest(clip, counts):
    """The MeanForm of the largest element, limited to ``clip``: what ``find`` of a Pool is."""
    return MeanForm(1, output={"op": Op.MAX, "clip": clip})


def each_mean(mean_of, counts):
    """The MeanForms that ``mean_of`` makes of counts of elements, a dict by the count."""
    return {count: mean_of(count) for count in counts}


def _replace(values, place, value):
    return (*values[:place], value, *values[place + 1:])
