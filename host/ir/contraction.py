# SPDX-License-Identifier: Apache-2.0
"""Convolutions and matrices of all libraries in one form, which the loops of passes take."""

from dataclasses import dataclass, replace

import numpy as np

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


def _grow(linear, axis, front, behind):
    widths = [(0, 0)] * 4
    widths[1 + axis] = (front, behind)
    return replace(linear, weights=np.pad(linear.weights, widths))
