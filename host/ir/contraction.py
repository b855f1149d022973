# SPDX-License-Identifier: Apache-2.0
"""Convolutions and matrix products from all libraries in one form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .requantiser import Requantiser
from .tile import broadcast_along, whole
from .windows import Window, WindowRange, reach, transposed_ranges, transposed_reach, window_ranges

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Linear", "MatrixProduct", "OutputTransform", "set_windows", "spread_windows"]

ONE_TAP = (WindowRange(),)  #: Range for a matrix: all inputs belong to a single tap.


@dataclass(frozen=True)
class Linear:
    """Sums of products, and their scaling.

    Parameters
    ----------
    weights : int8 or int16 [outputs, rows, columns, inputs]; matrix: [outputs, 1, 1, inputs];
        depthwise: [channels, rows, columns, 1]
    records : tuple, int64 [outputs] each, per-channel pass parameters: scale parameters, if any,
        then the bias
    output : dict, Pass fields common to all outputs
    order : tuple of int, image dimension order with the channels last; None for a matrix, whose
        input is a single run
    lanes : bool, depthwise: a channel per lane; else all outputs in a group use the same inputs
    groups : int, channel groups; ``weights`` has a single group's inputs
    rows, cols : tuples of WindowRange, a pass per pair; for a matrix, input rows are image columns
    window : Windows along rows and columns from which ``rows`` and ``cols`` are computed, or None
    side : int, adjacent pixels in the lanes; for a depthwise kernel, ``weights`` and ``records``
        are for a single pixel
    side_stride : int, weight columns from an adjacent pixel's window to the next; 0 if every output
        tile reads all columns
    strips : bool, every lane bank computes an image strip, see ``strips``
    batch : int, image count
    slides : bool, the core has ``Op.SLIDE``
    turns : function that returns ``n`` Linears, each for every ``n``-th output, for a depthwise
        kernel with ``n`` outputs per channel; or None
    narrow_to : (low, high), limits of 8-bit outputs rounded from 16-bit outputs, or None
    """

    weights: np.ndarray
    records: tuple[np.ndarray, ...]
    output:  dict[str, Any]
    order:   tuple[int, ...] | None = None
    lanes:   bool = False
    groups:  int = 1
    rows:    tuple[WindowRange, ...] = ONE_TAP
    cols:    tuple[WindowRange, ...] = ONE_TAP
    window:  tuple[Window, ...] | None = None
    side:    int = 1
    side_stride: int = 0
    strips:  bool = False
    batch:   int = 1
    slides:  bool = True

    turns:     Callable[[int], list[Linear]] | None = None
    narrow_to: tuple[int, int] | None = None

    def evaluate(self, bits: int, a: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for a signed-integer array; for a matrix [rows, outputs]."""
        if self.order is None:
            image = a.reshape(1, 1, self.cols[0].count, -1)
            sums  = self._sums(image[0], np.zeros((1, 1), int),
                               np.arange(image.shape[2])[:, None])[None]
        else:
            image = a.transpose(self.order).reshape(-1, *(a.shape[axis] for axis in
                                                          self.order[-3:]))
            places = [_places(ranges, size) for ranges, size in zip(
                (self.rows, self.cols), image.shape[1:3], strict=True)]
            sums = np.stack([self._sums(each, *places) for each in image])
        wide = 16 if self.narrow_to else bits
        made = Requantiser(wide, self.records, self.output).compute(sums)
        if self.narrow_to:
            made = Requantiser.narrow(bits, self.narrow_to).compute(made)
        if self.order is None:
            return made[0, 0]
        made = made if len(self.order) > 3 else made[0]
        return made.transpose(np.argsort(self.order))

    def _sums(self, image, rows, cols):
        """Sums of products, int64 [rows, columns, outputs], for an image [rows, columns, channels].

        ``rows`` and ``cols`` are element indices from ``_places``.
        """
        image = np.pad(image.astype(np.int64) - self.output.get("x_zero", 0),
                       ((0, 1), (0, 1), (0, 0)))
        under   = image[rows[:, :, None, None], cols[None, None]]  # [row, tap, column, tap, input]
        weights = self.weights.astype(np.int64)
        if self.lanes:
            return np.einsum("rkclo,okl->rco", under, weights[..., 0])
        under = under.reshape(*under.shape[:4], self.groups, -1)
        split = weights.reshape(self.groups, -1, *weights.shape[1:])
        sums  = np.einsum("rkclgi,gokli->rcgo", under, split)
        return sums.reshape(*sums.shape[:2], -1)

    @property
    def once(self) -> bool:
        """Whether sums are scaled, and all outputs have the same parameters."""
        *parameters, _ = self.records
        return bool(parameters) and all((record == record[0]).all() for record in parameters)


@dataclass(frozen=True)
class MatrixProduct:
    """Products of two matrix tensors.

    Parameters
    ----------
    turns : (bool, bool), each tensor's matrices are transposed
    zero : int, the second tensor's zero point
    records : tuple of int, scaled pass parameters, without a bias
    output : dict, fields for the scaled pass
    bias : int64 [columns], or None for 0
    """

    turns:   tuple[bool, bool]
    zero:    int
    records: tuple[int, ...]
    output:  dict[str, Any]
    bias:    np.ndarray | None = None

    def evaluate(self, bits: int, *inputs: np.ndarray) -> np.ndarray:
        """``bits``-bit outputs for two signed-integer arrays."""
        a, b = (np.swapaxes(each, -1, -2) if turn else each
                for each, turn in zip(inputs, self.turns, strict=True))
        sums = (a.astype(np.int64) - self.output.get("x_zero", 0)) @ (
            b.astype(np.int64) - self.zero)
        bias = 0 if self.bias is None else self.bias
        return Requantiser(bits, (*self.records, bias), self.output).compute(sums)

    def split(self, axis: int, first: int, end: int,
              *shapes: tuple[int, ...]) -> tuple[Self, tuple[tuple[slice, ...], ...]]:
        """The form for output indices ``first`` to ``end`` along ``axis``, and both inputs' slices.
        """
        rank = max(map(len, shapes))
        form = self
        if self.bias is not None and axis == rank - 1:
            form = replace(self, bias=self.bias[first:end])
        return form, tuple(self._part(place, axis - rank, first, end, shape)
                           for place, shape in enumerate(shapes))

    def _part(self, place, axis, first, end, shape):
        """Input slices for an output range along ``axis``, counted from the end."""
        if axis in (-1, -2):
            if axis != place - 2:
                return whole(shape)
            axis = -3 - axis if self.turns[place] else axis
        return broadcast_along(shape, 0, axis, first, end)


@dataclass(frozen=True)
class OutputTransform:
    """32-bit accumulators that are shifted, scaled, biased and shifted again.

    Each step rounds or saturates to 16 bits.

    Parameters
    ----------
    left : int, first-step left shift; if not 0, ``records`` have a first entry for it
    records : list of tuples of int64 [channels]: every pass's parameters, the bias last
    shift : int, last shift in bits
    clip : (lowest, highest) output
    """

    left:    int
    records: list[tuple[np.ndarray, ...]]
    shift:   int
    clip:    tuple[int, int]


def set_windows(linear: Linear, sizes: Sequence[int], outputs: Sequence[int],
                stride: tuple[int, ...], dilation: tuple[int, ...],
                start: tuple[int, ...]) -> Linear:
    """``linear`` with the passes for its windows on an image; the other arguments are (rows,
    columns).

    A pass with a window outside the image is a fault. The kernel is therefore extended with zeros
    until each window has a tap on the image.
    """
    windows = []
    for axis in range(2):
        fields = stride[axis], dilation[axis]
        front, behind = reach(sizes[axis], outputs[axis], linear.weights.shape[1 + axis], *fields,
                              start[axis])
        linear = _grow(linear, axis, front, behind)
        windows.append(Window(sizes[axis], outputs[axis], linear.weights.shape[1 + axis], *fields,
                              start[axis] - front * dilation[axis]))
    rows, cols = (window_ranges(**vars(window)) for window in windows)
    return replace(linear, rows=rows, cols=cols, window=tuple(windows))


def spread_windows(linear: Linear, sizes: tuple[int, ...], outputs: tuple[int, ...],
                   stride: tuple[int, ...], start: tuple[int, ...]) -> Linear:
    """``linear`` for windows on an image with ``stride - 1`` zeros between elements; see
    ``set_windows``.
    """
    grown = []
    for axis in range(2):
        front, behind = transposed_reach(sizes[axis], outputs[axis],
                                         linear.weights.shape[1 + axis], stride[axis], start[axis])
        linear = _grow(linear, axis, front, behind)
        grown.append(transposed_ranges(sizes[axis], outputs[axis], linear.weights.shape[1 + axis],
                                       stride[axis], start[axis] - front))
    return replace(linear, rows=grown[0], cols=grown[1])


def _places(ranges, size):
    """Element index per output and tap along an axis, int [outputs, taps].

    A tap without an element has the index ``size``.
    """
    outputs = max(each.first + each.step * (each.count - 1) for each in ranges) + 1
    taps    = max(each.tap + each.tap_step * (each.taps - 1) for each in ranges) + 1
    places  = np.full((outputs, taps), size)
    for each in ranges:
        index, tap = np.arange(each.count)[:, None], np.arange(each.taps)
        at = each.at + index * each.stride + tap * each.pitch
        places[each.first + index * each.step, each.tap + tap * each.tap_step] = np.where(
            (at >= 0) & (at < size), at, size)
    return places


def _grow(linear, axis, front, behind):
    if not front and not behind:
        return linear
    widths = [(0, 0)] * 4
    widths[1 + axis] = (front, behind)
    return replace(linear, weights=np.pad(linear.weights, widths))
