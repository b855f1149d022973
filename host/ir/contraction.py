# SPDX-License-Identifier: Apache-2.0
"""Convolutions and matrices of all libraries in one form, which the loops of passes take."""

from dataclasses import dataclass, replace

import numpy as np

from .requantiser import Requantiser
from .windows import Window, WindowRange, reach, transposed_ranges, transposed_reach, window_ranges

__all__ = ["Linear", "set_windows", "spread_windows"]

ONE_TAP = (WindowRange(),)  #: Of a matrix: all inputs are under one tap of one output.


@dataclass(frozen=True)
class Linear:
    """Sums of products, and what becomes of them.

    Parameters
    ----------
    weights : int8 or int16 [outputs, rows, columns, inputs], of a matrix [outputs, 1, 1, inputs],
        of a depthwise kernel [channels, rows, columns, 1]
    records : tuple of int64 [outputs], as a pass reads them: parameters if scaled, the bias last
    output : dict of the fields of a Pass that its outputs share
    order : tuple of int, of the dimensions of the image, its channels innermost; None for a
        matrix, which takes the input as a single run
    lanes : bool, depthwise: a channel to every lane; else inputs are shared by all outputs of a
        group
    groups : int, of channels: ``weights`` have the inputs of one
    rows, cols : tuples of WindowRange, a pass for each pair of them; of a matrix one of as many
        columns as the input has rows
    window : two Windows, of rows and columns, that ``rows`` and ``cols`` come from; None of others
    side : int, pixels side by side in the lanes; of a depthwise kernel ``weights`` and ``records``
        are those of one
    strips : bool, every bank of lanes has a strip of the image, see ``strips``
    batch : int, images one after the other
    slides : bool, the core has ``Op.SLIDE``
    turns : function that gives the Linears of every ``n``-th output each, for a depthwise kernel
        with ``n`` outputs a channel; or None
    narrow_to : (low, high) of outputs of 8 bits that passes of 16 bits are rounded to, or None
    """

    weights: np.ndarray
    records: tuple
    output:  dict
    order:   tuple | None = None
    lanes:   bool = False
    groups:  int = 1
    rows:    tuple = ONE_TAP
    cols:    tuple = ONE_TAP
    window:  tuple | None = None
    side:    int = 1
    strips:  bool = False
    batch:   int = 1
    slides:  bool = True

    turns:     object = None
    narrow_to: tuple | None = None

    def evaluate(self, bits, a):
        """Outputs of ``bits`` each, of an array of signed integers; of a matrix [rows, outputs]."""
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
        """Sums of products, int64 [rows, columns, outputs], of an image [rows, columns, channels];
        places are those of ``_places``."""
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
    def once(self):
        """Whether sums are scaled, and all outputs have the same parameters."""
        *parameters, _ = self.records
        return bool(parameters) and all((record == record[0]).all() for record in parameters)


def set_windows(linear, sizes, outputs, stride, dilation, start):
    """``linear`` on windows of an image; all but itself are (of rows, of columns).

    A kernel grows by zeros if a window has no tap on the image: such a pass is a fault.
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


def spread_windows(linear, sizes, outputs, stride, start):
    """``linear`` on windows of an image spread by ``stride``; see ``set_windows``."""
    grown = []
    for axis in range(2):
        front, behind = transposed_reach(sizes[axis], outputs[axis],
                                         linear.weights.shape[1 + axis], stride[axis], start[axis])
        linear = _grow(linear, axis, front, behind)
        grown.append(transposed_ranges(sizes[axis], outputs[axis], linear.weights.shape[1 + axis],
                                       stride[axis], start[axis] - front))
    return replace(linear, rows=grown[0], cols=grown[1])


def _places(ranges, size):
    """Elements under each tap of each output along an axis, int [outputs, taps]; ``size``, which is
    behind all of them, where there is none."""
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
    widths = [(0, 0)] * 4
    widths[1 + axis] = (front, behind)
    return replace(linear, weights=np.pad(linear.weights, widths))
