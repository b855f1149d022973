# SPDX-License-Identifier: Apache-2.0
"""Pools and reductions: an extreme or a mean over the elements of each window."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from xymac.hdl.isa import Op

from .requantiser import Requantiser
from .tile import along

if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = ["CumulativeSum", "ExtremeAlong", "MeanForm", "Pool", "SumAlong", "each_mean",
           "find_largest"]


@dataclass(frozen=True)
class MeanForm:
    """Reduction over the elements in a window.

    Parameters
    ----------
    factor : int, multiplies every element; on strips possibly a tuple with a factor for each
    records : tuple of int, as a pass reads them: parameters if scaled, the bias last; or empty
    output : dict, Pass fields
    wraps : bool, the sum wraps at 32 bits
    before : MeanForm or None, computed first at the same address, for its overflow flag alone
    """

    factor:  int | tuple[int, ...]
    records: tuple[int, ...] = ()
    output:  dict[str, Any] = field(default_factory=dict)
    wraps:   bool = False
    before:  MeanForm | None = None

    def evaluate(self, bits: int, window: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for the window elements, int64 [elements, channels]."""
        window = (window - self.output.get("x_zero", 0)) * self.factor
        total  = window.max(0) if self.output.get("op") is Op.MAX else window.sum(0)
        total  = total + (self.records[-1] if self.records else 0) if self.wraps else total
        if self.wraps:
            total = (total + (1 << 31)) % (1 << 32) - (1 << 31)
        records = (*self.records[:-1], 0) if self.wraps and self.records else self.records
        return Requantiser(bits, records, self.output).compute(total)


@dataclass(frozen=True)
class Pool:
    """Windows of an image, or of each image in a batch, and the extreme or mean of each.

    Parameters
    ----------
    kernel, stride : (rows, columns)
    pad : elements above, below, left and right; negative where windows begin inside
    order : tuple of int, dimension order, from the rows on: rows, columns, channels
    size, outputs : (rows, columns), image size and window counts
    find : function from a set of element counts to a dict from count to MeanForm; or from None, for
        equal windows, to the only MeanForm
    counts : bool, MeanForms differ by counts
    counted : like ``pad``, the innermost padding elements, which are counted
    factor_bits : int, 8 or 16
    """

    kernel:  tuple[int, ...]
    stride:  tuple[int, ...]
    pad:     tuple[int, ...]
    order:   tuple[int, ...]
    size:    tuple[int, ...]
    outputs: tuple[int, ...]
    find:    Callable
    counts:  bool = False
    counted: tuple[int, ...] = (0, 0, 0, 0)

    factor_bits: int = 8

    def taps(self, axis: int) -> list[int]:
        """Counted window elements (list) for every output along an image axis."""
        before, after = self.counted[2 * axis:2 * axis + 2]
        top    = before - self.pad[2 * axis]
        size   = self.size[axis] + before + after
        return [min(start + self.kernel[axis], size) - max(start, 0)
                for start in (top + index * self.stride[axis]
                              for index in range(self.outputs[axis]))]

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for a signed-integer array: an image, or several."""
        if len(self.order) > 3:
            one = replace(self, order=(0, 1, 2))
            return np.stack([one.evaluate(bits, each) for each in a])
        rows, cols = (self.taps(axis) if self.counts else [1] * self.outputs[axis]
                      for axis in range(2))
        means = (self.find({height * width for height in rows for width in cols}) if self.counts
                 else {1: self.find(None)})
        image = a.transpose(self.order).astype(np.int64)
        made  = [[means[height * width].evaluate(bits, self._window(image, row, col))
                  for col, width in enumerate(cols)] for row, height in enumerate(rows)]
        return np.array(made).transpose(np.argsort(self.order))

    def _window(self, image, *place):
        """Image elements under the window at ``place``, [elements, channels]."""
        starts = [at * step - pad for at, step, pad in zip(place, self.stride, self.pad[::2],
                                                           strict=True)]
        under  = tuple(slice(max(start, 0), start + size)
                       for start, size in zip(starts, self.kernel, strict=True))
        return image[under].reshape(-1, image.shape[2])

    def split(self, axis: int, first: int, end: int,
              shape: tuple[int, ...]) -> tuple[Self, tuple[tuple[slice, ...], ...]]:
        """The form for output indices ``first`` to ``end`` along ``axis``, and the input slices. A
        single output per channel has only the channel dimension.
        """
        *_, down, across, channel = self.order
        if axis not in (down, across) or (max(self.outputs) == 1 and len(self.order) == 3):
            own = channel if len(self.order) == 3 else axis
            return self, (along(shape, own, first, end),)
        part, taken = self._rows((down, across).index(axis), first, end)
        return part, (along(shape, axis, *taken),)

    def _rows(self, axis, first, end):
        """The Pool for outputs ``first`` to ``end`` along an image axis, and its element range
        (first, end).
        """
        size, step = self.size[axis], self.stride[axis]
        begin = first * step - self.pad[2 * axis]
        stop  = begin + (end - first - 1) * step + self.kernel[axis]
        low   = min(max(begin, 0), size - 1)  # at least an element, even if no window has it
        high  = max(min(stop, size), low + 1)
        pad, counted = list(self.pad), list(self.counted)
        pad[2 * axis:2 * axis + 2] = min(low, 0) - min(begin, 0), max(stop - size, 0)
        return replace(
            self, pad=tuple(pad), counted=tuple(map(min, counted, map(max, pad, (0,) * 4))),
            size=_replace(self.size, axis, high - low),
            outputs=_replace(self.outputs, axis, end - first)), (low, high)


@dataclass(frozen=True)
class CumulativeSum:
    """Sums for all elements up to each along ``axis``.

    Parameters
    ----------
    axis : int
    exclusive : bool, sums exclude their own element
    reverse : bool, sums begin at the end
    records : tuple of int, scaled pass parameters, the bias last
    output : dict, fields for the scaled pass
    """

    axis:      int
    exclusive: bool
    reverse:   bool
    records:   tuple[int, ...]
    output:    dict[str, Any]

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for a signed-integer array."""
        turned = np.flip(a, self.axis) if self.reverse else a
        single = turned.astype(np.int64) - self.output["x_zero"]
        total  = np.cumsum(single, self.axis) - (single if self.exclusive else 0)
        made   = Requantiser(bits, self.records, self.output).compute(total)
        return np.flip(made, self.axis) if self.reverse else made


@dataclass(frozen=True)
class Reduction:
    """Reduction over several dimensions.

    Parameters
    ----------
    gone : frozenset of int, the reduced dimensions
    keep : bool, the output keeps them with a single index
    """

    gone: frozenset[int]
    keep: bool

    def source_axis(self, axis: int, rank: int) -> int:
        """Input dimension for output dimension ``axis``, with ``rank`` input dimensions."""
        return axis if self.keep else [each for each in range(rank) if each not in self.gone][axis]

    def split(self, axis: int, first: int, end: int,
              shape: tuple[int, ...]) -> tuple[Self, tuple[tuple[slice, ...], ...]]:
        """The form for output indices ``first`` to ``end`` along ``axis``, and the input slices."""
        return self, (along(shape, self.source_axis(axis, len(shape)), first, end),)


@dataclass(frozen=True)
class SumAlong(Reduction):
    """Sums along dimensions.

    ``records`` are the scaled pass parameters, an int tuple, the bias last; ``output`` are its
    fields.
    """

    records: tuple[int, ...]
    output:  dict[str, Any]

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for a signed-integer array."""
        total = a.astype(np.int64).sum(tuple(self.gone), keepdims=self.keep)
        return Requantiser(bits, self.records, self.output).compute(total)


@dataclass(frozen=True)
class ExtremeAlong(Reduction):
    """Maxima or minima along dimensions, according to ``op``."""

    op: Op

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for a signed-integer array."""
        largest = np.max if self.op is Op.MAX else np.min
        return largest(a, tuple(self.gone), keepdims=self.keep)


def find_largest(clip: tuple[int, ...], counts: set[int] | None) -> MeanForm:
    """The MeanForm for the largest element, clipped to ``clip``: a ``find`` function for a Pool."""
    return MeanForm(1, output={"op": Op.MAX, "clip": clip})


def each_mean(mean_of: Callable, counts: set[int]) -> dict[int, MeanForm]:
    """Dict from count to the MeanForm ``mean_of(count)``."""
    return {count: mean_of(count) for count in counts}


def _replace(values, place, value):
    return (*values[:place], value, *values[place + 1:])
